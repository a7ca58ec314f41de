// Places of this board in HTML: their label says all, so their content is hidden from readers.

import { html } from "../../base/dom.js";
import { placeBox } from "../place.js";

/** @import { Scene } from "../types.d.ts" */

/**
 * @param {string} name @param {string} label @param {Scene} scene @param {unknown} content
 * @param {string} classes
 */
export function box(name, label, scene, content, classes) {
  const seen = html`<span class="firenze-seen" aria-hidden="true">${content}</span>`;
  return placeBox(name, label, scene, seen, "img", classes);
}
