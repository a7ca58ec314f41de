// The choices that make up each listed move.

import { COLOURS, counted } from "./bricks.js";
import { cardOfRow, factsOf, titleOf } from "./cards.js";
import { cardPrice, dueOf, fallingTowers } from "./payment.js";
import { joined, levels, mover, nameOf, playerOf, towerNamed, towerOf } from "./words.js";

/** @import { Attempt, Attempting, Chooser, Move, Table, Tower } from "./types.d.ts" */
/** @import { Choice } from "../types.d.ts" */

/** @type {Record<string, Chooser>} */
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

/** @param {Move} move @param {Table} scene @returns {Choice[]} */
export function choices(move, scene) {
  const choicesOf = CHOICES[move.type];
  if (choicesOf === undefined) return [{ key: move.type, text: move.type }];
  return choicesOf(move, scene);
}

// Return what tells a whole move: its choices, but of a build only what is laid.
/** @param {Move} move @param {Table} scene */
export function words(move, scene) {
  if (move.type !== "build") return choices(move, scene).map(({ text }) => text);

  const lay = (move.lay ?? []).map(({ bricks, colour, tower }) => {
    if (tower === undefined || tower === null) return `${bricks} for a new ${colour} tower`;
    return `${bricks} onto the ${towerNamed(scene.view, mover(scene), tower)}`;
  });
  return lay.length > 0 ? [`Build ${joined(lay)}`] : ["Build nothing"];
}

/** @type {Chooser} */
function takeCard(move, { view }) {
  const price = cardPrice(view, move.slot);
  const cost = price ? counted(price) : "free";
  const text = `Take ${cardOfRow(view, move.slot)} (${cost})`;
  return [{ key: `take:${move.slot}`, text, place: `slot:${move.slot}` }];
}

// ---- while an event is settled ------------------------------------------------------------------

/** @type {Chooser} */
function answerEvent(move, scene) {
  const event = titleOf(scene.view.taken ?? "");
  if (!move.patrician) {
    const text = `Spend no Patrician against the ${event}`;
    return [{ key: "suffer", text, givesUp: "value" }];
  }
  const place = `hand:${mover(scene)}:patrician`;
  return [{ key: "patrician", text: `Spend a Patrician against the ${event}`, place }];
}

/** @type {Chooser} */
function resolveEvent(move, scene) {
  if (move.tower === undefined) return handOver(move, scene);

  const loss = scene.view.taken === "botch" ? "Lose a brick of the" : "Lose the";
  return [ofTower(loss, mover(scene), move, scene)];
}

/** @type {Chooser} */
function handOver(move, scene) {
  const due = dueOf(move, scene.view, mover(scene));
  const bricks = due === null ? "the bricks that are due" : counted(due.count);
  const verb = move.type === "resolve_event" ? "Burn" : "Hand over";
  return [{ key: "hand_over", text: `${verb} ${bricks}` }];
}

// ---- exchange and build -------------------------------------------------------------------------

/** @type {Chooser} */
function exchange(move, { view }) {
  const { slot, take } = move;
  return [
    { key: "exchange", text: "Exchange bricks", place: "exchange" },
    { key: `slot:${slot}`, text: `With ${cardOfRow(view, slot)}`, place: `slot:${slot}` },
    { key: `take:${take}`, text: `For a ${take} brick`, place: `brick:${slot}:${take}` },
  ];
}

