// The moves that are put together with a composer because no list holds them all.

import { capital, worded } from "../base/words.js";
import { freehand } from "./freehand.js";

/** @import { Board, Choice, Scene } from "../boards/types.d.ts" */
/** @import { Draft } from "./types.d.ts" */

const COMPOSE = "compose:";

export class Drafts {
  /** @type {Draft | null} */
  current = null;

  /** @type {Draft[]} */ #all;
  /** @type {Board} */ #board;
  /** @type {Scene} */ #scene;

  /** @type {{move: any, draft: Draft | null}} */
  #adjusted = { move: null, draft: null };

  /** @param {Board} board @param {Scene} scene @param {Record<string, any>} beyond */
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

  /** @param {any} move */
  take(move) {
    const draft = this.#all.find(({ command }) => command === move.type);
    if (!draft?.composer.from) return false;

    const value = draft.composer.from(move, draft.beyond, this.#scene);
    this.current = { ...draft, value };
    return true;
  }

  /** @param {string} place @returns {boolean} whether that did anything */
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

  /** @param {any} value */
  change(value) {
    if (this.current) this.current = { ...this.current, value };
  }

  /** @returns {any} the move as it may be posted; null while it is unfinished */
  move() {
    if (!this.current) return null;
    const { composer, value, beyond } = this.current;
    return composer.problem(value, beyond) === "" ? composer.move(value) : null;
  }

  /** @param {any} move @returns {Draft | null} null where nothing can be adjusted */
  adjusting(move) {
    if (this.#adjusted.move !== move) this.#adjusted = { move, draft: this.#adjustable(move) };
    return this.#adjusted.draft;
  }

  /** @param {any} move @param {any} value */
  adjust(move, value) {
    const draft = this.adjusting(move);
    if (draft) this.#adjusted = { move, draft: { ...draft, value } };
  }

  /** @param {any} move @returns {Draft | null} */
  #adjustable(move) {
    const composer = this.#board.adjust?.[move.type];
    const value = composer?.start(move, this.#scene) ?? null;
    return composer && value !== null
      ? { command: move.type, composer, beyond: move, value }
      : null;
  }

  /**
   * Go on with the draft of an older position, if the same can still be composed.
   * @param {Drafts} before
   */
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
