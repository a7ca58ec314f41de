// Moves put together with a composer, because no list holds them all.

import { fieldOf, html, nothing } from "../base/dom.js";
import { capital, worded } from "../base/words.js";
import { textOf } from "../boards/plain.js";

/** @import { Board, Choice, Composer, Move, Scene, Seat } from "../boards/types.d.ts" */
/** @import { Draft } from "./types.d.ts" */

const COMPOSE = "compose:";

export class Drafts {
  /** @type {Draft | null} */
  current = null;

  #all;
  #board;
  #scene;

  /** @type {{move: Move | null, draft: Draft | null}} */
  #adjusted = { move: null, draft: null };

  /** @param {Board} board @param {Scene} scene @param {Record<string, object>} beyond */
  constructor(board, scene, beyond) {
    this.#board = board;
    this.#scene = scene;
    this.#all = Object.entries(beyond).map(([command, described]) => {
      const composer = board.composers[command] ?? freehand(command);
      return { command, composer, beyond: described, value: composer.start(described, scene) };
    });
  }

  /** @returns {Choice[]} */
  starts() {
    return this.#all.map(({ command, composer }) => {
      const title = commandText(command);
      const text = "byHand" in composer ? `${title} in a way that is not listed` : title;
      return { key: COMPOSE + command, text };
    });
  }

  /** @param {string} key */
  start(key) {
    const draft = this.#all.find(({ command }) => COMPOSE + command === key);
    this.current = draft ?? null;
    return draft !== undefined;
  }

  /** @param {Move} move */
  take(move) {
    const draft = this.#all.find(({ command }) => command === move.type);
    if (!draft?.composer.from) return false;

    const value = draft.composer.from(move, draft.beyond, this.#scene);
    this.current = { ...draft, value };
    return true;
  }

  /** @param {string} place @returns {boolean} true: it had an effect */
  pick(place) {
    const draft = this.#open().find((candidate) => targetsOf(candidate).has(place));
    if (!draft) return false;

    this.current = { ...draft, value: draft.composer.pick(draft.value, place) };
    return true;
  }

  targets() {
    const places = new Set();
    for (const draft of this.#open()) {
      for (const place of targetsOf(draft)) places.add(place);
    }
    return places;
  }

  /** @param {unknown} value */
  change(value) {
    if (this.current) this.current = { ...this.current, value };
  }

  /** @returns {Move | null} the move, ready to be posted. null while it is unfinished */
  move() {
    if (!this.current) return null;
    const { composer, value, beyond } = this.current;
    return composer.problem(value, beyond) === "" ? composer.move(value) : null;
  }

  /** @param {Move} move @returns {Draft | null} null: nothing can be adjusted */
  adjusting(move) {
    if (this.#adjusted.move !== move) this.#adjusted = { move, draft: this.#adjustable(move) };
    return this.#adjusted.draft;
  }

  /** @param {Move} move @param {unknown} value */
  adjust(move, value) {
    const draft = this.adjusting(move);
    if (draft) this.#adjusted = { move, draft: { ...draft, value } };
  }

  /** @param {Move} move @returns {Draft | null} */
  #adjustable(move) {
    const composer = this.#board.adjust?.[move.type];
    const value = composer?.start(move, this.#scene) ?? null;
    return composer && value !== null
      ? { command: move.type, composer, beyond: move, value }
      : null;
  }

  // Continue the draft of an older position, if the same can still be composed.
  /** @param {Drafts} before */
  resume({ current }) {
    const same = this.#all.find(({ command }) => command === current?.command);
    if (!current || !same) return;
    if (JSON.stringify(same.beyond) === JSON.stringify(current.beyond)) this.current = current;
  }

  /** @returns {Draft[]} */
  #open() {
    return this.current ? [this.current] : this.#all;
  }
}

/** @param {string} command */
export function commandText(command) {
  return capital(worded(command));
}

/** @param {Draft} draft */
export function targetsOf({ composer, value, beyond }) {
  return composer.targets(value, beyond);
}

// ---- the composer for moves of a form known to the api alone -------------------------------------

/** @param {string} command @returns {Composer & {byHand: true}} */
function freehand(command) {
  return {
    byHand: true,
    start: () => JSON.stringify({ type: command }, null, 2),
    draw: (draft, beyond, scene, change) => drawFreehand(draft, beyond, scene.seats, change),
    move: (draft) => JSON.parse(draft),
    problem: problemOf,
    pick: (draft) => draft,
    targets: () => new Set(),
    from: (move) => JSON.stringify(move, null, 2),
  };
}

/**
 * @param {string} draft @param {object} beyond @param {Seat[]} seats
 * @param {(draft: string) => void} change
 */
function drawFreehand(draft, beyond, seats, change) {
  const problem = problemOf(draft);
  const known = Object.entries(beyond ?? {});

  return html`
    <dl class="play-known">
      ${known.map(
        ([key, value]) =>
          html`<div><dt>${capital(worded(key))}</dt><dd>${textOf(value, key, seats)}</dd></div>`,
      )}
    </dl>
    <label class="play-label" for="play-json">The move as JSON</label>
    <textarea
      id="play-json"
      class="play-json"
      rows="6"
      spellcheck="false"
      aria-describedby="play-json-problem"
      aria-invalid=${problem ? "true" : "false"}
      .value=${draft}
      @change=${(/** @type {Event} */ event) => change(fieldOf(event).value)}
    ></textarea>
    <p id="play-json-problem" class="play-field-problem">${problem || nothing}</p>
  `;
}

/** @param {string} draft */
function problemOf(draft) {
  try {
    const move = JSON.parse(draft);
    if (move !== null && typeof move === "object" && !Array.isArray(move)) return "";
    return "A move is an object.";
  } catch {
    return "This is not JSON yet.";
  }
}
