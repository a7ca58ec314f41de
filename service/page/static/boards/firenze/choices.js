// The choices that make up each listed move.

import { COLOURS, counted } from "./bricks.js";
import { cardOfRow, titleOf } from "./cards.js";
import { personnelChoices } from "./personnel_choices.js";
import { cardPrice, dueOf, fallingTowers } from "./prices.js";
import { joined, mover, playerOf, towerNamed } from "./words.js";

/** @import { Choice, Scene } from "../types.d.ts" */

/** @type {Record<string, (move: any, scene: Scene) => Choice[]>} */
const CHOICES = {
  take_card: takeCard,
  answer_event: answerEvent,
  resolve_event: resolveEvent,
  discard: handOver,
  exchange,
  build,
  fulfil,
  play_personnel: personnelChoices,
  end_turn: endTurn,
};

/** @param {any} move @param {Scene} scene @returns {Choice[]} */
export function choices(move, scene) {
  const choicesOf = CHOICES[move.type];
  if (choicesOf === undefined) return [{ key: move.type, text: move.type }];
  return choicesOf(move, scene);
}

/**
 * Return what tells a whole move: its choices, but of a build only what is laid.
 * @param {any} move @param {Scene} scene
 */
export function words(move, scene) {
  if (move.type !== "build") return choices(move, scene).map(({ text }) => text);

  const lay = (move.lay ?? []).map((/** @type {any} */ { bricks, colour, tower }) => {
    if (tower === undefined) return `${bricks} for a new ${colour} tower`;
    return `${bricks} onto the ${towerNamed(scene.view, mover(scene), tower)}`;
  });
  return lay.length > 0 ? [`Build ${joined(lay)}`] : ["Build nothing"];
}

/** @type {(move: any, scene: Scene) => Choice[]} */
function takeCard(move, { view }) {
  const price = cardPrice(view, move.slot);
  const cost = price ? counted(price) : "free";
  const text = `Take ${cardOfRow(view, move.slot)} (${cost})`;
  return [{ key: `take:${move.slot}`, text, place: `slot:${move.slot}` }];
}

// ---- while an event is settled ------------------------------------------------------------------

/** @type {(move: any, scene: Scene) => Choice[]} */
function answerEvent(move, scene) {
  const event = titleOf(scene.view.taken);
  if (!move.patrician) return [{ key: "suffer", text: `Let the ${event} happen` }];
  const place = `hand:${mover(scene)}:patrician`;
  return [{ key: "patrician", text: `Spend a Patrician against the ${event}`, place }];
}

/** @type {(move: any, scene: Scene) => Choice[]} */
function resolveEvent(move, scene) {
  if (move.tower === undefined) return handOver(move, scene);

  const seat = mover(scene);
  const tower = towerNamed(scene.view, seat, move.tower);
  const loss = scene.view.taken === "botch" ? "Lose a brick of" : "Lose";
  const text = `${loss} the ${tower}`;
  return [{ key: `tower:${move.tower}`, text, place: `tower:${seat}:${move.tower}` }];
}

/** @type {(move: any, scene: Scene) => Choice[]} */
function handOver(move, scene) {
  const due = dueOf(move, scene.view, mover(scene));
  const bricks = due === null ? "the bricks that are due" : counted(due.count);
  return [{ key: "hand_over", text: `Hand over ${bricks}` }];
}

// ---- exchange and build -------------------------------------------------------------------------

/** @type {(move: any, scene: Scene) => Choice[]} */
function exchange(move, { view }) {
  const { slot, take } = move;
  return [
    { key: "exchange", text: "Exchange bricks", place: "exchange" },
    { key: `slot:${slot}`, text: `With ${cardOfRow(view, slot)}`, place: `slot:${slot}` },
    { key: `take:${take}`, text: `Take a ${take} brick`, place: `brick:${slot}:${take}` },
  ];
}

/**
 * Return the choices of a build: how many bricks in all, then how many onto each tower.
 * @type {(move: any, scene: Scene) => Choice[]}
 */
function build(move, scene) {
  const seat = mover(scene);
  const lay = move.lay ?? [];
  const laid = lay.reduce((/** @type {number} */ sum, /** @type {any} */ piece) => {
    return sum + piece.bricks;
  }, 0);

  const all = laid ? `${counted(laid)} in all` : "Nothing";
  const made = [
    { key: "build", text: "Build", place: "build" },
    { key: `laid:${laid}`, text: all },
  ];
  for (const tower of playerOf(scene.view, seat).towers) {
    const bricks = laidOnto(lay, tower.colour, tower.tower);
    const text = `${bricks} onto the ${towerNamed(scene.view, seat, tower.tower)}`;
    made.push({ key: `tower:${tower.tower}:${bricks}`, text });
  }
  for (const colour of COLOURS) {
    const bricks = laidOnto(lay, colour, undefined);
    made.push({ key: `new:${colour}:${bricks}`, text: `${bricks} for a new ${colour} tower` });
  }
  return made;
}

/** @param {any[]} lay @param {string} colour @param {number | undefined} tower */
function laidOnto(lay, colour, tower) {
  let bricks = 0;
  for (const piece of lay) {
    if (piece.colour === colour && piece.tower === tower) bricks += piece.bricks;
  }
  return bricks;
}

// ---- fulfil and end -----------------------------------------------------------------------------

/**
 * Return the choices of a delivery: the commission, then the tower. While an Architect makes towers
 * fit several commissions, it is the tower first.
 * @type {(move: any, scene: Scene) => Choice[]}
 */
function fulfil(move, scene) {
  const seat = mover(scene);
  const fromTower = {
    key: `tower:${move.tower}`,
    text: `Deliver the ${towerNamed(scene.view, seat, move.tower)}`,
    place: `tower:${seat}:${move.tower}`,
  };
  if (move.campanile) return [bellTower(scene), fromTower];

  const commission = {
    key: `commission:${move.colour}:${move.height}`,
    text: `Fulfil ${move.colour} ${move.height}`,
    place: `commission:${move.colour}:${move.height}`,
  };
  return scene.view.architect === null ? [commission, fromTower] : [fromTower, commission];
}

/** @param {Scene} scene @returns {Choice} */
function bellTower({ view }) {
  const space = view.church.indexOf("campanile");
  return { key: "campanile", text: "Deliver the bell tower", place: `church:${space}` };
}

/** @type {(move: any, scene: Scene) => Choice[]} */
function endTurn(move, scene) {
  const seat = mover(scene);
  const falling = fallingTowers(scene.view, seat).length;
  const warning = falling ? `, ${falling} of your towers will fall` : "";
  const ending = { key: "end_turn", text: `End the turn${warning}`, place: "end_turn" };

  const cards = (move.cards ?? []).map(
    (/** @type {string} */ card, /** @type {number} */ index) => {
      const text = `Discard ${titleOf(card)}`;
      return { key: `discard:${index}:${card}`, text, place: cardPlace(scene, seat, card) };
    },
  );
  return [ending, ...cards];
}

/** @param {Scene} scene @param {number} seat @param {string} card */
function cardPlace(scene, seat, card) {
  const isBuilding = playerOf(scene.view, seat).buildings.includes(card);
  return `${isBuilding ? "building" : "hand"}:${seat}:${card}`;
}
