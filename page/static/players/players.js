// The ladder of a game, or the page of one player, by the address.

import { Api, cursorOf, Problem } from "../base/api.js";
import { html, nothing, render } from "../base/dom.js";
import { HOME, paths } from "../base/home.js";
import { dressPage, nameTab, problemBox } from "../base/page.js";
import { askedIn, drawLadder, nameOf, PAGE } from "./ladder.js";
import { drawNewPlayer, drawPlayer } from "./player.js";

/** @import { Path, Query } from "../base/types.d.ts" */
/** @import { Asked, Game, LadderPlace, PlayedMatch, Player } from "./types.d.ts" */

const PLAYER = /^\/players\/([0-9a-f]{64}|bot:[a-z]{1,20})\/?$/;
const TRIES = 20; // while the service calculates the ratings for the first time

class Page {
  api = new Api(HOME);
  main = dressPage();
  /** @type {Game[]} */ games = [];
  /** @type {unknown} */ problem = null;
  isWaiting = true;
  #asked = 0;

  async begin() {
    this.draw();
    await this.read(() => this.load());
  }

  // A choice made before the games are loaded waits for them, too.
  async #readGames() {
    if (this.games.length > 0) return;
    this.games = (await this.api.get(paths.games())).value.games;
    this.draw();
  }

  // Ask the service, and draw the result, unless a later request was made meanwhile.
  /** @param {() => Promise<() => void>} ask returns the function that takes the answer */
  async read(ask) {
    this.#asked += 1;
    const number = this.#asked;
    this.isWaiting = true;
    this.draw();
    /** @type {unknown} */
    let problem = null;
    const take = await this.#readGames()
      .then(ask)
      .catch((failure) => {
        problem = failure;
        return () => {};
      });
    if (number !== this.#asked) return;

    take();
    this.problem = problem;
    this.isWaiting = false;
    this.draw();
  }

  /**
   * Ask until the service has calculated the answer, at most TRIES times. It calculates after a
   * start.
   * @template Read @param {Path<Read>} path @param {Query} query
   * @returns {Promise<Read>}
   */
  async ask(path, query) {
    for (let number = 1; ; number += 1) {
      try {
        const response = await this.api.send("GET", path, { query });
        return await response.json();
      } catch (failure) {
        const isSoon = failure instanceof Problem && failure.status === 503 && number < TRIES;
        if (!isSoon) throw failure;
        await new Promise((done) => setTimeout(done, 1000 * (failure.retryAfter ?? 1)));
      }
    }
  }

  /** Read the page's data. Return the function that takes it. @returns {Promise<() => void>} */
  async load() {
    return () => {};
  }

  draw() {
    render(
      html`
        ${this.drawContent()}
        ${this.problem ? problemBox(this.problem) : nothing}
        ${this.isWaiting ? html`<p class="muted" role="status">One moment …</p>` : nothing}
      `,
      this.main,
    );
  }

  /** @returns {unknown} */
  drawContent() {
    return nothing;
  }
}

class LadderPage extends Page {
  #asked = askedIn(window.location.search);
  /** @type {LadderPlace[]} */ #places = [];
  #hasMore = false;

  async load() {
    if (!this.games.some(({ key }) => key === this.#asked.game)) {
      this.#asked.game = this.games[0]?.key ?? "";
    }
    const { game, humans, after } = this.#asked;
    const query = { game, humans, after, limit: PAGE };
    const { players, next } = await this.ask(paths.ladder(), query);
    return () => {
      this.#places = players;
      this.#hasMore = next !== null;
    };
  }

  drawContent() {
    nameTab("Ladder - Giornale");
    const change = (/** @type {Partial<Asked>} */ changed) => this.#change(changed);
    const shown = this.isWaiting || this.problem ? null : this.#places;
    return drawLadder(
      { asked: this.#asked, places: shown, hasMore: this.#hasMore },
      this.games,
      change,
    );
  }

  /** @param {Partial<Asked>} changed */
  #change(changed) {
    this.#asked = { ...this.#asked, after: 0, ...changed };
    const { game, humans, after } = this.#asked;
    const query = new URLSearchParams({ game });
    if (humans) query.set("humans", "true");
    if (after) query.set("after", `${after}`);
    history.replaceState(null, "", `${window.location.pathname}?${query}`);
    this.read(() => this.load());
  }
}

class PlayerPage extends Page {
  /** @type {Player | null} */ #player = null;
  /** @type {PlayedMatch[]} */ #matches = [];
  /** @type {string | null} */ #next = null;
  #key;
  #isNew = false;

  /** @param {string} key */
  constructor(key) {
    super();
    this.#key = key;
  }

  async load() {
    const query = { cursor: this.#next };
    const answer = await this.ask(paths.player(this.#key), query).catch((failure) => {
      if (failure instanceof Problem && failure.status === 404) return null;
      throw failure;
    });
    if (answer === null) {
      return () => {
        this.#isNew = true;
      };
    }
    return () => {
      this.#player ??= answer;
      this.#matches = [...this.#matches, ...answer.matches];
      this.#next = cursorOf(answer.next);
    };
  }

  drawContent() {
    const player = this.#player;
    if (player === null) {
      return html`
        <h1>${nameOf({ player: this.#key, name: null })}</h1>
        ${this.#isNew ? drawNewPlayer() : nothing}`;
    }
    nameTab(`${nameOf(player)} - Giornale`);
    const more = () => this.read(() => this.load());
    return drawPlayer(player, this.#matches, this.games, this.#next === null ? null : more);
  }
}

const found = PLAYER.exec(decodeURIComponent(window.location.pathname.slice(HOME.length)));
const page = found ? new PlayerPage(found[1] ?? "") : new LadderPage();
page.begin();
