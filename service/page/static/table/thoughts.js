// What bots have weighed before their moves, once a match is revealed: loaded around where one
// looks.

import { paths } from "../base/home.js";

/** @import { Api } from "../base/api.js" */
/** @import { Thought } from "./types.d.ts" */

const PIECE = 100; // versions that are loaded at once

export class Thoughts {
  /** @type {Map<number, Thought>} */ #known = new Map();
  /** By the number of the piece. @type {Map<number, Promise<void>>} */ #pieces = new Map();

  /** @param {Api} api @param {string} match */
  constructor(api, match) {
    this.api = api;
    this.match = match;
  }

  /** @param {number} version @returns {Promise<Thought | null>} null: nothing */
  async of(version) {
    await this.#piece(Math.floor((version - 1) / PIECE));
    return this.#known.get(version) ?? null;
  }

  /** @param {number} piece */
  #piece(piece) {
    const known = this.#pieces.get(piece);
    if (known) return known;

    const coming = this.#load(piece * PIECE, (piece + 1) * PIECE);
    this.#pieces.set(piece, coming);
    coming.catch(() => this.#pieces.delete(piece));
    return coming;
  }

  /**
   * Load the thoughts after a version, up to another. The service may give them in several
   * portions.
   * @param {number} after @param {number} until
   */
  async #load(after, until) {
    let reached = after;
    while (reached < until) {
      const thoughts = await this.#ask(reached, PIECE);
      for (const thought of thoughts) this.#known.set(thought.version, thought);
      reached = thoughts.at(-1)?.version ?? until;
    }
  }

  /** @param {number} after @param {number} limit @returns {Promise<Thought[]>} */
  async #ask(after, limit) {
    const query = { after, limit };
    const { value } = await this.api.get(paths.match(this.match, "thoughts"), { query });
    return value.thoughts;
  }
}
