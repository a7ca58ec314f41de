// Beside the replay of a revealed match: the viewing seat, the chances of winning, a bot's thoughts
// before the shown move, and the way to a fork.

import { counting } from "../base/api.js";
import { fieldOf, html, nothing } from "../base/dom.js";
import { forkAddress, paths } from "../base/home.js";
import { problemBox } from "../base/page.js";
import { read, remove, write } from "../base/storage.js";
import { counted } from "../base/words.js";
import { chanceInWords, movesInWords } from "../boards/board.js";
import { stillScene } from "../play/asking.js";
import { drawCurve } from "../replay/curve.js";

/** @import { Curve } from "../../api.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Frame } from "../replay/types.d.ts" */
/** @import { AsideParts, Known, Thought, WeighingParts } from "./types.d.ts" */

export class Aside {
  #isAsked = false;

  /** @type {Weighing | null} */
  #weighing = null;

  /** @type {Curve | null} */
  #curve = null;

  #hasMoreToSee = false;

  /** @param {AsideParts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  /** @param {number} version @param {Seat[]} seats */
  draw(version, seats) {
    if (!this.#isAsked) counting(this.#ask());
    const eyes = this.#hasMoreToSee ? chooseEyes(seats, this.parts) : nothing;
    return html`${eyes} ${this.#drawCurve(version, seats)}
      ${this.#weighing?.draw(version, seats) ?? nothing} ${this.#drawFork(version)}`;
  }

  // Offer a fork from versions of the running match (M21).
  /** @param {number} version */
  #drawFork(version) {
    const { match, frame } = this.parts;
    if (frame(version)?.status !== "running") return nothing;
    return html`<p><a href=${forkAddress(match, version)}>Fork from here</a></p>`;
  }

  /** @param {number} version @param {Seat[]} seats */
  #drawCurve(version, seats) {
    if (this.#curve === null) return nothing;
    const { last, open } = this.parts;
    return drawCurve(this.#curve, seats, { version, last: last(), open });
  }

  // After a failure the next draw asks again.
  async #ask() {
    this.#isAsked = true;
    try {
      await Promise.all([this.#askCurve(), this.#askThoughts(), this.#askWhatSeatsSaw()]);
      this.parts.changed();
    } catch {
      this.#isAsked = false;
    }
  }

  async #askCurve() {
    const { api, match } = this.parts;
    const { value } = await api.get(paths.match(match, "curve"));
    this.#curve = value;
  }

  // Find out if a seat sees more of this game than others.
  async #askWhatSeatsSaw() {
    const { api, match, eyes, reader, last, present } = this.parts;
    const query = { after: last() - 1, limit: 1, seat: (eyes ?? reader) === 0 ? 1 : 0 };
    const { value } = await api.get(paths.match(match, "states"), { query });
    const { state } = await present();
    this.#hasMoreToSee = JSON.stringify(value.states[0]?.state) !== JSON.stringify(state);
  }

  async #askThoughts() {
    const { api, match } = this.parts;
    const query = { limit: 1 };
    const { value } = await api.get(paths.match(match, "thoughts"), { query });
    if (value.thoughts.length === 0) return;
    this.#weighing = new Weighing(this.parts);
  }
}

/** @param {Seat[]} seats @param {AsideParts} parts */
function chooseEyes(seats, { eyes, reader, look }) {
  /** @param {Event} event */
  function onChange(event) {
    const { value } = fieldOf(event);
    look(value === "" ? null : Number(value));
  }

  return html`<label class="row replay-eyes unprinted">
    Seen by
    <select @change=${onChange}>
      <option value="" ?selected=${eyes === null}>${reader === null ? "everybody" : "you"}</option>
      ${seats.map(({ name }, seat) => html`<option value=${seat} ?selected=${seat === eyes}>${name}</option>`)}
    </select>
  </label>`;
}

// ---- the thoughts of a bot ---------------------------------------------------------------------

const OPEN = "giornale/weighed";

// Draws the thoughts of bots. It sends no request before it is opened.
class Weighing {
  #isOpen = read(OPEN) !== null;

  /** By version. null: under way. @type {Map<number, Known | null>} */
  #known = new Map();

  /** @type {{ version: number, problem: unknown } | null} */
  #failed = null;

  /** @param {WeighingParts} parts */
  constructor(parts) {
    this.parts = parts;
    this.thoughts = new Thoughts(parts.api, parts.match);
  }

