// The drawings on the buttons of a replay.

import { html } from "../base/dom.js";

/** @import { GlyphName } from "./types.d.ts" */

export const OUTLINES = {
  first: "M5 5h2.5v14H5zM20 5v14l-11-7z",
  turnBack: "M12.5 5v14l-9-7zM21 5v14l-8-7z",
  back: "M16.5 5v14l-10-7z",
  play: "M7 4.5v15l12.5-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  on: "M7.5 5v14l10-7z",
  turnOn: "M11.5 5v14l9-7zM3 5v14l8-7z",
  last: "M16.5 5H19v14h-2.5zM4 5v14l11-7z",
  keys: "M3 6h18v12H3zM5.5 8.5v2h2v-2zM9 8.5v2h2v-2zM12.5 8.5v2h2v-2zM16 8.5v2h2v-2zM7 13.5v2h10v-2z",
};

/** @param {GlyphName} name */
export function glyph(name) {
  return html`<svg class="replay-glyph" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path fill-rule="evenodd" d=${OUTLINES[name]}></path>
  </svg>`;
}
