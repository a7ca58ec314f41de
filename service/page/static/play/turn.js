// What the reader's seat may do at the last version of the match, and what was chosen of it.

import { seatNames } from "../base/names.js";
import { legalMoves } from "./asking.js";
import { Choosing } from "./choosing.js";

/** @import { Api } from "../base/api.js" */
/** @import { Board, Scene } from "../boards/types.d.ts" */
/** @import { Frame, Legal } from "./types.d.ts" */

export class Turn {
  /** @type {Frame | null} */ frame = null;
  /** @type {Legal | null} */
  legal = null;
  /** null: there is nothing to choose. @type {Choosing | null} */
  choosing = null;

  /** @type {Api} */ #api;
  /** @type {Board} */ #board;
  #loading = new AbortController();

  /** @param {Api} api @param {Board} board */
  constructor(api, board) {
    this.#api = api;
    this.#board = board;
  }

  get isOwn() {
    const seat = this.legal?.seat ?? null;
    if (seat === null || this.frame?.status !== "running") return false;
    return this.frame.waiting_for.seats.includes(seat);
  }

  // Whether choices can be made: the moves are those of the present version.
  get isReady() {
    const isPresent = this.legal !== null && this.legal.version === this.frame?.version;
    return isPresent && this.isOwn && this.choosing !== null;
  }

  /** @param {any} match @returns {Promise<boolean>} false: other moves are being loaded already */
  async load(match) {
    this.#loading.abort();
    this.#loading = new AbortController();
    const { signal } = this.#loading;

    const isOthers = this.legal !== null && !this.isOwn;
    if (!isOthers) {
      try {
        this.legal = await legalMoves(this.#api, match.id, signal);
      } catch (failure) {
        if (signal.aborted) return false;
        throw failure;
      }
    }

    if (signal.aborted) return false;
    this.#begin(match);
    return true;
  }

  /** @param {any} match @returns {Scene} */
  scene(match) {
    return {
      view: this.frame?.state,
      seats: seatNames(match.seats),
      reader: this.legal?.seat ?? null,
      targets: new Set(),
      picked: new Set(),
      changed: new Set(),
      pick: () => {},
    };
  }

  /** @param {any} match */
  #begin(match) {
    const before = this.choosing;
    this.choosing = null;
    if (!this.legal || !this.isOwn) return;

    this.choosing = new Choosing(this.#board, this.scene(match), this.legal);
    if (before) this.choosing.resume(before);
  }
}
