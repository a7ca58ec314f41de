// Looking ahead: the chosen move is tried, and what it would cause is shown before it is made.

import { seatNames } from "../base/names.js";
import { announce } from "../base/page.js";
import { previewOf, tried } from "./asking.js";

/** @import { Api } from "../base/api.js" */
/** @import { Legal, Preview } from "./types.d.ts" */

// One look ahead at a time; a new one gives up the one before.
export class Trial {
  /** @type {Preview | null} */ preview = null;

  /** @type {Api} */ #api;
  #running = new AbortController();

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
  }

  stop() {
    this.#running.abort();
    this.preview = null;
  }

  /**
   * @param {any} match @param {any} move @param {Legal} legal @param {any} view
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
