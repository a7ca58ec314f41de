/** The public matches: with open seats, being played, ended. Each list has pages of its own. */

import { html, nothing } from "../base/dom.js";
import { recall } from "../base/memory.js";
import { problemBox } from "../base/page.js";
import { drawMatch } from "./match_card.js";
import { readPage } from "./reading.js";

/** @typedef {import("../base/api.js").Api} Api */
/** @typedef {import("../base/dom.js").Template} Template */
/** @typedef {import("./opening.js").Game} Game */
/** @typedef {import("./reading.js").Page} Page */
/** @typedef {import("./reading.js").Summary} Summary */

/** How many matches are on a page. */
const LIMIT = 10;

/** The lists in their order, by status. */
const LISTS = [
  { status: "open", title: "Open seats", none: "No match has an open seat. Open one yourself." },
  { status: "running", title: "Being played", none: "Nobody is playing in public right now." },
  {
    status: "finished",
    title: "Finished",
    none: "No public match has been played to its end yet.",
  },
  { status: "aborted", title: "Ended without a result", none: "No public match was given up." },
];

/** The matches of one status, one page of them at a time. */
class MatchList {
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

/** All lists, with the filters that say which are shown. */
export class MatchLists {
  /** The game's key, "" for all. */
  game = "";
  /** The status, "" for all that are worth a list. */
  status = "";

  /** @type {Api} */ #api;
  /** @type {() => void} */ #changed;
  /** @type {unknown} */ #problem = null;
  #lists = LISTS.map(({ status, title, none }) => new MatchList(status, title, none));

  /**
   * @param {Api} api
   * @param {() => void} changed
   */
  constructor(api, changed) {
    this.#api = api;
    this.#changed = changed;
  }

  /** Read what is shown, as far as it has changed. */
  async refresh() {
    const { game } = this;
    try {
      await Promise.all(this.#shown().map((list) => list.refresh(this.#api, game)));
      this.#problem = null;
    } catch (failure) {
      this.#problem = failure;
    }
  }

  /** @param {{ game?: string, status?: string }} filters */
  async filter({ game = this.game, status = this.status }) {
    this.game = game;
    this.status = status;
    for (const list of this.#lists) list.reset();
    await this.#readAgain();
  }

  /**
   * Draw the lists.
   *
   * @param {Game[]} games
   * @param {(match: Summary) => void} join
   * @returns {Template}
   */
  draw(games, join) {
    return html`
      ${this.#problem ? problemBox(this.#problem) : nothing}
      ${this.#shown().map((list) => this.#drawList(list, games, join))}
    `;
  }

  /** @returns {MatchList[]} */
  #shown() {
    if (this.status) return this.#lists.filter(({ status }) => status === this.status);
    return this.#lists.filter(({ status }) => status !== "aborted");
  }

  async #readAgain() {
    this.#changed();
    await this.refresh();
    this.#changed();
  }

  /**
   * @param {MatchList} list
   * @param {Game[]} games
   * @param {(match: Summary) => void} join
   * @returns {Template}
   */
  #drawList(list, games, join) {
    const heading = `lobby-list-${list.status}`;
    return html`
      <section aria-labelledby=${heading}>
        <h2 id=${heading}>${list.title}</h2>
        ${drawPage(list, games, join)}
        ${this.#drawPager(list)}
      </section>
    `;
  }

  /**
   * @param {MatchList} list
   * @returns {Template | typeof nothing}
   */
  #drawPager(list) {
    const isNewest = list.cursors.length === 1;
    const next = list.page?.next ?? null;
    if (isNewest && next === null) return nothing;

    const older = () => this.#turn(list, [...list.cursors, next]);
    const newer = () => this.#turn(list, list.cursors.slice(0, -1));
    return html`
      <nav class="row lobby-pager" aria-label="Pages: ${list.title}">
        <button type="button" ?disabled=${isNewest} @click=${newer}>Newer</button>
        <span class="muted">Page ${list.cursors.length}</span>
        <button type="button" ?disabled=${next === null} @click=${older}>Older</button>
      </nav>
    `;
  }

  /**
   * @param {MatchList} list
   * @param {(string | null)[]} cursors
   */
  #turn(list, cursors) {
    list.cursors = cursors;
    list.page = null;
    this.#readAgain();
  }
}

/**
 * Draw the filters of the lists.
 *
 * @param {MatchLists} lists
 * @param {Game[]} games
 * @returns {Template}
 */
export function drawFilters(lists, games) {
  const onGame = (/** @type {Event} */ event) => lists.filter({ game: fieldValue(event) });
  const onStatus = (/** @type {Event} */ event) => lists.filter({ status: fieldValue(event) });

  return html`
    <div class="lobby-filters" role="search" aria-label="Public matches">
      <div class="field">
        <label for="lobby-game">Game</label>
        <select id="lobby-game" @change=${onGame}>
          <option value="">All games</option>
          ${games.map(({ key, title }) => html`<option value=${key}>${title}</option>`)}
        </select>
      </div>
      <div class="field">
        <label for="lobby-status">Matches</label>
        <select id="lobby-status" @change=${onStatus}>
          <option value="">All but those given up</option>
          ${LISTS.map(({ status, title }) => html`<option value=${status}>${title}</option>`)}
        </select>
      </div>
    </div>
  `;
}

/**
 * @param {MatchList} list
 * @param {Game[]} games
 * @param {(match: Summary) => void} join
 * @returns {Template}
 */
function drawPage({ page, none }, games, join) {
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

/** @param {Event} event @returns {string} */
function fieldValue(event) {
  return /** @type {HTMLSelectElement} */ (event.target).value;
}
