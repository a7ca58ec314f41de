// The button that saves a revealed match as one web page.

import { Api } from "../base/api.js";
import { html, nothing } from "../base/dom.js";
import { HOME } from "../base/home.js";
import { tokens } from "../base/memory.js";
import { problemBox } from "../base/page.js";

/** @import { Match } from "../../api.d.ts" */

export class SaveButton {
  #isSaving = false;

  /** @type {unknown} */
  #problem = null;

  /** @param {() => void} changed called when it looks otherwise */
  constructor(changed) {
    this.changed = changed;
  }

  /** @param {Match} match one of which nothing is secret any more */
  draw(match) {
    const reader = publicReader(match);
    if (reader === null) return nothing;
    return html`<button
        type="button"
        ?disabled=${this.#isSaving}
        @click=${() => this.#save(match, reader)}
      >
        ${this.#isSaving ? "Making the page …" : "Save as a web page"}
      </button>
      ${this.#problem ? problemBox(this.#problem, match.game) : nothing}`;
  }

  /** @param {Match} match @param {Api} reader */
  async #save(match, reader) {
    this.#isSaving = true;
    this.#problem = null;
    this.changed();
    try {
      const { savePage } = await import("./saving.js");
      await savePage(match, reader);
    } catch (problem) {
      this.#problem = problem;
    }
    this.#isSaving = false;
    this.changed();
  }
}

// Return who reads what the public sees of a match; null: this browser cannot.
/** @param {Match} match */
function publicReader({ id, visibility }) {
  if (visibility === "public") return new Api(HOME);
  const { owner, spectator } = tokens(id);
  const token = spectator ?? owner;
  return token ? new Api(HOME, token) : null;
}
