// One list of matches, a page of it at a time, and how the page is drawn.

import { html, nothing } from "../base/dom.js";
import { recall } from "../base/memory.js";
import { drawMatch } from "./match_card.js";
import { readPage } from "./reading.js";

/** @import { Api } from "../base/api.js" */
/** @import { Game, Page, Summary } from "./types.d.ts" */

const LIMIT = 10;

export class MatchList {
  /** @type {Page | null} */ page = null;
  /** @type {(string | null)[]} */
  cursors = [null];

  /** @param {string} status @param {string} title @param {string} none */
  constructor(status, title, none) {
    this.status = status;
    this.title = title;
    this.none = none;
  }

  /** Read the page that is shown, if it has changed. @param {Api} api @param {string} game */
  async refresh(api, game) {
    const cursor = this.cursors.at(-1);
    const query = { status: this.status, game: game || null, limit: LIMIT, cursor };
    const page = await readPage(api, query, this.page?.etag ?? null);
    if (page && cursor === this.cursors.at(-1)) this.page = page;
  }

  reset() {
    this.page = null;
    this.cursors = [null];
  }
}

/** @param {MatchList} list @param {Game[]} games @param {(match: Summary) => void} join */
export function drawPage({ page, none }, games, join) {
  if (page === null) return html`<p class="muted">One moment …</p>`;
  if (page.matches.length === 0) return html`<p class="muted">${none}</p>`;

  const cards = page.matches.map((match) => {
    const controls = hasOpenSeat(match) ? drawJoin(match, join) : nothing;
    return drawMatch(match, games, { own: ownSeats(match.id), controls });
  });
  return html`<ul class="lobby-matches">${cards}</ul>`;
}

/** @param {string} match */
export function ownSeats(match) {
  const holders = Object.keys(recall(match)?.tokens ?? {});
  const seats = holders.filter((holder) => holder.startsWith("seat:"));
  return seats.map((holder) => Number(holder.slice("seat:".length)));
}

/** @param {Summary} match */
function hasOpenSeat({ status, seats }) {
  return status === "open" && seats.some(({ kind }) => kind === "open");
}

/** @param {Summary} match @param {(match: Summary) => void} join */
function drawJoin(match, join) {
  return html`
    <button type="button" class="primary" @click=${() => join(match)}>Take a seat …</button>`;
}
