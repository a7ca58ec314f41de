// The city grid: nine actions, and twelve streets with their stacks of discs.

import { html, svg } from "../../base/dom.js";
import { place } from "../place.js";
import { CELL, cornerOf, SIZE } from "./geometry.js";
import { iconAt } from "./icons.js";
import { nameOf, STREETS } from "./names.js";
import { drawStreet } from "./streets.js";

/** @import { Table, View } from "./types.d.ts" */

const CENTRE = 4;

/** @param {Table} scene */
export function drawGrid(scene) {
  const cells = scene.view.grid.map((action, cell) => drawCell(action, cell, scene));
  const streets = STREETS.map((street) => drawStreet(street, scene));
  return html`<section class="calimala-part calimala-city" aria-label="City grid">
    <h2>City grid</h2>
    <svg class="calimala-grid" viewBox="0 0 ${SIZE} ${SIZE}" role="group" aria-label="Nine actions and twelve streets">
      <rect class="ground" width=${SIZE} height=${SIZE} rx="14"></rect>
      ${streets}${cells}
    </svg>
    <p class="calimala-legend">
      A stack is activated from the top. An arrow to the right: at the next disc, the bottom one goes to the council.
    </p>
  </section>`;
}

/** @param {string} action @param {number} cell @param {Table} scene */
function drawCell(action, cell, scene) {
  const { x, y } = cornerOf(cell);
  const left = leftOf(scene.view, action);
  const middle = x + CELL / 2;
  const printed = cell === CENTRE ? " printed" : "";
  const content = svg`
    <rect class="frame tile${printed}" x=${x} y=${y} width=${CELL} height=${CELL} rx="10"></rect>
    ${iconAt(action, middle - 30, y + 13, 60)}
    <text class="name" x=${middle} y=${y + 99} text-anchor="middle">${nameOf(action)}</text>
    ${left === null ? svg`` : badge(left, x + CELL - 17, y + 17)}`;
  return place(`action:${action}`, cellLabel(action, cell, left), scene, content);
}

/**
 * Return how often an action remains in the activation at hand; null where it is not activated.
 * @param {View} view @param {string} action
 */
function leftOf(view, action) {
  return view.agenda[0]?.left?.[action] ?? null;
}

/** @param {number} left @param {number} x @param {number} y */
function badge(left, x, y) {
  const text = left === 0 ? "✓" : `×${left}`;
  return svg`<g class="badge ${left === 0 ? "done" : "open"}">
    <circle cx=${x} cy=${y} r="15"></circle>
    <text x=${x} y=${y + 6} text-anchor="middle">${text}</text>
  </g>`;
}

/** @param {string} action @param {number} cell @param {number | null} left */
function cellLabel(action, cell, left) {
  const rows = ["top", "middle", "bottom"];
  const columns = ["left", "middle", "right"];
  const where =
    cell === CENTRE ? "centre" : `${rows[Math.floor(cell / 3)]} row, ${columns[cell % 3]}`;
  const uses = left === null ? "" : left === 0 ? " used up" : ` ×${left} left`;
  return `${nameOf(action)}${uses}, ${where}`;
}
