/** Bricks as they are drawn: squares in their colour, each with its letter. */

import { html } from "../../base/dom.js";
import { letterOf, listed } from "./bricks.js";

/** @typedef {import("../../base/dom.js").Template} Template */
/** @typedef {import("./bricks.js").Heap} Heap */

/**
 * Draw one brick. Its letter is drawn by the style: whatever stands around it tells
 * screen readers of it.
 *
 * @param {string} colour
 * @param {string} [classes] further classes
 * @returns {Template}
 */
export function brick(colour, classes = "") {
  const all = `firenze-brick firenze-${colour} ${classes}`;
  return html`<span class=${all} data-letter=${letterOf(colour)} aria-hidden="true"></span>`;
}

/**
 * Draw every brick of a heap, cheapest first.
 *
 * @param {Heap} heap
 * @returns {Template}
 */
export function brickPile(heap) {
  const bricks = listed(heap);
  return html`<span class="firenze-pile">${bricks.map((colour) => brick(colour))}</span>`;
}

/**
 * Draw a heap of one colour: a brick and how many there are.
 *
 * @param {string} colour
 * @param {number} count
 * @returns {Template}
 */
export function brickCount(colour, count) {
  return html`${brick(colour)}<span class="firenze-count" aria-hidden="true">${count}</span>`;
}
