// What a strong bot would do in the reader's place, in the play panel. Only matches with advice
// (M14) load this module.

import { announce } from "../base/page.js";
import { chanceInWords, movesInWords } from "../boards/wording.js";
import { drawAdvice, drawAsk, focusAdvice } from "./advice_box.js";
import { Advising } from "./advising.js";
import { isSameMove } from "./paths.js";

/** @import { AdviceParts, Drawn, Position } from "./types.d.ts" */

export class Advice {
  #advising;

  /** @param {AdviceParts} parts */
  constructor(parts) {
    this.parts = parts;
    this.#advising = new Advising(parts.api);
  }

  stop() {
    this.#advising.stop();
  }

  /** @param {Position} position @returns {Drawn} */
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

  /** @param {Position} position */
  #texts({ scene }) {
    const moves = this.#advising.best.map(({ move }) => move);
    return movesInWords(moves, this.parts.board, scene);
  }
}
