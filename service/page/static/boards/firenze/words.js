/** Names and numbers of a match as people say them. */

/** @typedef {import("../board.js").Scene} Scene */

/**
 * Return what a seat is called.
 *
 * @param {Scene} scene
 * @param {number} seat
 * @returns {string}
 */
export function nameOf(scene, seat) {
  return scene.seats[seat]?.name ?? `Seat ${seat}`;
}

/**
 * Return the seat whose moves are chosen: the reader's, else the seat at turn.
 *
 * @param {Scene} scene
 * @returns {number}
 */
export function mover(scene) {
  return scene.reader ?? scene.view.active;
}

/**
 * Return the player of a seat.
 *
 * @param {any} view
 * @param {number} seat
 * @returns {any}
 */
export function playerOf(view, seat) {
  return view.players[seat];
}

/**
 * Return a tower of a seat, undefined if there is none of this number.
 *
 * @param {any} view
 * @param {number} seat
 * @param {number} number
 * @returns {any}
 */
export function towerOf(view, seat, number) {
  return playerOf(view, seat).towers.find((/** @type {any} */ tower) => tower.tower === number);
}

/**
 * Return a tower as people say it: "red tower of 4 levels".
 *
 * @param {{colour: string, height: number}} tower
 * @returns {string}
 */
export function towerInWords(tower) {
  return `${tower.colour} tower of ${levels(tower.height)}`;
}

/**
 * Return a tower of a seat in words, with its number if the seat has another one like it.
 *
 * @param {any} view
 * @param {number} seat
 * @param {number} number
 * @returns {string} such as "red tower of 4 levels", with its number "red tower no. 3 of 4 levels"
 */
export function towerNamed(view, seat, number) {
  const tower = towerOf(view, seat, number);
  if (tower === undefined) return `tower no. ${number}`;
  const alike = playerOf(view, seat).towers.filter((/** @type {any} */ other) => {
    return other.colour === tower.colour && other.height === tower.height;
  });
  if (alike.length < 2) return towerInWords(tower);
  return `${tower.colour} tower no. ${number} of ${levels(tower.height)}`;
}

/**
 * Return a height as people say it: "1 level", "4 levels".
 *
 * @param {number} height
 * @returns {string}
 */
export function levels(height) {
  return height === 1 ? "1 level" : `${height} levels`;
}

/**
 * Return points as people say them: "1 point", "-2 points".
 *
 * @param {number} count
 * @returns {string}
 */
export function points(count) {
  return count === 1 ? "1 point" : `${count} points`;
}

/**
 * Return words as a list: "a, b and c".
 *
 * @param {string[]} words
 * @returns {string}
 */
export function joined(words) {
  const last = words.at(-1) ?? "";
  if (words.length < 2) return last;
  return `${words.slice(0, -1).join(", ")} and ${last}`;
}

/**
 * Return a text with its first letter as a capital.
 *
 * @param {string} text
 * @returns {string}
 */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
