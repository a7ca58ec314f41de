// Which of the next choices have a key: the digits 1 to 9 stand for nine of them at a time.

import { DIGITS, inOrder } from "./choices.js";

/** @import { Choice } from "../boards/types.d.ts" */

export class Digits {
  shift = 0;

  reset() {
    this.shift = 0;
  }

  /**
   * Let the next choices have the digits; after the last ones the first again.
   * @param {Choice[]} alternatives
   */
  further(alternatives) {
    if (alternatives.length <= DIGITS) return false;
    const next = this.shift + DIGITS;
    this.shift = next < alternatives.length ? next : 0;
    return true;
  }

  /** @param {number} digit @param {Choice[]} alternatives @returns {Choice | undefined} */
  choice(digit, alternatives) {
    return inOrder(alternatives)[this.shift + digit - 1];
  }
}
