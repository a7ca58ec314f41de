// Asking what a strong bot would do, where the match allows it (M14).

import { Problem } from "../base/api.js";
import { paths } from "../base/home.js";

/** @import { Api } from "../base/api.js" */
/** @import { Candidate } from "./types.d.ts" */

const MOST_ASKED = 60; // times for one advice
const PAUSE = 1; // seconds between two of them, where the service does not say

const NO_ANSWER = {
  title: "No advice has come",
  detail: "The bot that gives it has not answered for a minute. You can ask again.",
};

export class Advising {
  /** @type {"" | "thinking" | "ready"} */ state = "";
  /** @type {Candidate[]} */
  best = [];
  /** @type {unknown} */
  problem = null;

  /** @type {Api} */ #api;
  #asking = new AbortController();

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
  }

  stop() {
    this.#asking.abort();
    this.state = "";
    this.best = [];
    this.problem = null;
  }

  /** @param {string} match @param {number} version */
  async ask(match, version) {
    this.stop();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    this.state = "thinking";

    try {
      const best = await this.#answer(match, version, signal);
      if (signal.aborted) return false;
      this.best = best ?? [];
      this.state = best ? "ready" : "";
    } catch (failure) {
      if (signal.aborted) return false;
      this.problem = failure;
      this.state = "";
    }
    return true;
  }

  /**
   * @param {string} match @param {number} version @param {AbortSignal} signal
   * @returns {Promise<Candidate[] | null>} null: the match has moved on
   */
  async #answer(match, version, signal) {
    for (let asked = 0; asked < MOST_ASKED; asked += 1) {
      const path = paths.match(match, "advice");
      const { value, status, retryAfter } = await this.#api.get(path, { signal });
      if (value.version !== version) return null;
      if (status === 200) return value.best;
      await pause(retryAfter ?? PAUSE, signal);
    }
    throw new Problem(504, NO_ANSWER);
  }
}

/** @param {number} seconds @param {AbortSignal} signal @returns {Promise<void>} */
function pause(seconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    const giveUp = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", giveUp, { once: true });
  });
}
