/** Places of this board in HTML: their label says all, so their content is hidden from readers. */

import { html } from "../../base/dom.js";
import { placeBox } from "../place.js";

/** @typedef {import("../../base/dom.js").Template} Template */
/** @typedef {import("../board.js").Scene} Scene */

/**
 * Draw a place.
 *
 * @param {string} name
 * @param {string} label what it is and holds, for screen readers
 * @param {Scene} scene
 * @param {unknown} content
 * @param {string} classes of the element
 * @returns {Template}
 */
export function box(name, label, scene, content, classes) {
  const seen = html`<span class="firenze-seen" aria-hidden="true">${content}</span>`;
  return placeBox(name, label, scene, seen, "img", classes);
}
