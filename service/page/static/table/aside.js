// What stands beside the replay of a match that is revealed: what its bots have weighed. The module
// that draws it is loaded where there is something to draw.

import { nothing } from "../base/dom.js";
import { paths } from "../base/home.js";

/** @import { Seat } from "../boards/types.d.ts" */
/** @import { WeighingParts } from "./types.d.ts" */
/** @import { Weighing } from "./weighing.js" */

export class Aside {
  #isAsked = false;

  /** @type {Weighing | null} */
  #weighing = null;

  /** @param {WeighingParts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  /** @param {number} version @param {Seat[]} seats */
  draw(version, seats) {
    if (!this.#isAsked) this.#ask();
    return this.#weighing?.draw(version, seats) ?? nothing;
  }

  // Without an answer it is asked again at the next look.
  async #ask() {
    this.#isAsked = true;
    const { api, match, changed } = this.parts;
    const query = { limit: 1 };

    try {
      const { value } = await api.get(paths.match(match, "thoughts"), { query });
      if (value.thoughts.length === 0) return;
      const { Weighing } = await import("./weighing.js");
      this.#weighing = new Weighing(this.parts);
      changed();
    } catch {
      this.#isAsked = false;
    }
  }
}