// Return the choices of a build: how many bricks in all, then how many onto each tower.
/** @type {Chooser} */
function build(move, scene) {
  const seat = mover(scene);
  const lay = move.lay ?? [];
  const laid = lay.reduce((sum, { bricks }) => sum + bricks, 0);

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

/** @param {Move["lay"]} lay @param {string} colour @param {number | undefined} tower */
function laidOnto(lay, colour, tower) {
  let bricks = 0;
  for (const piece of lay) {
    if (piece.colour === colour && piece.tower === tower) bricks += piece.bricks;
  }
  return bricks;
}

// ---- fulfil and end -----------------------------------------------------------------------------

// Return the choices of a delivery: the commission, then the tower. While an Architect makes towers
// fit several commissions, it is the tower first.
/** @type {Chooser} */
function fulfil(move, scene) {
  const seat = mover(scene);
  const isTowerFirst = scene.view.architect !== null && !move.campanile;
  const fromTower = ofTower(isTowerFirst ? "Fulfil with the" : "With the", seat, move, scene);
  if (move.campanile) return [bellTower(scene), fromTower];

  const place = `commission:${move.colour}:${move.height}`;
  const text = `Fulfil ${move.colour} ${move.height}`;
  const commission = { key: place, text, place };
  return isTowerFirst ? [fromTower, commission] : [commission, fromTower];
}

/** @param {Table} scene @returns {Choice} */
function bellTower({ view }) {
  const space = view.church.indexOf("campanile");
  return { key: "campanile", text: "Deliver the bell tower", place: `church:${space}` };
}

/** @type {Chooser} */
function endTurn(move, scene) {
  const seat = mover(scene);
  const falling = fallingTowers(scene.view, seat).length;
  const warning = falling ? `, ${falling} of your towers will be torn down` : "";
  const losesSomething = falling > 0 || (move.cards ?? []).length > 0;
  /** @type {Choice} */
  const ending = {
    key: "end_turn",
    text: `End the turn${warning}`,
    place: "end_turn",
    givesUp: losesSomething ? "value" : "rest",
  };

  const cards = (move.cards ?? []).map(
    (/** @type {string} */ card, /** @type {number} */ index) => {
      const text = `Discard ${titleOf(card)}`;
      return { key: `discard:${index}:${card}`, text, place: cardPlace(scene, seat, card) };
    },
  );
  return [ending, ...cards];
}

/** @param {Table} scene @param {number} seat @param {string} card */
function cardPlace(scene, seat, card) {
  const isBuilding = playerOf(scene.view, seat).buildings.includes(card);
  return `${isBuilding ? "building" : "hand"}:${seat}:${card}`;
}

// ---- the choices that make up each way to play a personnel card (f26-f31) -----------------------

/** @type {Record<string, Chooser>} */
const WAYS = { alchemist, architect, patrician, saboteur, smuggler, wholesaler };

/** @param {Move} move @param {Table} scene @returns {Choice[]} */
function personnelChoices(move, scene) {
  const place = `hand:${mover(scene)}:${move.card}`;
  const card = { key: `play:${move.card}`, text: `Play ${titleOf(move.card)}`, place };
  const way = WAYS[move.card];
  return way === undefined ? [card] : [card, ...way(move, scene)];
}

/** @type {Chooser} */
function alchemist(move, scene) {
  const text = `Into a ${move.take} one of the pouch`;
  const take = { key: `take:${move.take}`, text, place: `pouch:${move.take}` };
  return [...given(move, scene, "Turn"), take];
}

/** @type {Chooser} */
function smuggler(move, scene) {
  const place = `storehouse:${move.target}:${move.take}`;
  const take = { key: `take:${move.take}`, text: `Bring a ${move.take} brick`, place };
  return [target(move, scene), take, ...given(move, scene, "For")];
}

/** @type {Chooser} */
function saboteur(move, scene) {
  const brick = ofTower("Take a brick off the", move.target, move, scene);
  return [target(move, scene), brick];
}

/** @type {Chooser} */
function patrician(move, scene) {
  const place = `hand:${mover(scene)}:${move.discard}`;
  return [{ key: `discard:${move.discard}`, text: `Discard ${titleOf(move.discard)}`, place }];
}

/** @type {Chooser} */
function wholesaler(move, { view }) {
  const text = `Draw the bricks on ${cardOfRow(view, move.slot)} anew`;
  return [{ key: `slot:${move.slot}`, text, place: `slot:${move.slot}` }];
}

/** @type {Chooser} */
function architect(move, scene) {
  if (move.tower === undefined) {
    return [{ key: "any", text: "For the first commission that is one level off" }];
  }

  const seat = mover(scene);
  const tower = towerOf(scene.view, seat, move.tower);
  const bound = ofTower("Only for the", seat, move, scene);
  const height = (tower?.height ?? 0) + move.by;
  const level = { key: `by:${move.by}`, text: `It counts as ${levels(height)}, too` };
  return [bound, level];
}

/** @param {string} words @param {number} seat @param {Move} move @param {Table} scene @returns {Choice} */
function ofTower(words, seat, { tower }, scene) {
  const text = `${words} ${towerNamed(scene.view, seat, tower)}`;
  return { key: `tower:${tower}`, text, place: `tower:${seat}:${tower}` };
}

// Return which brick is given, if the move gives one.
/** @param {Move} move @param {Table} scene @param {string} verb @returns {Choice[]} */
function given(move, scene, verb) {
  if (move.give === undefined) return [];
  const place = `storehouse:${mover(scene)}:${move.give}`;
  return [{ key: `give:${move.give}`, text: `${verb} a ${move.give} brick`, place }];
}

/** @param {Move} move @param {Table} scene @returns {Choice} */
function target(move, scene) {
  const text = `From ${nameOf(scene, move.target)}`;
  return { key: `target:${move.target}`, text, place: `player:${move.target}` };
}

// ---- what a click on a place that is no target seems to want, so that its refusal can be shown --

/** @type {Record<string, Attempting>} */
const WISHES = {
  slot: wantSlot,
  brick: wantBrick,
  commission: wantCommission,
  church: wantChurch,
  tower: wantTower,
  storehouse: wantStorehouse,
  hand: wantCard,
  exchange: () => ({ type: "exchange", slot: 0, take: "white" }),
  build: () => ({ type: "build", lay: [] }),
  end_turn: () => ({ type: "end_turn" }),
};

/** @param {string} place @param {Table} scene @returns {Attempt | null} */
export function attempt(place, scene) {
  if (scene.reader === null) return null;
  const [kind = "", ...parts] = place.split(":");
  return WISHES[kind]?.(parts, scene) ?? null;
}

/** @type {Attempting} */
function wantSlot([slot], { view }) {
  if (view.step !== "build") return { type: "take_card", slot: Number(slot) };
  const [take] = Object.keys(view.row[Number(slot)]?.bricks ?? {});
  return { type: "exchange", slot: Number(slot), take: take ?? "white" };
}

/** @type {Attempting} */
function wantBrick([slot, colour]) {
  return { type: "exchange", slot: Number(slot), take: colour };
}

// A tower of the colour is delivered, the one of the nearest height.
/** @type {Attempting} */
function wantCommission([colour, height], scene) {
  const { towers } = playerOf(scene.view, mover(scene));
  /** @type {(tower: Tower) => number} */
  const distance = (tower) => {
    const wrongColour = tower.colour === colour ? 0 : 100;
    return wrongColour + Math.abs(tower.height - Number(height));
  };
  const nearest = [...towers].sort((one, other) => distance(one) - distance(other))[0];
  return { type: "fulfil", tower: nearest?.tower ?? 0, colour, height: Number(height) };
}

/** @type {Attempting} */
function wantChurch([space], scene) {
  if (scene.view.church[Number(space)] !== "campanile") return null;
  const { towers } = playerOf(scene.view, mover(scene));
  const white = towers.find((tower) => tower.colour === "white");
  return { type: "fulfil", tower: (white ?? towers[0])?.tower ?? 0, campanile: true };
}

/** @type {Attempting} */
function wantTower([seat, number], scene) {
  const owner = Number(seat);
  if (owner !== mover(scene)) {
    return { type: "play_personnel", card: "saboteur", target: owner, tower: Number(number) };
  }

  const { towers } = playerOf(scene.view, owner);
  const tower = towers.find((each) => each.tower === Number(number));
  if (tower === undefined) return null;
  if (scene.view.step === "fulfil") {
    const { colour, height } = tower;
    return { type: "fulfil", tower: tower.tower, colour, height };
  }
  return { type: "build", lay: [{ colour: tower.colour, bricks: 1, tower: tower.tower }] };
}

/** @type {Attempting} */
function wantStorehouse([seat, colour], scene) {
  const own = Number(seat) === mover(scene);
  if (own) return { type: "build", lay: [{ colour, bricks: 1 }] };
  return { type: "play_personnel", card: "smuggler", target: Number(seat), take: colour };
}

/** @type {Attempting} */
function wantCard([seat, card = ""], scene) {
  const playable = factsOf(card).kind === "Personnel";
  if (Number(seat) !== mover(scene) || !playable) return null;
  return { type: "play_personnel", card };
}
