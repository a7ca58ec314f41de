// Sending a move, so that it is made once at most whatever becomes of the answer.

import { isUnanswered } from "../base/failures.js";
import { made, parcelOf } from "./asking.js";

/** @import { Api } from "../base/api.js" */
/** @import { Legal, Parcel } from "./types.d.ts" */

export class Delivery {
  /** "lost": no answer came, and the same may be sent again. @type {"" | "sending" | "lost"} */
  state = "";

  /** @type {Api} */ #api;
  /** @type {Parcel | null} */ #parcel = null;

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
  }

  /**
   * Send a move, or once more the one that no answer came to. Throws why it was not made.
   * @param {string} match @param {any} move @param {Legal} legal @returns {Promise<any>}
   */
  async send(match, move, legal) {
    this.#parcel ??= parcelOf(move, legal);
    this.state = "sending";

    try {
      const commit = await made(this.#api, match, this.#parcel);
      this.settle();
      return commit;
    } catch (failure) {
      if (isUnanswered(failure)) this.state = "lost";
      else this.settle();
      throw failure;
    }
  }

  // The move was answered, or what became of it is known in another way.
  settle() {
    this.#parcel = null;
    this.state = "";
  }
}
