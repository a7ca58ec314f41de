// Taking a seat, so that an answer that gets lost costs nobody the token of their seat.

import { newKey } from "./api.js";
import { isUnanswered } from "./failures.js";
import { paths } from "./home.js";
import { remember } from "./memory.js";

/** @import { Api } from "./api.js" */
/** @import { Wish } from "./types.d.ts" */

// One wish at a time. One without an answer is sent again as it was, so that it counts once.
export class SeatTaking {
  /** @type {Wish | null} */
  #unanswered = null;

  /** @param {Api} api @param {string} match @param {number} seat @param {string} name */
  async take(api, match, seat, name) {
    const wish = this.#wishFor(paths.match(match, `seats/${seat}`), name);
    this.#unanswered = wish;
    const { path, key, entropy } = wish;

    try {
      const joined = await api.post(path, name ? { name, entropy } : { entropy }, { key });
      const holder = `seat:${joined.seat}`;
      remember(match, { tokens: { [holder]: joined.token }, name, reader: holder });
    } catch (failure) {
      if (!isUnanswered(failure)) this.#unanswered = null;
      throw failure;
    }
    this.#unanswered = null;
  }

  /** @param {string} path @param {string} name @returns {Wish} */
  #wishFor(path, name) {
    const before = this.#unanswered;
    if (before?.path === path && before.name === name) return before;
    return { path, name, key: newKey(), entropy: newKey() };
  }
}
