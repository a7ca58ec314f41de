// A line: moves tried one after another from a version of a match on. The service tells
// their effects, and writes nothing.

import { newKey, Problem } from "../base/api.js";
import { paths } from "../base/home.js";

/** @import { Api } from "../base/api.js" */
/** @import { Move } from "../boards/types.d.ts" */
/** @import { LineMove, LineStep, Tried } from "./types.d.ts" */

export class Line {
  /** The results after no move, after one, after two. @type {Tried[]} */
  #stands = [];

  #api;
  #match;
  #seed = newKey();

  /** @param {Api} api @param {string} match @param {number} version its start */
  constructor(api, match, version) {
    this.#api = api;
    this.#match = match;
    this.version = version;
  }

  /** @returns {Tried | undefined} the last result. undefined: it has not begun */
  get now() {
    return this.#stands.at(-1);
  }

  /** @returns {LineMove[]} */
  get moves() {
    return this.now?.moves ?? [];
  }

  /** @returns {LineStep[]} */
  get steps() {
    return this.now?.answer.steps ?? [];
  }

  /** @returns {number | null} */
  get reader() {
    return this.now?.answer.seat ?? null;
  }

  /** @returns {object} the game after all tried moves */
  get view() {
    return this.viewAfter(this.steps.length);
  }

  /** @returns {object} the game before the last tried move */
  get viewBefore() {
    return this.viewAfter(this.stepsBefore(this.moves.length - 1));
  }

  // Begin: ask for the first legal moves, and for the board at the start.
  /** @param {number | null} eyes the viewing seat; null: one's own */
  async begin(eyes) {
    this.#stands = [await this.#ask([], eyes)];
  }

  // Try one more move. Throws Problem if the rules do not allow it.
  /** @param {Move} move @param {number} seat @param {number | null} eyes */
  async go(move, seat, eyes) {
    this.#stands.push(await this.#ask([...this.moves, { ...move, seat }], eyes));
  }

  // View the same position from another seat.
  /** @param {number} eyes */
  async lookAs(eyes) {
    const stand = await this.#ask(this.moves, eyes);
    this.#stands[this.#stands.length - 1] = stand;
  }

  /** @param {number} moves number of moves that stay */
  backTo(moves) {
    this.#stands = this.#stands.slice(0, moves + 1);
  }

  /** @param {number} number @returns {number} the steps before a move, with those of the house */
  stepsBefore(number) {
    if (number === this.moves.length) return this.steps.length;
    return Math.max(
      0,
      this.steps.findIndex(({ move_index: index }) => index === number),
    );
  }

  /** @param {number} steps @returns {object} the game after so many steps */
  viewAfter(steps) {
    return this.steps[steps - 1]?.state ?? this.now?.first ?? {};
  }

  /** @param {LineMove[]} moves @param {number | null} eyes @returns {Promise<Tried>} */
  async #ask(moves, eyes) {
    const seat = eyes === null ? {} : { seat: eyes };
    const body = { version: this.version, moves, seed: this.#seed, ...seat };
    const asked = this.#api.post(paths.match(this.#match, "lines"), body);
    const [answer, first] = await Promise.all([asked, this.#first(eyes)]);
    const { refusal } = answer;
    if (refusal) throw new Problem(409, { title: "This cannot be done", ...refusal });
    return { moves, answer, first };
  }

  // Return the game at the start of the line.
  /** @param {number | null} eyes @returns {Promise<object>} */
  async #first(eyes) {
    const known = this.#stands.find(({ answer }) => eyes === null || answer.seat === eyes);
    if (known) return known.first;
    const query = { version: this.version, seat: eyes };
    const { value } = await this.#api.get(paths.match(this.#match, "state"), { query });
    return value.state ?? {};
  }
}
