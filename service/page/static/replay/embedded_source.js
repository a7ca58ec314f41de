/** A match as the file tells it that holds it. */

import { seatNames, straightLines } from "../base/names.js";

/** @typedef {import("../boards/board.js").Seat} Seat */
/** @typedef {import("./source.js").Frame} Frame */
/** @typedef {import("./source.js").Line} Line */

/** A source whose frames and lines are all there. */
export class EmbeddedSource {
  /**
   * @param {any[]} seats as the API tells them
   * @param {Frame[]} frames of the versions from 1 on
   * @param {Line[]} lines of the versions from 1 on
   */
  constructor(seats, frames, lines) {
    this.given = seats;
    this.frames = frames;
    this.lines = lines;
    this.lastVersion = frames.length;
  }

  /** @returns {Promise<Seat[]>} */
  async seats() {
    return seatNames(this.given);
  }

  /**
   * @param {number} after
   * @param {number} limit
   * @returns {Promise<Frame[]>}
   */
  async states(after, limit) {
    return this.frames.slice(after, after + limit);
  }

  /**
   * @param {number} after
   * @param {number} limit
   * @returns {Promise<Line[]>}
   */
  async story(after, limit) {
    return straightLines(this.lines.slice(after, after + limit));
  }
}
