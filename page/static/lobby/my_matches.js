// The matches that this browser remembers, with whose turn it is.

import { Api, oneByOne, Problem } from "../base/api.js";
import { html, nothing } from "../base/dom.js";
import { addressOf, HOME, paths } from "../base/home.js";
import { forget, forgetRefused, remembered, tokenFor } from "../base/memory.js";
import { drawRematch, problemBox } from "../base/page.js";
import { heldSeats, takeRematch } from "../base/tokens.js";
import { ago, isAsked, isAwaited } from "../base/words.js";
import { drawMatch, gameTitle } from "./match_card.js";

/** @import { MatchNews } from "../../api.d.ts" */
/** @import { Mine } from "../base/mine.js" */
/** @import { Remembered } from "../base/types.d.ts" */
/** @import { Game, Known, Summary } from "./types.d.ts" */

const FEW = 6;

// What is said of a match that the service does not tell, by the status of its answer.
const TROUBLES = new Map([
  [401, "Its token is not valid any more."],
  [403, "It is private, and your token does not open it any more."],
  [404, "The service does not know it (any more)."],
  [410, "It was deleted."],
]);

export class MyMatches {
  /** @type {Map<string, Known>} */ #known = new Map();
  /** @type {Map<string, () => Promise<void>>} */ #reading = new Map();
  #changed;
  #mine;
  #showsAll = false;
  #doubted = "";
  #asked = "";

  /** @param {Mine} mine @param {() => void} changed */
  constructor(mine, changed) {
    this.#mine = mine;
    this.#changed = changed;
  }

  /** @returns {number} in how many matches it is the reader's turn, as far as they are heard of */
  get turns() {
    const turns = this.#mine.turns();
    for (const { match } of this.#shown()) {
      const summary = this.#known.get(match)?.summary;
      if (!this.#mine.follows(match) && summary && isTurn(summary)) turns.add(match);
    }
    return turns.size;
  }

  // Read the matches that are shown, but for those of which nothing can have changed unheard.
  async refresh() {
    const unsure = this.#shown().filter(({ match }) => {
      const known = this.#known.get(match);
      return !known || !(hasEnded(known) || this.#mine.follows(match));
    });
    await Promise.all(unsure.map(({ match }) => this.#readAgain(match)));
  }

  /** @param {MatchNews} news */
  async heard({ match }) {
    if (!this.#shown().some((one) => one.match === match)) return;
    await this.#readAgain(match);
    this.#changed();
  }

  /** @param {Game[]} games */
  draw(games) {
    const all = remembered();
    if (all.length === 0) return nothing;

    return html`
      <section aria-labelledby="lobby-mine">
        <h2 id="lobby-mine">My matches</h2>
        <ul class="lobby-matches">${this.#shown().map((one) => this.#drawOne(one, games))}</ul>
        ${all.length > FEW ? this.#drawAll(all.length) : nothing}
      </section>
    `;
  }

  /** @returns {Remembered[]} */
  #shown() {
    const all = remembered();
    return this.#showsAll ? all : all.slice(0, FEW);
  }

  /** @param {string} match @returns {Promise<void>} */
  #readAgain(match) {
    let read = this.#reading.get(match);
    if (!read) {
      read = oneByOne(() => this.#read(match));
      this.#reading.set(match, read);
    }
    return read();
  }

  /** @param {string} match @returns {Promise<void>} */
  async #read(match) {
    const known = this.#known.get(match);
    const token = tokenFor(match);
    const api = new Api(HOME, token);

    try {
      const { value, etag } = await api.get(paths.match(match), { etag: known?.etag });
      if (value) this.#known.set(match, { summary: value, etag, trouble: "" });
    } catch (failure) {
      const status = failure instanceof Problem ? failure.status : 0;
      if (status === 401 && forgetRefused(match, token)) return this.#read(match);
      const trouble = TROUBLES.get(status);
      if (trouble) this.#known.set(match, { summary: null, etag: null, trouble });
    }
  }

  /** @param {Remembered} remembered @param {Game[]} games */
  #drawOne({ match, game, at }, games) {
    const known = this.#known.get(match);
    let controls = this.#drawForget(match);
    if (known?.summary) {
      controls = html`${this.#drawRematch(known)} ${controls}`;
      return drawMatch(known.summary, games, { own: heldSeats(match), controls });
    }

    return html`
      <li class="lobby-match">
        <div class="lobby-match-head">
          <a class="lobby-match-title" href=${addressOf(match)}>
            ${gameTitle(game, games) || "A match"}
          </a>
          <small>${ago(new Date(at).toISOString())}</small>
        </div>
        ${known ? html`<p>${known.trouble}</p>` : nothing}
        <div class="row">${controls}</div>
      </li>
    `;
  }

  /** @param {Known} known */
  #drawRematch(known) {
    const { summary } = known;
    if (summary === null || !hasEnded(known)) return nothing;
    const rematch = drawRematch(summary, this.#asked === summary.match, () => this.#ask(summary));
    return html`${known.problem ? problemBox(known.problem) : nothing} ${rematch}`;
  }

  /** @param {Summary} summary */
  async #ask(summary) {
    const { match } = summary;
    this.#asked = match;
    this.#changed();
    try {
      window.location.assign(addressOf(await takeRematch(summary)));
    } catch (problem) {
      const known = this.#known.get(match);
      if (known) known.problem = problem;
    }
    this.#asked = "";
    this.#changed();
  }

  /** @param {string} match */
  #drawForget(match) {
    if (this.#doubted !== match) {
      return html`
        <button type="button" class="quiet" @click=${() => this.#doubt(match)}>Forget …</button>`;
    }

    return html`
      <p class="lobby-doubt">
        <span role="status">This browser then has no token of your seat any more.</span>
        <button type="button" class="danger" @click=${() => this.#forget(match)}>Forget it</button>
        <button type="button" @click=${() => this.#doubt("")}>Keep it</button>
      </p>`;
  }

  /** @param {string} match */
  #doubt(match) {
    this.#doubted = match;
    this.#changed();
  }

  /** @param {string} match */
  #forget(match) {
    forget(match);
    this.#known.delete(match);
    this.#mine.renew();
    this.#doubt("");
  }

  /** @param {number} number */
  #drawAll(number) {
    const toggle = () => {
      this.#showsAll = !this.#showsAll;
      this.#changed();
      this.refresh().then(() => this.#changed());
    };
    const text = this.#showsAll ? "Show the newest only" : `Show all ${number}`;
    return html`<button type="button" class="quiet" @click=${toggle}>${text}</button>`;
  }
}

// Whether the reader must act, or has yet to say if moves are taken back.
/** @param {Summary} summary */
function isTurn(summary) {
  const own = heldSeats(summary.match);
  return isAwaited(summary, own) || isAsked(summary, own);
}

/** @param {Known} known */
function hasEnded(known) {
  if (known.summary === null) return true;
  return ["ended", "aborted"].includes(known.summary.status);
}
