// All matches of this browser as one file or link, which brings them to another device. The browser
// makes and reads it itself: no server is sent it.

import { copy } from "../base/announce.js";
import { html, nothing, saveFile } from "../base/dom.js";
import { HOME } from "../base/home.js";
import { matchOf, recall, remember, remembered, tokenIn } from "../base/memory.js";
import { confirm } from "../base/page.js";
import { read } from "../base/storage.js";
import { counted } from "../base/words.js";

/** @import { Carried, CarriedMatch } from "./types.d.ts" */

// Where tokens of a link wait that are not replaced yet.
export const WAITING = `giornale${HOME}/moving`;

const KIND = "giornale matches 1";
const MOST_BYTES = 2_000_000;
const MOST_MATCHES = 2_000;
const HOLDER = /^(owner|spectator|invitation|seat:(0|[1-9][0-9]?))$/;
const GAME = /^[a-z_]{1,40}$/;
const LONGEST_NAME = 60;

export class Carrying {
  #changed;
  #said = "";
  #isBad = false;
  #isTaking = false;

  /** @param {() => void} changed called when other matches are remembered, or something is said */
  constructor(changed) {
    this.#changed = changed;
  }

  draw() {
    const number = remembered().length;
    /** @param {Event} event */
    const onFile = (event) => this.#take(/** @type {HTMLInputElement} */ (event.target));
    return html`<section class="lobby-carrying" aria-labelledby="lobby-carrying">
      <h3 id="lobby-carrying">Play on another device</h3>
      <p>
        One file carries all your matches there, and you play them on both. A link moves them: it
        counts once, and then you no longer play them here. Both hold the tokens of your seats: who
        has them can play for you, but where a key signs. Keys are taken there by files of their own.
      </p>
      <p class="row">
        ${number > 0 ? this.#drawSave() : nothing}
        <label class="button page-file">
          Take matches from a file
          <input type="file" accept=".json,application/json" @change=${onFile} />
        </label>
      </p>
      <p role="status" class=${this.#isBad ? "lobby-error" : ""}>${this.#said}</p>
    </section>`;
  }

  #drawSave() {
    return html`<button type="button" @click=${() => save(carried())}>Save my matches</button>
      <button type="button" @click=${(/** @type {Event} */ event) => this.#copyLink(event)}>
        Copy a link that moves them
      </button>`;
  }

  /** @param {Event} event */
  async #copyLink({ currentTarget }) {
    const { linkToMove, MOST } = await import("./moving.js");
    copy(linkToMove(), /** @type {HTMLElement} */ (currentTarget));
    const number = remembered().length;
    if (number <= MOST) return;
    const rest = `The other ${number - MOST} stay: the file carries all.`;
    this.#say(`The link moves the ${MOST} newest of your ${number} matches. ${rest}`, false);
  }

  // Take the matches of a link that leads here out of the page's address at once, and ask about them.
  // What was agreed to before, and had no answer, is asked for again.
  async begin() {
    const packed = new URLSearchParams(window.location.hash.slice(1)).get("matches");
    if (packed === null && (this.#isTaking || read(WAITING) === null)) return;
    const { pathname, search } = window.location;
    if (packed !== null) history.replaceState(history.state, "", pathname + search);

    const { askToTake, matchesIn, takeWaiting } = await import("./moving.js");
    const moving = {
      said: (/** @type {string} */ text, /** @type {boolean} */ isBad) => this.#say(text, isBad),
      taken: this.#changed,
    };
    const take = async () => {
      this.#isTaking = true;
      await takeWaiting(moving);
      this.#isTaking = false;
    };
    if (packed === null) {
      await take();
      return;
    }
    const matches = matchesIn(packed);
    if (matches.length === 0) this.#say("This link holds no matches of Giornale.", true);
    else askToTake(matches, take);
  }

  /** @param {HTMLInputElement} field */
  async #take(field) {
    const [file] = field.files ?? [];
    if (!file) return;
    const text = file.size <= MOST_BYTES ? await file.text() : "";
    field.value = "";

    const found = readCarried(text);
    if (found === null || found.matches.length === 0)
      this.#say("This file holds no matches of Giornale.", true);
    else if (found.home === ownHome()) this.#takeAll(found.matches);
    else this.#askForHome(found);
  }

  // The tokens of another server must not be shown to this one.
  /** @param {Carried} found */
  #askForHome({ home, matches }) {
    confirm({
      title: "Is this the same server?",
      text: `The file was saved at ${home}, and this is ${ownHome()}. A server that you open a match on sees its keys.`,
      yes: "It is the same",
      no: "Leave it",
      act: () => this.#takeAll(matches),
    });
  }

  /** @param {CarriedMatch[]} matches */
  #takeAll(matches) {
    const now = Date.now();
    for (const [index, { match, game, name, tokens }] of matches.entries()) {
      // What this browser knows itself stays: the file may be old. The newest stands first in it.
      const known = recall(match);
      remember(match, {
        game: known?.game || game,
        name: known?.name || name,
        tokens: { ...tokens, ...known?.tokens },
        at: now - index,
      });
    }
    this.#say(`${counted(matches.length, "match is", "matches are")} here now.`, false);
  }

  /** @param {string} text @param {boolean} isBad */
  #say(text, isBad) {
    this.#said = text;
    this.#isBad = isBad;
    this.#changed();
  }
}

function ownHome() {
  return window.location.origin + HOME;
}

/** @returns {Carried} */
function carried() {
  const matches = remembered().map(({ match, game, name, tokens: held }) => {
    const known = Object.entries(held).filter(([holder]) => HOLDER.test(holder));
    return { match, game, name, tokens: Object.fromEntries(known) };
  });
  return { kind: KIND, home: ownHome(), matches };
}

/** @param {Carried} all */
function save(all) {
  const text = JSON.stringify(all, null, 1);
  saveFile(new Blob([text], { type: "application/json" }), "giornale-matches.json");
}

// Return what a file holds, as far as it has the right form.
/** @param {string} text @returns {Carried | null} null: it is no such file */
function readCarried(text) {
  try {
    const { kind, home, matches } = JSON.parse(text);
    if (kind !== KIND || typeof home !== "string" || !Array.isArray(matches)) return null;
    const read = matches.slice(0, MOST_MATCHES).flatMap((one) => readMatch(one) ?? []);
    return { kind, home, matches: read };
  } catch {
    return null;
  }
}

/** @param {{ [member: string]: unknown } | null} one @returns {CarriedMatch | null} */
export function readMatch(one) {
  const { match, game, name, tokens: held } = one ?? {};
  const known = Object.entries(held ?? {}).filter(([holder, token]) => {
    const isToken = typeof token === "string" && tokenIn(token) === token;
    return HOLDER.test(holder) && isToken && matchOf(token) === match;
  });
  if (typeof match !== "string" || known.length === 0) return null;
  return {
    match,
    game: typeof game === "string" && GAME.test(game) ? game : "",
    name: typeof name === "string" ? name.slice(0, LONGEST_NAME) : "",
    tokens: Object.fromEntries(known),
  };
}
