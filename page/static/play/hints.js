// The hints of a first match: how a move is chosen, looked at and made, where the rules are, and how
// to look back. Each is shown when there is something to try it on.

import { html } from "../base/dom.js";
import { write } from "../base/storage.js";

/** @import { Hint, HintsParts, HintsNow } from "./types.d.ts" */

const TOUCH = window.matchMedia("(pointer: coarse)");

/** @type {Hint[]} in their order */
const HINTS = [
  {
    text: () => {
      const keys = TOUCH.matches ? "" : ", by the keys 1 to 9,";
      return `Choose here${keys} or on the board, where there is a blue frame.`;
    },
    fits: ({ isReady, isAhead }) => isReady && !isAhead,
    isPast: ({ isAhead, isSent }) => isAhead || isSent,
  },
  {
    text: () => "Nothing is moved yet: you see what would change. Make the move, or go back.",
    fits: ({ isAhead }) => isAhead,
    isPast: ({ isSent }) => isSent,
  },
  {
    text: ({ game, hasAdvice }) => {
      const rule = game === "firenze" ? "F14" : "C16";
      const advice = hasAdvice ? " Advice asks a strong bot what it would do." : "";
      return `Underlined names, and numbers such as ${rule}, open their rule; your choices stay.${advice}`;
    },
    fits: ({ isReady, isAhead }) => isReady && !isAhead,
    isPast: () => false,
  },
  {
    text: () =>
      "The story tells what everybody did. Its sentences and the slider show the board as it was then.",
    fits: () => true,
    isPast: () => false,
  },
];

export class Hints {
  #at;
  #isMoved;

  /** @param {HintsParts} parts */
  constructor(parts) {
    this.parts = parts;
    this.#at = parts.at;
    this.#isMoved = parts.isMoved;
  }

  // Leave out the hints that were followed, and remember in which match the first move was made.
  /** @param {HintsNow} now */
  follow(now) {
    const before = this.#at;
    while (HINTS[this.#at]?.isPast(now)) this.#at += 1;
    const isFirstMove = now.isSent && !this.#isMoved;
    this.#isMoved ||= now.isSent;
    if (this.#at !== before || isFirstMove) this.#keep();
  }

  /** @param {HintsNow} now */
  draw(now) {
    const hint = HINTS[this.#at];
    if (!hint?.fits(now)) return html``;
    return html`
      <div class="play-tip" role="note" aria-label="Hint ${this.#at + 1} of ${HINTS.length}">
        <p>${hint.text(now)}</p>
        <div class="row">
          <button type="button" @click=${() => this.#goTo(this.#at + 1)}>Got it</button>
          <button type="button" class="quiet" @click=${() => this.#goTo(HINTS.length)}>
            No more hints
          </button>
          <small>${this.#at + 1} of ${HINTS.length}</small>
        </div>
      </div>`;
  }

  /** @param {number} at */
  #goTo(at) {
    this.#at = at;
    this.#keep();
    this.parts.closed();
  }

  #keep() {
    const { key, match } = this.parts;
    if (this.#at >= HINTS.length) write(key, "off");
    else write(key, `${this.#isMoved ? match : ""}/${this.#at}`);
  }
}
