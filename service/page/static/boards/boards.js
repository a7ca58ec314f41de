// Which board draws a game: its own module, or the plain board for every other game.

import { board as plainBoard } from "./plain.js";

/** @import { Board } from "./types.d.ts" */

// The games that have a board of their own, at boards/GAME/board.js.
const DRAWN = ["calimala", "firenze"];

// Return the board of a game. The plain board stands in for a module that cannot be loaded, so that
// a match can always be played.
/** @param {string} game @param {boolean} [plain] @returns {Promise<Board>} */
export async function boardOf(game, plain = plainIsWanted()) {
  if (plain || !DRAWN.includes(game)) return plainBoard;

  try {
    const module = await import(`./${game}/board.js`);
    return module.board;
  } catch (error) {
    console.error(`The board of ${game} could not be loaded.`, error);
    return plainBoard;
  }
}

function plainIsWanted() {
  const query = new URLSearchParams(globalThis.location?.search ?? "");
  return query.get("board") === "plain";
}
