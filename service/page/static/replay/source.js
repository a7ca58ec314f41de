// Where a replay comes from: the service, or the file that it is in. What a source gives of a
// version never changes, except when it is told to begin anew.

import { paths } from "../base/home.js";
import { seatNames, straightLines } from "../base/names.js";

/** @import { Api } from "../base/api.js" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Frame, Line } from "./types.d.ts" */

export class ApiSource {
  /** @param {Api} api @param {string} match @param {number} lastVersion */
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

  /** @param {number} after @param {number} limit @returns {Promise<Frame[]>} */
  async states(after, limit) {
    const query = { after, limit };
    const { value } = await this.api.get(paths.match(this.match, "states"), { query });
    return value.states;
  }

  /** @param {number} after @param {number} limit @returns {Promise<Line[]>} */
  async story(after, limit) {
    const query = { after, limit };
    const { value } = await this.api.get(paths.match(this.match, "story"), { query });
    return straightLines(value.lines);
  }
}
