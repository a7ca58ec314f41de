// The button for saving a revealed match as one web page.

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

  /** @param {() => void} changed called when it looks different */
  constructor(changed) {
    this.changed = changed;
  }

  /** @param {Match} match a revealed one */
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

// Return an API with the public's view of a match. null: this browser has no token for it.
/** @param {Match} match */
function publicReader({ match, visibility }) {
  if (visibility === "public") return new Api(HOME);
  const { owner, spectator } = tokens(match);
  const token = spectator ?? owner;
  return token ? new Api(HOME, token) : null;
}
