/**
 * Where a replay comes from: the service, or the file that it is in.
 *
 * What a source gives of a version never changes, except when it is told to begin anew.
 */

import { paths } from "../base/home.js";
import { seatNames, straightLines } from "../base/names.js";

/** @typedef {import("../base/api.js").Api} Api */
/** @typedef {import("../boards/board.js").Seat} Seat */

/**
 * The match at a version, as the reader may see it.
 *
 * @typedef {object} Frame
 * @property {number} version
 * @property {string} time RFC 3339
 * @property {string} hash
 * @property {"open" | "running" | "finished" | "aborted"} status
 * @property {{ house: boolean, seats: number[], bots: number[] }} waiting_for
 * @property {any} state the game's view; null before the start
 */

/**
 * @typedef {object} Heading
 * @property {"setup" | "turn" | "scoring" | "end"} part
 * @property {string} title
 */

/**
 * @typedef {object} Sentence
 * @property {string} text
 * @property {string[]} rules
 * @property {Heading} [heading]
 */

/**
 * What a commit did, in sentences.
 *
 * @typedef {object} Line
 * @property {number} version
 * @property {string} time RFC 3339
 * @property {string} actor
 * @property {Sentence[]} sentences
 */

/**
 * @typedef {object} Source
 * @property {number} lastVersion the last version there is, as far as is known
 * @property {() => Promise<Seat[]>} seats
 * @property {(after: number, limit: number) => Promise<Frame[]>} states the frames after a version
 * @property {(after: number, limit: number) => Promise<Line[]>} story the lines after a version
 */

/** A match as the service tells it. */
export class ApiSource {
  /**
   * @param {Api} api
   * @param {string} match
   * @param {number} lastVersion
   */
  constructor(api, match, lastVersion) {
    this.api = api;
    this.match = match;
    this.lastVersion = lastVersion;
  }

  /** @returns {Promise<Seat[]>} */
  async seats() {
    const { value } = await this.api.get(paths.match(this.match));
    return seatNames(value.seats);
  }

  /**
   * @param {number} after
   * @param {number} limit
   * @returns {Promise<Frame[]>}
   */
  async states(after, limit) {
    const query = { after, limit };
    const { value } = await this.api.get(paths.match(this.match, "states"), { query });
    return value.states;
  }

  /**
   * @param {number} after
   * @param {number} limit
   * @returns {Promise<Line[]>}
   */
  async story(after, limit) {
    const query = { after, limit };
    const { value } = await this.api.get(paths.match(this.match, "story"), { query });
    return straightLines(value.lines);
  }
}
