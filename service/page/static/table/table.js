// The page of one match: look at it, follow it live, go through it, and play it.

import { Api, holderOf, Problem } from "../base/api.js";
import { html, render } from "../base/dom.js";
import { HOME, paths, place } from "../base/home.js";
import * as memory from "../base/memory.js";
import { dressPage, nameTab } from "../base/page.js";
import { forgetLostSeats, replaceLinked } from "../base/tokens.js";
import { boardOf } from "../boards/boards.js";
import { drawDoor } from "./door.js";
import { Sitting } from "./sitting.js";

// Opens a match, and opens it anew when the reader has another token or its history was rewritten.
class Table {
  #life = new AbortController();

  /** @param {HTMLElement} root @param {string} match */
  constructor(root, match) {
    this.root = root;
    this.match = match;
  }

  /** @returns {Promise<void>} */
  async open() {
    this.#life.abort();
    this.#life = new AbortController();
    const { signal } = this.#life;
    await replaceLinked(this.match);
    if (signal.aborted) return;
    const token = memory.tokenFor(this.match);
    const api = new Api(HOME, token);

    try {
      const { value, etag } = await api.get(paths.match(this.match), { signal });
      const holder = holderOf(etag) ?? "public";
      const [board, game] = await Promise.all([
        boardOf(value.game),
        api.get(paths.game(value.game), { signal }),
        forgetLostSeats(this.match),
      ]);
      if (signal.aborted) return;

      this.#settle(value, token, holder);
      const root = document.createElement("div");
      this.root.replaceChildren(root);
      const reopen = () => this.open();
      const sitting = new Sitting({
        root,
        api,
        match: value,
        game: game.value,
        board,
        holder,
        reopen,
        signal,
      });
      await sitting.begin(place().version);
    } catch (failure) {
      if (signal.aborted) return;
      if (isRefusedToken(failure) && memory.forgetRefused(this.match, token)) return this.open();
      this.#showDoor(failure, token !== null);
    }
  }

  /**
   * Remember whose token it is, now that the service has said so.
   * @param {any} match @param {string | null} token @param {string} holder
   */
  #settle(match, token, holder) {
    if (token === null) return;
    memory.remember(this.match, { game: match.game, tokens: { [holder]: token }, reader: holder });
    if (holder !== "given") memory.forgetToken(this.match, "given");
  }

  /** @param {unknown} failure @param {boolean} hadToken */
  #showDoor(failure, hadToken) {
    nameTab("Giornale");
    const door = drawDoor(failure, {
      hadToken,
      enter: (token) => {
        memory.remember(this.match, { tokens: { given: token }, reader: "given" });
        this.open();
      },
      withoutToken: () => {
        memory.forgetToken(this.match, memory.readerOf(this.match) ?? "");
        this.open();
      },
      again: () => this.open(),
    });
    const root = document.createElement("div");
    this.root.replaceChildren(root);
    render(door, root);
    window.addEventListener("online", () => this.open(), { once: true, signal: this.#life.signal });
  }
}

/** @param {unknown} failure */
function isRefusedToken(failure) {
  return failure instanceof Problem && failure.status === 401;
}

const main = dressPage();
const { match } = place();
if (match === null) {
  render(html`<p>This is not the address of a match.</p>`, main);
} else {
  memory.takeFragment(match);
  const table = new Table(main, match);
  table.open();
  window.addEventListener("hashchange", () => {
    if (memory.takeFragment(match)) table.open();
  });
}
