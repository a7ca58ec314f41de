// A match as the file tells it that holds it.

import { seatNames, straightLines } from "../base/names.js";

/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Frame, Line } from "./types.d.ts" */

export class EmbeddedSource {
  /** @param {any[]} seats @param {Frame[]} frames @param {Line[]} lines */
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

  /** @param {number} after @param {number} limit @returns {Promise<Frame[]>} */
  async states(after, limit) {
    return this.frames.slice(after, after + limit);
  }

  /** @param {number} after @param {number} limit @returns {Promise<Line[]>} */
  async story(after, limit) {
    return straightLines(this.lines.slice(after, after + limit));
  }
}
