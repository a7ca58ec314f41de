// Another course of a match that is over, from one of its versions: each seat moves in its turn. The
// thoughts of a bot are shown beside the first move.

import { html, nothing } from "../base/dom.js";
import { problemBox } from "../base/page.js";
import { chanceInWords, movesInWords } from "../boards/board.js";
import { Thoughts } from "../table/aside.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { Ending } from "../play/types.d.ts" */
/** @import { Trying } from "../play/trying.js" */
/** @import { Thought } from "../table/types.d.ts" */

/** @implements {Ending} */
export class Branch {
  mark = "Tried, never played";
  isBusy = false;
  isOver = false;

  /** A bot's thoughts where the branch begins. null: none. @type {Thought | null} */
  #thought = null;
  /** @type {unknown} */ #problem = null;
  #isAsked = false;
  #thoughts;

  /** @param {Api} api @param {Match} match */
  constructor(api, match) {
    this.#thoughts = new Thoughts(api, match.match);
  }

  /** @param {Trying} trying */
  title({ mover, seats, choosing, line, isAsking }) {
    if (isAsking && !line.now) return "One moment";
    if (mover === null) return line.now ? "The game is over here" : "One moment";
    const name = seats[mover]?.name ?? "A seat";
    if (choosing?.draft) return `${name}: put the move together`;
    return `${name}: ${line.moves.length > 0 ? "what next?" : "what instead?"}`;
  }

  /** @param {Trying} trying */
  drawTop(trying) {
    const { line } = trying;
    if (!this.#isAsked) this.#ask(trying);
    if (line.moves.length === 0) return this.#drawWeighed(trying);
    return html`<p class="play-hint muted">
      From version ${line.version} on. No bot has weighed moves that were never played.
    </p>`;
  }

  /** @param {Trying} trying */
  drawEnd(trying) {
    return html`<button
      type="button"
      class=${trying.waiting ? nothing : "primary"}
      @click=${() => trying.leave()}
    >
      Back to the match
    </button>`;
  }

  confirm() {
    return false;
  }

  /** @param {Trying} trying */
  async #ask(trying) {
    this.#isAsked = true;
    try {
      this.#thought = await this.#thoughts.of(trying.line.version + 1);
    } catch (problem) {
      this.#problem = problem;
    }
    trying.changed();
  }

  /** @param {Trying} trying */
  #drawWeighed(trying) {
    if (this.#problem) return problemBox(this.#problem);
    const thought = this.#thought;
    if (!thought || thought.seat !== trying.mover) {
      return html`<p class="play-hint muted">
        You move for every seat. The match stays as it was. No bot weighed a move here.
      </p>`;
    }

    const { seat, level, best } = thought;
    const moves = best.map(({ move }) => move);
    const texts = movesInWords(moves, trying.parts.board, trying.scene());
    const lines = best.map(({ move, win_chance: chance }, index) => {
      return html`<li>
        <button type="button" class="play-advised" @click=${() => trying.take(move)}>
          <span>${texts[index]}</span>
          <small class="numbers">${index === 0 ? "made, " : ""}${chanceInWords(chance)}</small>
        </button>
      </li>`;
    });
    return html`<section class="play-advice" aria-labelledby="play-advice-title">
      <h3 id="play-advice-title">Moves weighed here by ${trying.seats[seat]?.name} (${level})</h3>
      <ol>${lines}</ol>
    </section>`;
  }
}
