// Bricks as they are drawn: squares in their colour, each with its letter.

import { html } from "../../base/dom.js";
import { letterOf, listed } from "./bricks.js";

/** @import { Heap } from "./types.d.ts" */

/**
 * Draw one brick. Its letter is drawn by the style: whatever stands around it tells screen readers
 * of it.
 * @param {string} colour @param {string} [classes]
 */
export function brick(colour, classes = "") {
  const all = `firenze-brick firenze-${colour} ${classes}`;
  return html`<span class=${all} data-letter=${letterOf(colour)} aria-hidden="true"></span>`;
}

/** @param {Heap} heap */
export function brickPile(heap) {
  const bricks = listed(heap);
  return html`<span class="firenze-pile">${bricks.map((colour) => brick(colour))}</span>`;
}

/** @param {string} colour @param {number} count */
export function brickCount(colour, count) {
  return html`${brick(colour)}<span class="firenze-count" aria-hidden="true">${count}</span>`;
}
