// The wooden pieces: discs, cubes, ships and houses, each with its owner's colour and shape.

import { html, svg } from "../../base/dom.js";
import { seatMark } from "../../base/seat_marks.js";
import { icon } from "./icons.js";

/** @import { Template } from "../../base/types.d.ts" */

export const DISC_WIDTH = 76;
export const DISC_HEIGHT = 22;

const STAR = "0,-9 2.3,-3.1 8.6,-2.8 3.7,1.2 5.3,7.3 0,3.9 -5.3,7.3 -3.7,1.2 -8.6,-2.8 -2.3,-3.1";

/** @param {number | "white"} disc its owner's seat, or white @param {number} x @param {number} y */
export function discAt(disc, x, y) {
  const colour = disc === "white" ? "calimala-white" : `seat-${disc}`;
  const middle = DISC_WIDTH / 2;
  const mark =
    disc === "white"
      ? svg`<polygon class="star" points=${STAR} transform="translate(${middle} ${DISC_HEIGHT / 2})"></polygon>`
      : seatMark(disc, middle, DISC_HEIGHT / 2, 18);
  return svg`<g class="calimala-disc ${colour}" transform="translate(${x} ${y})">
    <rect class="body" width=${DISC_WIDTH} height=${DISC_HEIGHT} rx="7"></rect>${mark}
  </g>`;
}

/** @param {number | "white"} disc */
export function discInline(disc) {
  const box = `-2 -2 ${DISC_WIDTH + 4} ${DISC_HEIGHT + 4}`;
  return html`<svg class="calimala-inline calimala-slab" viewBox=${box} aria-hidden="true">
    ${discAt(disc, 0, 0)}
  </svg>`;
}

/** @param {number} seat */
export function markInline(seat) {
  return html`<svg class="calimala-inline calimala-mark" viewBox="-12 -12 24 24" aria-hidden="true">
    ${seatMark(seat, 0, 0, 20)}
  </svg>`;
}

/** @param {number[]} owners @param {number} room */
export function slots(owners, room) {
  const free = Array(room).fill(null);
  return html`<span class="calimala-slots">${[...owners, ...free].map(slot)}</span>`;
}

/** @param {number | null} owner */
function slot(owner) {
  // A free slot is no drawing but a box: there are two hundred, and a drawing costs ten times as much.
  if (owner === null) return html`<span class="calimala-slot calimala-free"></span>`;
  return html`<svg class="calimala-slot" viewBox="-12 -12 24 24" aria-hidden="true">
    <rect x="-11" y="-11" width="22" height="22" rx="3"></rect>
    ${seatMark(owner, 0, 0, 19)}
  </svg>`;
}

/** @param {number[]} amounts */
export function ownersOf(amounts) {
  return amounts.flatMap((amount, seat) => Array(amount).fill(seat));
}

/** @param {string} name @param {number} built @param {number} most */
export function builtPieces(name, built, most) {
  const pieces = [];
  for (let index = 0; index < most; index++) {
    const state = index < built ? "built" : "unbuilt";
    pieces.push(html`<span class="calimala-piece ${state}">${icon(name)}</span>`);
  }
  return html`<span class="calimala-pieces">${pieces}</span>`;
}

/** @param {number[]} amounts @returns {Template[]} */
export function tally(amounts) {
  const chips = [];
  for (const [seat, amount] of amounts.entries()) {
    if (amount > 0)
      chips.push(html`<span class="calimala-chip">${markInline(seat)}${amount}</span>`);
  }
  return chips;
}
