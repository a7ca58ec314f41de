// Whole moves in words, as a board chooses them.

import { capital } from "../base/words.js";
import { board as plainBoard } from "./plain.js";

/** @import { Board, Move, Scene } from "./types.d.ts" */

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
