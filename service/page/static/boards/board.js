// What a board is: a module that draws one game from its view, and names what can be clicked. A
// place is a part of the board that has a name of its own, such as "street:0-1". It stands in the
// drawing as the attribute `data-place`, on one element, which has a text for screen readers.

import { capital } from "../base/words.js";
import { board as plainBoard } from "./plain.js";

/** @import { Board, Move, Scene } from "./types.d.ts" */

/** @param {Board} board @param {object} before @param {object} after */
export function changedPlaces(board, before, after) {
  const old = looksOf(board, before);
  const changed = new Set();
  for (const [place, look] of looksOf(board, after)) {
    if (old.get(place) !== look) changed.add(place);
  }
  return changed;
}

/**
 * @type {WeakMap<object, Map<string, string>>} by view: whoever steps on needs each view's twice
 */
const knownLooks = new WeakMap();

/** @param {Board} board @param {object} view */
function looksOf(board, view) {
  let looks = knownLooks.get(view);
  if (!looks) {
    looks = board.looks(view);
    knownLooks.set(view, looks);
  }
  return looks;
}

// ---- whole moves in words -----------------------------------------------------------------------

/**
 * @param {Move[]} moves @param {Board} board @param {Scene} scene
 * @returns {string[]} such as "Onto Wood/Ship, white disc"
 */
export function movesInWords(moves, board, scene) {
  const texts = moves.map((move) => inWords(move, board, scene));

  return moves.map((move, index) => {
    const text = texts[index] ?? "";
    const isAlone = texts.indexOf(text) === texts.lastIndexOf(text);
    return isAlone ? text : `${text}; ${inWords(move, plainBoard, scene)}`;
  });
}

/** @param {Move} move @param {Board} board @param {Scene} scene */
function inWords(move, board, scene) {
  const words = board.words?.(move, scene) ?? board.choices(move, scene).map(({ text }) => text);
  const [first = "", ...others] = words;
  return [capital(first), ...others.map(small)].join(", ");
}

/** @param {string} text */
function small(text) {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** @param {number | null} chance */
export function chanceInWords(chance) {
  if (chance === null) return "no other move was weighed";
  return `wins about ${Math.round(chance * 100)}\u00a0%`;
}
