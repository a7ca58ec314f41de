// The lobby: what this is, the reader's matches, a form to open one, and all public matches.

import { Api, calm } from "../base/api.js";
import { html, nothing, render } from "../base/dom.js";
import { forkAsked, HOME, paths, rulesAddress } from "../base/home.js";
import { tokenFor } from "../base/memory.js";
import { Mine } from "../base/mine.js";
import { dressPage, nameTab, problemBox, turnsInWords } from "../base/page.js";
import { listed } from "../base/words.js";
import { Carrying } from "./carrying.js";
import { Joining } from "./joining.js";
import { drawFilters, MatchLists } from "./match_lists.js";
import { MyMatches } from "./my_matches.js";
import { Opening } from "./opening.js";
import { drawOpening } from "./opening_form.js";

/** @import { Game } from "./types.d.ts" */

const PAUSE = 5_000;
const LONGEST_LOADING = 1500; // milliseconds after which the lobby is shown whatever is on its way

class Lobby {
  #api = new Api(HOME);
  #main = dressPage();
  /** @type {Game[]} */ #games = [];
  /** @type {unknown} */ #problem = null;
  /** @type {Opening | null} */ #opening = null;
  #stream = new Mine();
  #mine = new MyMatches(this.#stream, () => this.#draw());
  #lists = new MatchLists(this.#api, () => this.#draw());
  #carrying = new Carrying(() => this.#carried());
  #joining = new Joining(this.#api, () => this.#draw());

  async begin() {
    this.#main.classList.add("lobby-loading");
    calm(LONGEST_LOADING).then(() => this.#main.classList.remove("lobby-loading"));
    this.#draw();
    this.#keepFresh();
    window.addEventListener("hashchange", () => this.#carrying.begin());
    this.#stream.listen({ heard: (news) => this.#mine.heard(news), changed: () => this.#name() });
    this.#stream.begin(new AbortController().signal);

    try {
      const { value } = await this.#api.get(paths.games());
      this.#games = value.games;
      this.#opening = new Opening(this.#api, this.#games, () => this.#draw());
      await this.#fork(this.#opening);
    } catch (failure) {
      this.#problem = failure;
    }
    this.#draw();
  }

  // Make the form that of a fork, where the address asks for one (M21).
  /** @param {Opening} opening */
  async #fork(opening) {
    const base = forkAsked(window.location.search);
    if (base === null) return;
    const { value } = await new Api(HOME, tokenFor(base.match)).get(paths.match(base.match));
    opening.forkFrom(base, value);
  }

  async #keepFresh() {
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#refresh();
    });
    setInterval(() => {
      if (!document.hidden) this.#refresh();
    }, PAUSE);
    await this.#refresh();
  }

  async #refresh() {
    this.#carrying.begin();
    await Promise.all([this.#mine.refresh(), this.#lists.refresh()]);
    this.#name();
    this.#draw();
  }

  #carried() {
    this.#stream.renew();
    this.#draw();
    this.#refresh();
  }

  #name() {
    const { turns } = this.#mine;
    nameTab(turns > 0 ? `${turnsInWords(turns)} - Giornale` : "Giornale", turns > 0);
  }

  #draw() {
    render(this.#page(), this.#main);
    this.#joining.show();
  }

  #page() {
    const opening = this.#opening;
    const isFork = opening !== null && opening.base !== null;
    return html`
      <div class="lobby">
        ${drawGreeting(this.#games)}
        ${this.#problem ? problemBox(this.#problem) : nothing}
        <div class="lobby-halves">
          <div class="lobby-half">
            ${opening && isFork ? drawOpening(opening) : nothing}
            ${this.#mine.draw(this.#games)}
            ${opening && !isFork ? drawOpening(opening) : nothing}
            ${this.#carrying.draw()}
          </div>
          <div class="lobby-half">
            ${drawFilters(this.#lists, this.#games)}
            ${this.#lists.draw(this.#games, (match) => this.#joining.ask(match))}
          </div>
        </div>
        ${this.#joining.draw(this.#games)}
      </div>
    `;
  }
}

/** @param {Game[]} games */
function drawGreeting(games) {
  const titles = games.map(({ title }) => title);
  const rules = games.map(
    ({ key, title }) => html`<li><a href=${rulesAddress(key)}>Rules of ${title}</a></li>`,
  );

  return html`
    <header class="lobby-greeting">
      <h1>Giornale</h1>
      <p>
        Play ${titles.length > 0 ? listed(titles) : "board games"} in your browser, against people or
        bots, and watch or replay every public match move by move. Each match is a journal that
        nobody can alter unseen, and your browser can check it.
      </p>
      <ul class="lobby-rules">${rules}</ul>
    </header>
  `;
}

new Lobby().begin();