  /** @param {number} version @param {Seat[]} seats */
  draw(version, seats) {
    const isMissing = !this.#known.has(version) && this.#failed?.version !== version;
    if (this.#isOpen && isMissing) this.#load(version);
    /** @param {Event} event */
    const onToggle = (event) => this.#toggle(/** @type {HTMLDetailsElement} */ (event.target).open);
    return html`
      <details class="table-weighed sheet unprinted" ?open=${this.#isOpen} @toggle=${onToggle}>
        <summary>Moves that the bot weighed</summary>
        <div class="table-weighed-body">${this.#drawBody(version, seats)}</div>
      </details>`;
  }

  /** @param {number} version @param {Seat[]} seats */
  #drawBody(version, seats) {
    if (this.#failed?.version === version) return problemBox(this.#failed.problem);

    const known = this.#known.get(version);
    if (!known) return html`<p class="muted">One moment …</p>`;

    const { thought, before } = known;
    if (!thought || !before)
      return html`<p class="muted">Nothing was weighed before this entry.</p>`;
    return drawThought(thought, this.#texts(thought, before, seats), seats);
  }

  /** @param {Thought} thought @param {Frame} before @param {Seat[]} seats */
  #texts({ seat, best }, before, seats) {
    const moves = best.map(({ move }) => move);
    return movesInWords(moves, this.parts.board, stillScene(before.state ?? {}, seats, seat));
  }

  /** @param {number} version */
  async #load(version) {
    this.#known.set(version, null);
    try {
      const thought = await this.thoughts.of(version);
      const before = thought ? await this.parts.frameAt(version - 1) : null;
      this.#known.set(version, { thought, before });
      this.#failed = null;
    } catch (problem) {
      // It is requested again once another version was loaded.
      this.#known.delete(version);
      this.#failed = { version, problem };
    }
    this.parts.changed();
  }

  /** @param {boolean} isOpen */
  #toggle(isOpen) {
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    if (isOpen) write(OPEN, "yes");
    else remove(OPEN);
    this.parts.changed();
  }
}

/** @param {Thought} thought @param {string[]} texts @param {Seat[]} seats */
function drawThought({ seat, level, iterations, best }, texts, seats) {
  const lines = best.map(({ win_chance: chance }, index) => {
    const isMade = index === 0;
    const text = isMade ? html`<b>${texts[index]}</b>` : texts[index];
    const words = `${isMade ? "made, " : ""}${chanceInWords(chance)}`;
    return html`<li>${text} <small class="numbers">${words}</small></li>`;
  });

  return html`
    <p>
      ${seats[seat]?.name} (${level}) played on ${counted(iterations, "time")} in its head, and liked
      best:
    </p>
    <ol>${lines}</ol>`;
}

// ---- thoughts of bots before their moves, once a match is revealed ------------------------------

const PIECE = 100; // versions in one request

export class Thoughts {
  /** @type {Map<number, Thought>} */ #known = new Map();
  /** By the number of the piece. @type {Map<number, Promise<void>>} */ #pieces = new Map();

  /** @param {Api} api @param {string} match */
  constructor(api, match) {
    this.api = api;
    this.match = match;
  }

  /** @param {number} version @returns {Promise<Thought | null>} null: none */
  async of(version) {
    await this.#piece(Math.floor((version - 1) / PIECE));
    return this.#known.get(version) ?? null;
  }

  /** @param {number} piece */
  #piece(piece) {
    const known = this.#pieces.get(piece);
    if (known) return known;

    const coming = this.#load(piece * PIECE, (piece + 1) * PIECE);
    this.#pieces.set(piece, coming);
    coming.catch(() => this.#pieces.delete(piece));
    return coming;
  }

  // Load the thoughts after a version, up to another. The service may send them in several portions.
  /** @param {number} after @param {number} until */
  async #load(after, until) {
    let reached = after;
    while (reached < until) {
      const thoughts = await this.#ask(reached, PIECE);
      for (const thought of thoughts) this.#known.set(thought.version, thought);
      reached = thoughts.at(-1)?.version ?? until;
    }
  }

  /** @param {number} after @param {number} limit @returns {Promise<Thought[]>} */
  async #ask(after, limit) {
    const query = { after, limit };
    const { value } = await this.api.get(paths.match(this.match, "thoughts"), { query });
    return value.thoughts;
  }
}
