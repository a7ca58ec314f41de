/** The way to advice: the module that asks for it is loaded where the match allows it (M14). */

/** @typedef {import("./advice.js").Advice} Advice */
/** @typedef {import("./advice.js").Drawn} Drawn */
/** @typedef {import("./advice.js").Position} Position */

/**
 * @typedef {import("./advice.js").Parts & { failed: (problem: unknown) => void }} Parts
 *   failed: called when the module has not come
 */

/** Advice for one reader at one match, if there is any. */
export class Adviser {
  /** null: nobody advises, or it is not loaded yet. @type {Advice | null} */ #advice = null;

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  /**
   * Forget what was advised, since the match has moved on; load what asks for advice if it is not
   * there yet.
   *
   * @param {{ advice: boolean }} match
   */
  follow(match) {
    this.#advice?.stop();
    if (match.advice && !this.#advice) this.#load();
  }

  /**
   * Draw the button that asks, and what was advised; null where nobody advises.
   *
   * @param {Position} position
   * @returns {Drawn | null}
   */
  draw(position) {
    return this.#advice?.draw(position) ?? null;
  }

  /** What does not come is asked for again at the next move. */
  async #load() {
    try {
      const { Advice } = await import("./advice.js");
      this.#advice ??= new Advice(this.parts);
      this.parts.changed();
    } catch (problem) {
      this.parts.failed(problem);
    }
  }
}
