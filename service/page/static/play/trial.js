/** Looking ahead: the chosen move is tried, and what it would cause is shown before it is made. */

import { seatNames } from "../base/names.js";
import { announce } from "../base/page.js";
import { previewOf, tried } from "./asking.js";

/** @typedef {import("../base/api.js").Api} Api */
/** @typedef {import("./asking.js").Legal} Legal */
/** @typedef {import("./asking.js").Preview} Preview */

/** One look ahead at a time; a new one gives up the one before. */
export class Trial {
  /** @type {Preview | null} */ preview = null;

  /** @type {Api} */ #api;
  #running = new AbortController();

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
  }

  /** Give up what is being looked at. */
  stop() {
    this.#running.abort();
    this.preview = null;
  }

  /**
   * Try a move. Throws what the service refuses.
   *
   * @param {any} match the answer of GET /matches/{id}
   * @param {any} move
   * @param {Legal} legal
   * @param {any} view of the present
   * @returns {Promise<boolean>} whether there is something new to show
   */
  async start(match, move, legal, view) {
    this.stop();
    this.#running = new AbortController();
    const { signal } = this.#running;

    try {
      const events = await tried(this.#api, match.id, move, legal, signal);
      if (signal.aborted) return false;
      this.preview = previewOf(events, view, seatNames(match.seats));
    } catch (failure) {
      if (signal.aborted) return false;
      throw failure;
    }

    announce(this.preview.sentences.map(({ text }) => text).join(" "));
    return true;
  }
}
