// What a click on a place that is no target seems to want, so that its refusal can be shown.

import { factsOf } from "./cards.js";
import { mover, playerOf } from "./words.js";

/** @import { Scene } from "../types.d.ts" */

/** @type {Record<string, (parts: string[], scene: Scene) => any>} */
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

/** @param {string} place @param {Scene} scene @returns {any} */
export function attempt(place, scene) {
  if (scene.reader === null) return null;
  const [kind = "", ...parts] = place.split(":");
  return WISHES[kind]?.(parts, scene) ?? null;
}

/** @type {(parts: string[], scene: Scene) => any} */
function wantSlot([slot], { view }) {
  if (view.step !== "build") return { type: "take_card", slot: Number(slot) };
  const [take] = Object.keys(view.row[Number(slot)].bricks);
  return { type: "exchange", slot: Number(slot), take: take ?? "white" };
}

/** @type {(parts: string[]) => any} */
function wantBrick([slot, colour]) {
  return { type: "exchange", slot: Number(slot), take: colour };
}

/**
 * A tower of the colour is delivered, the one of the nearest height.
 * @type {(parts: string[], scene: Scene) => any}
 */
function wantCommission([colour, height], scene) {
  const { towers } = playerOf(scene.view, mover(scene));
  /** @type {(tower: any) => number} */
  const distance = (tower) => {
    const wrongColour = tower.colour === colour ? 0 : 100;
    return wrongColour + Math.abs(tower.height - Number(height));
  };
  const nearest = [...towers].sort((one, other) => distance(one) - distance(other))[0];
  return { type: "fulfil", tower: nearest?.tower ?? 0, colour, height: Number(height) };
}

/** @type {(parts: string[], scene: Scene) => any} */
function wantChurch([space], scene) {
  if (scene.view.church[Number(space)] !== "campanile") return null;
  const { towers } = playerOf(scene.view, mover(scene));
  const white = towers.find((/** @type {any} */ tower) => tower.colour === "white");
  return { type: "fulfil", tower: (white ?? towers[0])?.tower ?? 0, campanile: true };
}

/** @type {(parts: string[], scene: Scene) => any} */
function wantTower([seat, number], scene) {
  const owner = Number(seat);
  if (owner !== mover(scene)) {
    return { type: "play_personnel", card: "saboteur", target: owner, tower: Number(number) };
  }

  const { towers } = playerOf(scene.view, owner);
  const tower = towers.find((/** @type {any} */ each) => each.tower === Number(number));
  if (tower === undefined) return null;
  if (scene.view.step === "fulfil") {
    const { colour, height } = tower;
    return { type: "fulfil", tower: tower.tower, colour, height };
  }
  return { type: "build", lay: [{ colour: tower.colour, bricks: 1, tower: tower.tower }] };
}

/** @type {(parts: string[], scene: Scene) => any} */
function wantStorehouse([seat, colour], scene) {
  const own = Number(seat) === mover(scene);
  if (own) return { type: "build", lay: [{ colour, bricks: 1 }] };
  return { type: "play_personnel", card: "smuggler", target: Number(seat), take: colour };
}

/** @type {(parts: string[], scene: Scene) => any} */
function wantCard([seat, card = ""], scene) {
  const playable = factsOf(card).kind === "Personnel";
  if (Number(seat) !== mover(scene) || !playable) return null;
  return { type: "play_personnel", card };
}
