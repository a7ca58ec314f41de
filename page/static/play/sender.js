// Sends the moves of a line one after another. Each is made once at most, even if answers are lost:
// a move without an answer is repeated under its idempotency key.

import { isUnanswered, Problem } from "../base/api.js";
import { paths } from "../base/home.js";
import { rest } from "../base/stream.js";
import { made, parcelOf, signingOf } from "./asking.js";
import { inOneOrder } from "./paths.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { Line } from "./line.js" */
/** @import { Parcel, Sent } from "./types.d.ts" */

const FIRST_PAUSE = 100; // milliseconds before the second look for the steps of the house
const LONGEST_PAUSE = 1_000;
const MOST_LOOKS = 40;

export class Sender {
  #api;
  #match;
  #made = 0;
  /** The move that is under way. @type {Parcel | null} */ #parcel = null;

  /** The version before the last move that was prepared. */ lastSeen = 0;

  /** @param {Api} api @param {Match} match */
  constructor(api, match) {
    this.#api = api;
    this.#match = match;
  }

  /** @param {Line} line @returns {Promise<Sent>} */
  async send(line) {
    const of = line.moves.length;
    try {
      while (this.#made < of) {
        const why = await this.#goOn(line, this.#made);
        if (why !== "") return this.#report(of, why);
      }
      return this.#report(of, await this.#compare(line, of));
    } catch (failure) {
      if (!(failure instanceof Problem) || isUnanswered(failure)) throw failure;
      this.#parcel = null;
      return {
        ...this.#report(of, failure.status === 412 ? "moved" : "refused"),
        problem: failure,
      };
    }
  }

  // Make a move, if the match is as the line was before it.
  /** @param {Line} line @param {number} number @returns {Promise<Sent["why"]>} "": it is made */
  async #goOn(line, number) {
    if (this.#parcel === null) {
      const why = await this.#compare(line, number);
      if (why !== "") return why;
    }
    const parcel = /** @type {Parcel | null} */ (this.#parcel);
    if (parcel) await made(this.#api, this.#match.match, parcel);
    this.#parcel = null;
    this.#made += 1;
    return "";
  }

  // Compare the match with the line after so many moves, and prepare the next move.
  /** @param {Line} line @param {number} number @returns {Promise<Sent["why"]>} "": they are the same */
  async #compare(line, number) {
    const steps = line.stepsBefore(number);
    const version = line.version + steps;
    const head = await this.#headAt(version);
    if (head.value.version < version) return "late";

    const isLast = number === line.moves.length;
    const isHead = head.value.version === version;
    if (!isHead && !isLast) return "moved";
    const state = isHead ? head.value.state : await this.#stateAt(version);
    if (number > 0 && inOneOrder(state) !== inOneOrder(line.viewAfter(steps))) return "differs";
    if (isLast) return "";

    const { seat, ...move } = line.moves[number] ?? { seat: 0, type: "" };
    this.lastSeen = version;
    this.#parcel = parcelOf(move, head, signingOf(this.#match, seat, head.value));
    return "";
  }

  // Return the present state, once the house has taken its steps after the moves. After MOST_LOOKS
  // it is returned all the same.
  /** @param {number} version */
  async #headAt(version) {
    const path = paths.match(this.#match.match, "state");
    for (let looks = 1, pause = FIRST_PAUSE; ; looks += 1) {
      const head = await this.#api.get(path);
      if (head.value.version >= version || looks >= MOST_LOOKS) return head;
      await rest(pause, new AbortController().signal);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }

  /** @param {number} version */
  async #stateAt(version) {
    const query = { version };
    const { value } = await this.#api.get(paths.match(this.#match.match, "state"), { query });
    return value.state;
  }

  /** @param {number} of @param {Sent["why"]} why @returns {Sent} */
  #report(of, why) {
    return { made: this.#made, of, why, happened: [], problem: null };
  }
}
