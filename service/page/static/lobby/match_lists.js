// The public matches: with open seats, being played, ended. Each list has pages of its own.

import { html, nothing } from "../base/dom.js";
import { problemBox } from "../base/page.js";
import { drawPage, MatchList } from "./match_list.js";

/** @import { Api } from "../base/api.js" */
/** @import { Game, Summary } from "./types.d.ts" */

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

export class MatchLists {
  game = "";
  status = "";

  /** @type {Api} */ #api;
  /** @type {() => void} */ #changed;
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
