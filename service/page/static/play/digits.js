/** Which of the next choices have a key: the digits 1 to 9 stand for nine of them at a time. */

import { DIGITS, inOrder } from "./choices.js";

/** @typedef {import("../boards/board.js").Choice} Choice */

/** The digits of the choices that can be made next. */
export class Digits {
  /** The first choice that has a digit now. */
  shift = 0;

  /** The choices are others: the first of them have the digits. */
  reset() {
    this.shift = 0;
  }

  /**
   * Let the next choices have the digits; after the last ones the first again.
   *
   * @param {Choice[]} alternatives
   * @returns {boolean} false: all of them have one
   */
  further(alternatives) {
    if (alternatives.length <= DIGITS) return false;
    const next = this.shift + DIGITS;
    this.shift = next < alternatives.length ? next : 0;
    return true;
  }

  /**
   * Return the choice that a digit stands for.
   *
   * @param {number} digit 1 to 9
   * @param {Choice[]} alternatives
   * @returns {Choice | undefined}
   */
  choice(digit, alternatives) {
    return inOrder(alternatives)[this.shift + digit - 1];
  }
}
