// The way to advice: the module that asks for it is loaded where the match allows it (M14).
/** @import { Advice } from "./advice.js" */
/** @import { AdviserParts, Drawn, Position } from "./types.d.ts" */

export class Adviser {
  /** null: nobody advises, or it is not loaded yet. @type {Advice | null} */ #advice = null;

  /** @param {AdviserParts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  /** @param {{ advice: boolean }} match */
  follow(match) {
    this.#advice?.stop();
    if (match.advice && !this.#advice) this.#load();
  }

  /** @param {Position} position @returns {Drawn | null} */
  draw(position) {
    return this.#advice?.draw(position) ?? null;
  }

  // What does not come is asked for again at the next move.
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
