// The choices that make up each way to play a Personnel card (F26-F31).

import { cardOfRow, titleOf } from "./cards.js";
import { mover, nameOf, towerNamed, towerOf } from "./words.js";

/** @import { Choice, Scene } from "../types.d.ts" */

/** @type {Record<string, (move: any, scene: Scene) => Choice[]>} */
const WAYS = {
  alchemist,
  architect,
  patrician,
  saboteur,
  smuggler,
  wholesaler,
};

/** @param {any} move @param {Scene} scene @returns {Choice[]} */
export function personnelChoices(move, scene) {
  const place = `hand:${mover(scene)}:${move.card}`;
  const card = { key: `play:${move.card}`, text: `Play ${titleOf(move.card)}`, place };
  const way = WAYS[move.card];
  return way === undefined ? [card] : [card, ...way(move, scene)];
}

/** @type {(move: any, scene: Scene) => Choice[]} */
function alchemist(move, scene) {
  const take = {
    key: `take:${move.take}`,
    text: `For a ${move.take} one from the pouch`,
    place: `pouch:${move.take}`,
  };
  return [given(move, scene), take];
}

/** @type {(move: any, scene: Scene) => Choice[]} */
function smuggler(move, scene) {
  const take = {
    key: `take:${move.take}`,
    text: `Take a ${move.take} brick`,
    place: `storehouse:${move.target}:${move.take}`,
  };
  return [target(move, scene, "Trade with"), take, given(move, scene)];
}

/** @type {(move: any, scene: Scene) => Choice[]} */
function saboteur(move, scene) {
  const tower = towerNamed(scene.view, move.target, move.tower);
  const brick = {
    key: `tower:${move.tower}`,
    text: `A brick of the ${tower}`,
    place: `tower:${move.target}:${move.tower}`,
  };
  return [target(move, scene, "Sabotage"), brick];
}

/** @type {(move: any, scene: Scene) => Choice[]} */
function patrician(move, scene) {
  const place = `hand:${mover(scene)}:${move.discard}`;
  return [{ key: `discard:${move.discard}`, text: `Discard ${titleOf(move.discard)}`, place }];
}

/** @type {(move: any, scene: Scene) => Choice[]} */
function wholesaler(move, { view }) {
  const text = `Draw the bricks on ${cardOfRow(view, move.slot)} anew`;
  return [{ key: `slot:${move.slot}`, text, place: `slot:${move.slot}` }];
}

/** @type {(move: any, scene: Scene) => Choice[]} */
function architect(move, scene) {
  if (move.tower === undefined) {
    return [{ key: "any", text: "For the first delivery that is one level off" }];
  }

  const seat = mover(scene);
  const tower = towerOf(scene.view, seat, move.tower);
  const bound = {
    key: `tower:${move.tower}`,
    text: `Only for the ${towerNamed(scene.view, seat, move.tower)}`,
    place: `tower:${seat}:${move.tower}`,
  };
  const height = tower.height + move.by;
  const level = { key: `by:${move.by}`, text: `It also counts as ${height} high` };
  return [bound, level];
}

/** @param {any} move @param {Scene} scene @returns {Choice} */
function given(move, scene) {
  const place = `storehouse:${mover(scene)}:${move.give}`;
  return { key: `give:${move.give}`, text: `Give a ${move.give} brick`, place };
}

/** @param {any} move @param {Scene} scene @param {string} verb @returns {Choice} */
function target(move, scene, verb) {
  const text = `${verb} ${nameOf(scene, move.target)}`;
  return { key: `target:${move.target}`, text, place: `player:${move.target}` };
}
