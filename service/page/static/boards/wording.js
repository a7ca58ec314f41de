/** Whole moves in words: those that the play panel uses for the choices of a move. */

import { capital } from "../base/words.js";
import { board as plainBoard } from "./plain.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./board.js").Scene} Scene */

/**
 * Return some moves of one position in words, each with a text of its own.
 *
 * @param {any[]} moves
 * @param {Board} board
 * @param {Scene} scene
 * @returns {string[]} such as "Onto Wood/Ship, white disc"
 */
export function movesInWords(moves, board, scene) {
  const texts = moves.map((move) => inWords(move, board, scene));

  return texts.map((text, index) => {
    const isAlone = texts.indexOf(text) === texts.lastIndexOf(text);
    return isAlone ? text : `${text}; ${inWords(moves[index], plainBoard, scene)}`;
  });
}

/**
 * @param {any} move
 * @param {Board} board
 * @param {Scene} scene
 * @returns {string}
 */
function inWords(move, board, scene) {
  const words = board.words?.(move, scene) ?? board.choices(move, scene).map(({ text }) => text);
  const [first = "", ...others] = words;
  return [capital(first), ...others.map(small)].join(", ");
}

/** @param {string} text @returns {string} */
function small(text) {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Return how likely a bot thinks that a seat wins after a move.
 *
 * @param {number | null} chance 0 to 1; null: the bot weighed no other move
 * @returns {string} such as "wins about 43 %"
 */
export function chanceInWords(chance) {
  if (chance === null) return "no other move was weighed";
  return `wins about ${Math.round(chance * 100)}\u00a0%`;
}
