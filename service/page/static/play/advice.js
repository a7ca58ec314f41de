/**
 * What a strong bot would do in the reader's place, in the play panel. Only matches with advice (M14)
 * load this module.
 */

import { announce } from "../base/page.js";
import { chanceInWords, movesInWords } from "../boards/wording.js";
import { drawAdvice, drawAsk, focusAdvice } from "./advice_box.js";
import { Advising } from "./advising.js";
import { isSameMove } from "./paths.js";

/** @typedef {import("../base/api.js").Api} Api */
/** @typedef {import("../base/dom.js").Template} Template */
/** @typedef {import("../boards/board.js").Board} Board */
/** @typedef {import("../boards/board.js").Scene} Scene */

/**
 * What the advice is about.
 *
 * @typedef {object} Position
 * @property {any} match the answer of GET /matches/{id}
 * @property {number} version
 * @property {Scene} scene
 * @property {any} chosen the move that is chosen now, or null
 */

/**
 * @typedef {object} Drawn
 * @property {Template | typeof import("../base/dom.js").nothing} button for the head of the panel
 * @property {Template | typeof import("../base/dom.js").nothing} answer for its body
 */

/**
 * @typedef {object} Parts
 * @property {Api} api with the token of the seat
 * @property {Board} board
 * @property {() => void} changed called when what is drawn has changed
 * @property {(move: any) => void} take choose a move that was advised
 */

/** The advice of one reader at one match. */
export class Advice {
  #advising;

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    this.#advising = new Advising(parts.api);
  }

  /** Forget what was advised: the match has moved on. */
  stop() {
    this.#advising.stop();
  }

  /**
   * Draw the button that asks, and what was advised.
   *
   * @param {Position} position
   * @returns {Drawn}
   */
  draw(position) {
    const { state, best, problem } = this.#advising;
    const texts = this.#texts(position);
    const lines = best.map(({ move, win_chance: chance }, index) => ({
      text: texts[index] ?? "",
      chance: chanceInWords(chance),
      isPicked: isSameMove(move, position.chosen),
      pick: () => this.parts.take(move),
    }));

    return {
      button: drawAsk(state, () => this.#ask(position)),
      answer: drawAdvice({ state, lines, problem }, position.match.game),
    };
  }

  /** @param {Position} position */
  async #ask(position) {
    const asked = this.#advising.ask(position.match.id, position.version);
    announce("A bot thinks about it.");
    this.parts.changed();

    const isNews = await asked;
    if (!isNews) return;

    const { best } = this.#advising;
    const texts = this.#texts(position);
    const told = best.map(({ win_chance: chance }, index) => {
      return `${texts[index]}: ${chanceInWords(chance)}.`;
    });
    announce(told.join(" "));
    focusAdvice();
    this.parts.changed();
  }

  /** @param {Position} position @returns {string[]} the moves that were advised, in words */
  #texts({ scene }) {
    const moves = this.#advising.best.map(({ move }) => move);
    return movesInWords(moves, this.parts.board, scene);
  }
}
