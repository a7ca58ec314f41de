// Names and numbers of a match as people say them.

/** @import { Player, Table, View } from "./types.d.ts" */

import { colourOf } from "../../base/words.js";

export { listed as joined } from "../../base/words.js";

/** @param {Table} scene @param {number} seat */
export function nameOf(scene, seat) {
  return scene.seats[seat]?.name ?? colourOf(seat);
}

// Return the seat whose moves are chosen: the reader's, else the seat at turn.
/** @param {Table} scene */
export function mover(scene) {
  return scene.reader ?? scene.view.active;
}

/** @param {View} view @param {number} seat */
export function playerOf(view, seat) {
  return /** @type {Player} */ (view.players[seat]);
}

/** @param {View} view @param {number} seat @param {number} number */
export function towerOf(view, seat, number) {
  return playerOf(view, seat).towers.find((tower) => tower.tower === number);
}

/** @param {{colour: string, height: number}} tower */
export function towerInWords(tower) {
  return `${tower.colour} tower of ${levels(tower.height)}`;
}

/**
 * @param {View} view @param {number} seat @param {number} number
 * @returns {string} such as "red tower of 4 levels", with its number "red tower no. 3 of 4 levels"
 */
export function towerNamed(view, seat, number) {
  const tower = towerOf(view, seat, number);
  if (tower === undefined) return `tower no. ${number}`;
  const alike = playerOf(view, seat).towers.filter((other) => {
    return other.colour === tower.colour && other.height === tower.height;
  });
  if (alike.length < 2) return towerInWords(tower);
  return `${tower.colour} tower no. ${number} of ${levels(tower.height)}`;
}

/** @param {number} height */
export function levels(height) {
  return height === 1 ? "1 level" : `${height} levels`;
}

/** @param {number} count */
export function points(count) {
  return count === 1 ? "1 point" : `${count} points`;
}
