// The public matches: with open seats, being played, ended. Each list has pages of its own.

import { cursorOf } from "../base/api.js";
import { fieldOf, html, nothing } from "../base/dom.js";
import { paths } from "../base/home.js";
import { problemBox } from "../base/page.js";
import { heldSeats } from "../base/tokens.js";
import { drawMatch } from "./match_card.js";

/** @import { Api } from "../base/api.js" */
/** @import { Query } from "../base/types.d.ts" */
/** @import { Game, Page, Summary } from "./types.d.ts" */

const LISTS = [
  { status: "open", title: "Open seats", none: "No match has an open seat. Open one yourself." },
  { status: "running", title: "Being played", none: "Nobody is playing in public right now." },
  {
    status: "ended",
    title: "Ended",
    none: "No public match has been played to its end yet.",
  },
  { status: "aborted", title: "Ended without a result", none: "No public match was given up." },
];

export class MatchLists {
  game = "";
  status = "";

  #api;
  #changed;
  /** @type {unknown} */ #problem = null;
  all = LISTS.map(({ status, title, none }) => new MatchList(status, title, none));

  /** @param {Api} api @param {() => void} changed */
  constructor(api, changed) {
    this.#api = api;
    this.#changed = changed;
  }

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
    for (const list of this.all) list.reset();
    await this.#readAgain();
  }

  /** @param {Game[]} games @param {(match: Summary) => void} join */
  draw(games, join) {
    return html`
      ${this.#problem ? problemBox(this.#problem) : nothing}
      ${this.#shown().map((list) => this.#drawList(list, games, join))}
    `;
  }

  /** @returns {MatchList[]} */
  #shown() {
    if (this.status) return this.all.filter(({ status }) => status === this.status);
    return this.all.filter(({ status }) => status !== "aborted");
  }

  async #readAgain() {
    this.#changed();
    await this.refresh();
    this.#changed();
  }

  /** @param {MatchList} list @param {Game[]} games @param {(match: Summary) => void} join */
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

  /** @param {MatchList} list */
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

  /** @param {MatchList} list @param {(string | null)[]} cursors */
  #turn(list, cursors) {
    list.cursors = cursors;
    list.page = null;
    this.#readAgain();
  }
}

// ---- one list of matches, a page of it at a time, and how the page is drawn ---------------------

const LIMIT = 10;

class MatchList {
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
function drawPage({ page, none }, games, join) {
  if (page === null) return html`<p class="muted">One moment …</p>`;
  if (page.matches.length === 0) return html`<p class="muted">${none}</p>`;

  const cards = page.matches.map((match) => {
    const own = heldSeats(match.match);
    const controls = hasFreeSeat(match) && own.length === 0 ? drawJoin(match, join) : nothing;
    return drawMatch(match, games, { own, controls });
  });
  return html`<ul class="lobby-matches">${cards}</ul>`;
}

// Whether anybody may take a seat: those of a rematch are kept for who played before (M20).
/** @param {Summary} match */
function hasFreeSeat({ status, seats, rematch_of: before }) {
  return status === "open" && !before && seats.some(({ kind }) => kind === "open");
}

/** @param {Summary} match @param {(match: Summary) => void} join */
function drawJoin(match, join) {
  return html`
    <button type="button" class="primary" @click=${() => join(match)}>Take a seat …</button>`;
}

// ---- which of the public matches are shown ------------------------------------------------------

/** @param {MatchLists} lists @param {Game[]} games */
export function drawFilters(lists, games) {
  const onGame = (/** @type {Event} */ event) => lists.filter({ game: fieldOf(event).value });
  const onStatus = (/** @type {Event} */ event) => lists.filter({ status: fieldOf(event).value });

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
          ${lists.all.map(({ status, title }) => html`<option value=${status}>${title}</option>`)}
        </select>
      </div>
    </div>
  `;
}

// ---- reading lists of matches, page by page -----------------------------------------------------

/**
 * @param {Api} api @param {Query} query @param {string | null} etag
 * @returns {Promise<Page | null>} null: nothing has changed
 */
async function readPage(api, query, etag) {
  /** @type {Record<string, string>} */
  const headers = etag ? { "If-None-Match": etag } : {};
  const response = await api.send("GET", paths.matches(), { query, headers });
  if (response.status === 304) return null;

  const { matches, next } = await response.json();
  return { matches, next: cursorOf(next), etag: response.headers.get("ETag") };
}
