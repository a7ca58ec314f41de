// What proves a version: its time and its hash.

import { copy } from "../base/copy.js";
import { html, nothing } from "../base/dom.js";
import { moment } from "../base/words.js";

/** @import { Frame } from "./types.d.ts" */

const SHORT = 12; // hex digits that are shown at first

/** @param {Frame} frame */
export function drawStamp({ version, time, hash }) {
  return html`
    <p class="replay-time numbers">
      Version ${version}, <time datetime=${time}>${moment(time)}</time>
    </p>
    ${hash ? drawHash(hash) : nothing}`;
}

/** @param {string} hash */
function drawHash(hash) {
  /** @param {Event} event */
  function onCopy(event) {
    copy(hash, /** @type {HTMLElement} */ (event.currentTarget));
  }

  return html`<details class="replay-hash">
    <summary>Hash <code>${hash.slice(0, SHORT)}</code></summary>
    <code>${hash}</code>
    <button type="button" @click=${onCopy}>Copy</button>
  </details>`;
}
