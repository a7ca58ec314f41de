/** The moves that are put together with a composer because no list holds them all. */

import { capital, worded } from "../base/words.js";
import { freehand } from "./freehand.js";

/** @typedef {import("../boards/board.js").Board} Board */
/** @typedef {import("../boards/board.js").Choice} Choice */
/** @typedef {import("../boards/board.js").Composer} Composer */
/** @typedef {import("../boards/board.js").Scene} Scene */

/**
 * A move that can be composed, or is being composed.
 *
 * @typedef {object} Draft
 * @property {string} command
 * @property {Composer} composer
 * @property {any} beyond what the API says of the command
 * @property {any} value what the composer has made so far
 */

/** What the keys of choices that start a composer begin with. */
const COMPOSE = "compose:";

/** The composers of one position, of which at most one is at work. */
export class Drafts {
  /** The move being composed. @type {Draft | null} */
  current = null;

  /** @type {Draft[]} */ #all;
  /** @type {Board} */ #board;
  /** @type {Scene} */ #scene;

  /** What was last adjusted, by its listed move. @type {{move: any, draft: Draft | null}} */
  #adjusted = { move: null, draft: null };

  /**
   * @param {Board} board
   * @param {Scene} scene
   * @param {Record<string, any>} beyond
   */
  constructor(board, scene, beyond) {
    this.#board = board;
    this.#scene = scene;
    this.#all = Object.entries(beyond).map(([command, described]) => {
      const composer = board.composers[command] ?? freehand(command);
      return { command, composer, beyond: described, value: composer.start(described, scene) };
    });
  }

  /** @returns {Choice[]} the choices that start a composer */
  starts() {
    return this.#all.map(({ command, composer }) => {
      const title = commandText(command);
      const text = "byHand" in composer ? `${title} in a way that is not listed` : title;
      return { key: COMPOSE + command, text };
    });
  }

  /**
   * Start the composer of a choice.
   *
   * @param {string} key
   * @returns {boolean} whether the choice starts one
   */
  start(key) {
    const draft = this.#all.find(({ command }) => COMPOSE + command === key);
    this.current = draft ?? null;
    return draft !== undefined;
  }

  /**
   * Put a whole move together.
   *
   * @param {any} move
   * @returns {boolean} whether there is a composer that can
   */
  take(move) {
    const draft = this.#all.find(({ command }) => command === move.type);
    if (!draft?.composer.from) return false;

    const value = draft.composer.from(move, draft.beyond, this.#scene);
    this.current = { ...draft, value };
    return true;
  }

  /**
   * Pick a place for the move being composed, or for one that it starts.
   *
   * @param {string} place
   * @returns {boolean} whether that did anything
   */
  pick(place) {
    const draft = this.#open().find((candidate) => targetsOf(candidate).has(place));
    if (!draft) return false;

    this.current = { ...draft, value: draft.composer.pick(draft.value, place) };
    return true;
  }

  /** @returns {Set<string>} the places that can be picked for the move, or to start one */
  targets() {
    const places = new Set();
    for (const draft of this.#open()) {
      for (const place of targetsOf(draft)) places.add(place);
    }
    return places;
  }

  /** @param {any} value the draft that follows */
  change(value) {
    if (this.current) this.current = { ...this.current, value };
  }

  /** @returns {any} the move as it may be posted; null while it is unfinished */
  move() {
    if (!this.current) return null;
    const { composer, value, beyond } = this.current;
    return composer.problem(value, beyond) === "" ? composer.move(value) : null;
  }

  /**
   * Return the composer that adjusts a listed move, such as the bricks that it pays.
   *
   * @param {any} move
   * @returns {Draft | null} null where nothing can be adjusted
   */
  adjusting(move) {
    if (this.#adjusted.move !== move) this.#adjusted = { move, draft: this.#adjustable(move) };
    return this.#adjusted.draft;
  }

  /**
   * @param {any} move
   * @param {any} value the draft that follows
   */
  adjust(move, value) {
    const draft = this.adjusting(move);
    if (draft) this.#adjusted = { move, draft: { ...draft, value } };
  }

  /**
   * @param {any} move
   * @returns {Draft | null}
   */
  #adjustable(move) {
    const composer = this.#board.adjust?.[move.type];
    const value = composer?.start(move, this.#scene) ?? null;
    return composer && value !== null
      ? { command: move.type, composer, beyond: move, value }
      : null;
  }

  /**
   * Go on with the draft of an older position, if the same can still be composed.
   *
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

/**
 * Return what a command is called.
 *
 * @param {string} command
 * @returns {string}
 */
export function commandText(command) {
  return capital(worded(command));
}

/**
 * Return the places that can be picked for a draft.
 *
 * @param {Draft} draft
 */
export function targetsOf({ composer, value, beyond }) {
  return composer.targets(value, beyond);
}
