/** Asking what a strong bot would do, where the match allows it (M14). */

import { Problem } from "../base/api.js";
import { paths } from "../base/home.js";

/** @typedef {import("../base/api.js").Api} Api */

/**
 * A move that was weighed.
 *
 * @typedef {object} Candidate
 * @property {any} move as it may be posted
 * @property {number | null} win_chance how likely its seat wins after it; null: it is not weighed
 */

const MOST_ASKED = 60; // times for one advice
const PAUSE = 1; // seconds between two of them, where the service does not say

const NO_ANSWER = {
  title: "No advice has come",
  detail: "The bot that gives it has not answered for a minute. You can ask again.",
};

/** One question at a time, about one version of the match. */
export class Advising {
  /** @type {"" | "thinking" | "ready"} */ state = "";
  /** The best moves, the best first; none until ready. @type {Candidate[]} */
  best = [];
  /** Why there is no advice; null: nothing went wrong. @type {unknown} */
  problem = null;

  /** @type {Api} */ #api;
  #asking = new AbortController();

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
  }

  /** Give up the question, and forget what was advised. */
  stop() {
    this.#asking.abort();
    this.state = "";
    this.best = [];
    this.problem = null;
  }

  /**
   * Ask, and wait for the advice.
   *
   * @param {string} match
   * @param {number} version advice for another one is of no use
   * @returns {Promise<boolean>} whether there is something new to show
   */
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
   * @param {string} match
   * @param {number} version
   * @param {AbortSignal} signal
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

/**
 * Wait for some seconds, or until the signal says that nobody waits any more.
 *
 * @param {number} seconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
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
