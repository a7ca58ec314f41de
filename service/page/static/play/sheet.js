// The head of the play panel. On narrow screens the panel lies over the board like a sheet: there
// it can be folded, and shows what it speaks of on the board behind it.

import { html, nothing } from "../base/dom.js";

/** @import { Template } from "../base/types.d.ts" */

// What is marked on the board: what would change comes before what can be picked.
const MARKED = [".replay-previewed .place.changed", ".place.target", ".place.picked"];

// What titles begin with, which a small screen has no room for.
const YOURS = "Your turn: ";

const CALM = window.matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @param {string} title @param {{ isTurn: boolean, isFolded: boolean, fold: () => void }} sheet
 * @param {Template | typeof nothing} more
 */
export function drawHead(title, { isTurn, isFolded, fold }, more) {
  const ways = html`
    <div class="play-ways">
      <button type="button" class="quiet" @click=${showOnBoard}>
        Show<span class="unseen"> on the board</span>
      </button>
      <button
        type="button"
        class="quiet"
        aria-label="The whole panel"
        aria-expanded=${isFolded ? "false" : "true"}
        @click=${fold}
      >
        <svg class="play-arrow" viewBox="0 0 20 20" aria-hidden="true"><path d="M4 7l6 6 6-6"></path></svg>
      </button>
    </div>`;
  const whose = title.startsWith(YOURS) ? YOURS : "";
  return html`
    <div class="play-head">
      <h2 id="play-title" tabindex="-1">
        <span class="play-whose">${whose}</span>${title.slice(whose.length)}
      </h2>
      ${more} ${isTurn ? ways : nothing}
    </div>`;
}

// Scroll to the next marked place of the board that is out of sight or behind the panel.
function showOnBoard() {
  const board = document.querySelector(".replay-board");
  const panel = document.querySelector(".play-panel");
  if (!board || !panel) return;

  const top = 0;
  const bottom = Math.min(panel.getBoundingClientRect().top, window.innerHeight);
  const found = MARKED.map((marked) => [...board.querySelectorAll(marked)]);
  const places = found.find((elements) => elements.length > 0) ?? [];
  const boxes = places.map((element) => element.getBoundingClientRect());
  const hidden = boxes.filter((box) => box.top < top || box.bottom > bottom);
  const next = hidden.find((box) => box.bottom > bottom) ?? hidden[0];
  if (!next) return;

  const middle = (top + bottom) / 2;
  const behavior = CALM.matches ? "auto" : "smooth";
  window.scrollBy({ top: (next.top + next.bottom) / 2 - middle, behavior });
}
