/** One list of matches, a page of it at a time, and how the page is drawn. */

import { html, nothing } from "../base/dom.js";
import { recall } from "../base/memory.js";
import { drawMatch } from "./match_card.js";
import { readPage } from "./reading.js";

/** @typedef {import("../base/api.js").Api} Api */
/** @typedef {import("../base/dom.js").Template} Template */
/** @typedef {import("./opening.js").Game} Game */
/** @typedef {import("./reading.js").Page} Page */
/** @typedef {import("./reading.js").Summary} Summary */

/** How many matches are on a page. */
const LIMIT = 10;

/** The matches of one status, one page of them at a time. */
export class MatchList {
  /** @type {Page | null} */ page = null;
  /** The cursors of the newer pages and of this one; null is the newest page's.
   * @type {(string | null)[]} */
  cursors = [null];

  /** @param {string} status @param {string} title @param {string} none */
  constructor(status, title, none) {
    this.status = status;
    this.title = title;
    this.none = none;
  }

  /**
   * Read the page that is shown, if it has changed.
   *
   * @param {Api} api
   * @param {string} game "" for all
   */
  async refresh(api, game) {
    const cursor = this.cursors.at(-1);
    const query = { status: this.status, game: game || null, limit: LIMIT, cursor };
    const page = await readPage(api, query, this.page?.etag ?? null);
    if (page && cursor === this.cursors.at(-1)) this.page = page;
  }

  /** Show the newest page again, not knowing what is on it. */
  reset() {
    this.page = null;
    this.cursors = [null];
  }
}

/**
 * Draw the page of a list that is shown.
 *
 * @param {MatchList} list
 * @param {Game[]} games
 * @param {(match: Summary) => void} join what the button for open seats does
 * @returns {Template}
 */
export function drawPage({ page, none }, games, join) {
  if (page === null) return html`<p class="muted">One moment …</p>`;
  if (page.matches.length === 0) return html`<p class="muted">${none}</p>`;

  const cards = page.matches.map((match) => {
    const controls = hasOpenSeat(match) ? drawJoin(match, join) : nothing;
    return drawMatch(match, games, { own: ownSeats(match.id), controls });
  });
  return html`<ul class="lobby-matches">${cards}</ul>`;
}

/**
 * Return the seats of a match whose tokens this browser remembers.
 *
 * @param {string} match
 * @returns {number[]}
 */
export function ownSeats(match) {
  const holders = Object.keys(recall(match)?.tokens ?? {});
  const seats = holders.filter((holder) => holder.startsWith("seat:"));
  return seats.map((holder) => Number(holder.slice("seat:".length)));
}

/** @param {Summary} match */
function hasOpenSeat({ status, seats }) {
  return status === "open" && seats.some(({ kind }) => kind === "open");
}

/**
 * @param {Summary} match
 * @param {(match: Summary) => void} join
 * @returns {Template}
 */
function drawJoin(match, join) {
  return html`
    <button type="button" class="primary" @click=${() => join(match)}>Take a seat …</button>`;
}
