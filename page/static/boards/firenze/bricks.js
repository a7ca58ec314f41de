// Bricks: their colours, cheapest first (F2), and heaps of them as counts by colour.

import { html, nothing } from "../../base/dom.js";
import { rulesAddress } from "../../base/home.js";

/** @import { Choosing, Heap } from "./types.d.ts" */

// The colours, cheapest first.
export const COLOURS = ["white", "yellow", "green", "red", "blue", "purple"];

/** @param {string} colour */
export function letterOf(colour) {
  return colour.charAt(0).toUpperCase();
}

/** @param {Heap} heap */
export function total(heap) {
  let bricks = 0;
  for (const count of Object.values(heap)) bricks += count;
  return bricks;
}

/** @param {Heap} heap */
export function listed(heap) {
  /** @type {string[]} */
  const bricks = [];
  for (const colour of COLOURS) {
    for (let count = heap[colour] ?? 0; count > 0; count -= 1) bricks.push(colour);
  }
  return bricks;
}

// Return the heap without the bricks of a list. Colours may come out below zero.
/** @param {Heap} heap @param {string[]} bricks @returns {Heap} */
export function without(heap, bricks) {
  const left = { ...heap };
  for (const colour of bricks) left[colour] = (left[colour] ?? 0) - 1;
  return left;
}

// Return the bricks that the automatic rule gives up: colours of which no tower is being built
// first, then the others; within each, the cheapest first (F25).
/** @param {number} count @param {Heap} pool @param {ReadonlySet<string>} building */
export function automatic(count, pool, building) {
  const idle = COLOURS.filter((colour) => !building.has(colour));
  const built = COLOURS.filter((colour) => building.has(colour));

  /** @type {string[]} */
  const chosen = [];
  for (const colour of [...idle, ...built]) {
    for (let left = pool[colour] ?? 0; left > 0; left -= 1) chosen.push(colour);
  }
  return chosen.slice(0, count);
}

/** @param {number} count */
export function counted(count) {
  return count === 1 ? "1 brick" : `${count} bricks`;
}

/** @param {Heap} heap */
export function inWords(heap) {
  const colours = COLOURS.filter((colour) => (heap[colour] ?? 0) > 0);
  return colours.map((colour) => `${heap[colour]} ${colour}`).join(", ") || "no bricks";
}

// ---- bricks as they are drawn -------------------------------------------------------------------

// Draw one brick. Its letter is drawn by the style: whatever stands around it tells screen readers
// of it.
/** @param {string} colour @param {string} [classes] */
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

// ---- controls with which bricks are chosen one by one; what is not chosen follows f25 -----------

/** @param {Choosing} choosing */
export function drawChooser(choosing) {
  const all = choosing.chosen.every((chosen) => chosen);
  const rule = html`<a class="rule" href=${rulesAddress("firenze", "F25")}>F25</a>`;
  const hint = all
    ? "All are chosen. Press a brick to leave it to the rule again."
    : html`Dashed bricks follow the rule (${rule}). Press a colour to choose a brick yourself.`;
  const colours = COLOURS.filter((colour) => (choosing.choosable[colour] ?? 0) > 0);

  return html`<fieldset class="firenze-chooser">
    <legend>${choosing.legend}</legend>
    <ol class="firenze-due">
      ${choosing.bricks.map((colour, index) => drawDue(choosing, colour, index))}
    </ol>
    <p class="firenze-hint">${hint}</p>
    <div class="firenze-palette">
      ${colours.map((colour) => drawColour(choosing, colour))}
    </div>
  </fieldset>`;
}

/** @param {Choosing} choosing @param {string} colour @param {number} index */
function drawDue(choosing, colour, index) {
  const onto = choosing.onto[index];
  const where = onto ? html`<small>onto ${onto}</small>` : nothing;
  const goes = onto ? ` onto ${onto}` : "";
  if (!choosing.chosen[index]) {
    return html`<li>
      <span class="firenze-hidden">${colour}${goes}, by the rule</span>${brick(colour, "firenze-by-rule")}
      ${where}
    </li>`;
  }
  const label = `${colour}${goes}, chosen; leave it to the rule`;
  return html`<li>
    <button type="button" class="firenze-chip" aria-label=${label} @click=${() => choosing.leave(index)}>
      ${brick(colour)}
    </button>
    ${where}
  </li>`;
}

/** @param {Choosing} choosing @param {string} colour */
function drawColour(choosing, colour) {
  const left = choosing.choosable[colour];
  const label = `Choose a ${colour} brick, ${left} left`;
  return html`<button type="button" class="firenze-chip" aria-label=${label} @click=${() => choosing.choose(colour)}>
    ${brick(colour)}<span aria-hidden="true">${left}</span>
  </button>`;
}
