// The page of one match: watch it, follow it live, go through it, and play it.

import { Api, holderOf, Problem } from "../base/api.js";
import { html, render } from "../base/dom.js";
import { HOME, linkWithToken, paths, place } from "../base/home.js";
import * as memory from "../base/memory.js";
import { Mine } from "../base/mine.js";
import { confirm, dressPage, nameTab, problemBox } from "../base/page.js";
import { forgetLostSeats, replaceLinked } from "../base/tokens.js";
import { seatNames } from "../base/words.js";
import { board as plainBoard } from "../boards/plain.js";
import { Sitting } from "./sitting.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Template } from "../base/types.d.ts" */
/** @import { Board } from "../boards/types.d.ts" */
/** @import { Door } from "./types.d.ts" */

// Opens a match. Opens it again if the token or the viewing seat changes, or the history was
// rewritten.
class Table {
  #life = new AbortController();
  #mine = new Mine();

  /** @type {number | null} */
  #eyes = null;

  /** @param {HTMLElement} root @param {string} match */
  constructor(root, match) {
    this.root = root;
    this.match = match;
  }

  async begin() {
    await this.open();
    this.#mine.begin(new AbortController().signal);
  }

  /** @returns {Promise<void>} */
  async open() {
    this.#life.abort();
    this.#life = new AbortController();
    const { signal } = this.#life;
    await replaceLinked(this.match, asksForSeat);
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
        mine: this.#mine,
        eyes: this.#eyes,
        look: (eyes) => {
          this.#eyes = eyes;
          this.open();
        },
        reopen,
        enter: (token) => this.enter(token),
        signal,
      });
      await sitting.begin(place().version);
    } catch (failure) {
      if (signal.aborted) return;
      if (isRefusedToken(failure) && memory.forgetRefused(this.match, token)) return this.open();
      await this.#showDoor(failure, token !== null);
    }
  }

  // Read with a token pasted by the reader. It may be of another match.
  /** @param {string} token */
  enter(token) {
    const of = memory.matchOf(token);
    if (of !== this.match) {
      window.location.assign(linkWithToken(of, token));
      return;
    }
    memory.takeGiven(of, token);
    this.open();
  }

  // Store the token under its holder, as the service names it.
  /** @param {Match} match @param {string | null} token @param {string} holder */
  #settle(match, token, holder) {
    if (token === null) return;
    memory.remember(this.match, { game: match.game, tokens: { [holder]: token }, reader: holder });
    if (holder !== "given") memory.forgetToken(this.match, "given");
    this.#mine.renew();
  }

  /** @param {unknown} failure @param {boolean} hadToken */
  async #showDoor(failure, hadToken) {
    const { signal } = this.#life;
    nameTab("Giornale");
    const door = await doorFor(failure, {
      hadToken,
      enter: (token) => this.enter(token),
      withoutToken: () => {
        memory.forgetToken(this.match, memory.readerOf(this.match) ?? "");
        this.open();
      },
      again: () => this.open(),
    });
    if (signal.aborted) return;
    const root = document.createElement("div");
    this.root.replaceChildren(root);
    render(door, root);
    window.addEventListener("online", () => this.open(), { once: true, signal });
  }
}

// Ask for consent to take a seat although this browser has another one. This locks out the player
// of that seat.
/** @param {number} taken @param {number} held @param {Match} match @returns {Promise<boolean>} */
function asksForSeat(taken, held, match) {
  const seats = seatNames(match.seats);
  const name = seats[taken]?.name;
  const own = seats[held]?.name;
  return new Promise((resolve) => {
    confirm({
      title: `Take the seat of ${name}, too?`,
      text: `You are ${own} here. The link is for ${name}, and that seat is then played only here.`,
      yes: `Take the seat of ${name}`,
      no: `Stay ${own} only`,
      act: () => resolve(true),
      otherwise: () => resolve(false),
    });
  });
}

/** @param {unknown} failure */
function isRefusedToken(failure) {
  return failure instanceof Problem && failure.status === 401;
}

// ---- pages for a match that cannot be shown -----------------------------------------------------

/** @param {unknown} failure @param {Door} door @returns {Promise<Template>} */
async function doorFor(failure, door) {
  if (!(failure instanceof Problem)) return elsewhere(failure, door);
  try {
    const { drawDoor } = await import("./door.js");
    return drawDoor(failure, door) ?? elsewhere(failure, door);
  } catch {
    return elsewhere(failure, door);
  }
}

/** @param {unknown} failure @param {Door} door */
function elsewhere(failure, { again }) {
  return html`<section class="table-door">
    ${problemBox(failure)}
    <p><button type="button" class="primary" @click=${again}>Try again</button></p>
  </section>`;
}

// ---- the start ----------------------------------------------------------------------------------

const main = dressPage();
const { match } = place();
if (match === null) {
  render(html`<p>This is not the address of a match.</p>`, main);
} else {
  memory.takeFragment(match);
  const table = new Table(main, match);
  table.begin();
  window.addEventListener("hashchange", () => {
    if (memory.takeFragment(match)) table.open();
  });
}

// ---- rules named on the table -------------------------------------------------------------------

// Show a rule over the table, so that an unfinished move stays. With another key or button the link
// works as everywhere.
/** @param {MouseEvent} event */
async function onRule(event) {
  const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const isRule = link?.getAttribute("href")?.startsWith(`${HOME}/rules/`) && !link.target;
  if (!link || !isPlain || !isRule || link.closest(".page-header")) return;

  event.preventDefault();
  event.stopPropagation();
  const address = link.getAttribute("href") ?? "";
  try {
    const { showRule } = await import("./rules.js");
    await showRule(address);
  } catch {
    window.open(address, "_blank", "noopener");
  }
}

// Capture the click before the elements around the link get it.
document.addEventListener("click", onRule, { capture: true });

// ---- the board of a game: its own module, or the plain board for every other game ---------------

// Games with a board of their own, at boards/GAME/board.js.
const DRAWN = ["calimala", "firenze"];

// Return the board of a game. The plain board stands in for a module that cannot be loaded, so that
// the match can be played all the same.
/** @param {string} game @returns {Promise<Board>} */
async function boardOf(game) {
  if (plainIsWanted() || !DRAWN.includes(game)) return plainBoard;

  try {
    const module = await import(`../boards/${game}/board.js`);
    return module.board;
  } catch (error) {
    console.error(`The board of ${game} could not be loaded.`, error);
    return plainBoard;
  }
}

function plainIsWanted() {
  return new URLSearchParams(window.location.search).get("board") === "plain";
}
