/** What the reader's seat may do at the last version of the match, and what was chosen of it. */

import { seatNames } from "../base/names.js";
import { legalMoves } from "./asking.js";
import { Choosing } from "./choosing.js";

/** @typedef {import("../base/api.js").Api} Api */
/** @typedef {import("../boards/board.js").Board} Board */
/** @typedef {import("../boards/board.js").Scene} Scene */
/** @typedef {import("./asking.js").Legal} Legal */

/**
 * The match at its last version, as GET /state tells it to the reader.
 *
 * @typedef {object} Frame
 * @property {number} version
 * @property {string} status
 * @property {{ seats: number[], bots: number[], house: boolean }} waiting_for
 * @property {any} state
 */

/** The present, with the moves that the reader may make in it. */
export class Turn {
  /** @type {Frame | null} */ frame = null;
  /** What the seat may do; it may be older or newer than the frame. @type {Legal | null} */
  legal = null;
  /** null: there is nothing to choose. @type {Choosing | null} */
  choosing = null;

  /** @type {Api} */ #api;
  /** @type {Board} */ #board;
  #loading = new AbortController();

  /**
   * @param {Api} api
   * @param {Board} board
   */
  constructor(api, board) {
    this.#api = api;
    this.#board = board;
  }

  /** Whether the match waits for the reader's seat. */
  get isOwn() {
    const seat = this.legal?.seat ?? null;
    if (seat === null || this.frame?.status !== "running") return false;
    return this.frame.waiting_for.seats.includes(seat);
  }

  /** Whether choices can be made: the moves are those of the present version. */
  get isReady() {
    const isPresent = this.legal !== null && this.legal.version === this.frame?.version;
    return isPresent && this.isOwn && this.choosing !== null;
  }

  /**
   * Load the moves if the seat may act, or if it is not known yet whose seat it is.
   *
   * @param {any} match the answer of GET /matches/{id}
   * @returns {Promise<boolean>} false: other moves are being loaded already
   */
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

  /**
   * Return the present position, with nothing picked.
   *
   * @param {any} match
   * @returns {Scene}
   */
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
