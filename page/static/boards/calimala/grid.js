// The city grid: nine actions, and twelve streets with their stacks of discs.

import { html, svg } from "../../base/dom.js";
import { named, place } from "../place.js";
import { DISC_HEIGHT, DISC_WIDTH, discAt, iconAt } from "./icons.js";
import { endsOf, nameOf, STREETS, streetName } from "./names.js";

/** @import { Area, Table, View } from "./types.d.ts" */

const CENTRE = 4;

/** @param {Table} scene */
export function drawGrid(scene) {
  const cells = scene.view.grid.map((action, cell) => drawCell(action, cell, scene));
  const streets = STREETS.map((street) => drawStreet(street, scene));
  return html`<section class="calimala-part calimala-city" aria-label="City grid">
    <h2>${named("City grid", "C16", scene)}</h2>
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

// Return how often an action remains in the activation at hand; null where it is not activated.
/** @param {View} view @param {string} action */
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

// ---- the streets of the city grid, with their stacks of discs -----------------------------------

/** @param {string} street @param {Table} scene */
function drawStreet(street, scene) {
  const { view } = scene;
  const area = areaOf(street);
  const discs = view.streets[street] ?? [];
  const isActive = view.agenda[0]?.street === street;
  const content = svg`
    <rect class="frame street ${isActive ? "active" : ""}" x=${area.x} y=${area.y}
      width=${area.width} height=${area.height} rx="6"></rect>
    ${spot(area)}
    ${discs.map((disc, position) => drawDisc(disc, position, street, area, scene))}
    ${pointer(street, area, view)}
    ${discs.length >= FULL ? leaving(area) : svg``}`;
  const role = discs.some((_, position) => isPlace(street, position, scene)) ? "group" : "img";
  return place(`street:${street}`, streetLabel(street, scene), scene, content, role);
}

/** @param {Area} area */
function spot(area) {
  const { x, y } = discCorner(area, 0);
  const middle = x + DISC_WIDTH / 2;
  return svg`<ellipse class="spot" cx=${middle} cy=${y + DISC_HEIGHT - 5} rx="34" ry="9"></ellipse>`;
}

/**
 * Draw a disc of a stack. It is a place of its own only where it can be given up (C33).
 * @param {number | "white"} disc @param {number} position @param {string} street @param {Area} area
 * @param {Table} scene
 */
function drawDisc(disc, position, street, area, scene) {
  const { x, y } = discCorner(area, position);
  const drawn = discAt(disc, x, y);
  if (!isPlace(street, position, scene)) return drawn;

  const frame = svg`<rect class="frame hollow" x=${x - 2} y=${y - 1} width=${DISC_WIDTH + 4}
    height=${DISC_HEIGHT + 2} rx="8"></rect>`;
  const hit = hitArea(position, street, area, scene);
  const label = `${ownerOf(disc, scene)}, ${position + 1} from the bottom`;
  return place(`street:${street}:${position}`, label, scene, [hit, drawn, frame]);
}

/** @param {string} street @param {number} position @param {Table} scene */
function isPlace(street, position, scene) {
  const name = `street:${street}:${position}`;
  return scene.targets.has(name) || scene.picked.has(name);
}

// Draw where a disc can be clicked: up and down to the middle between it and the next place of the
// stack, so that fingers find it.
/** @param {number} position @param {string} street @param {Area} area @param {Table} scene */
function hitArea(position, street, area, scene) {
  const middle = (/** @type {number} */ other) => discCorner(area, other).y + DISC_HEIGHT / 2;
  const stack = scene.view.streets[street] ?? [];
  const places = [...stack.keys()].filter((other) => isPlace(street, other, scene));
  const above = places.find((other) => other > position);
  const below = places.findLast((other) => other < position);

  const top = above === undefined ? area.y : (middle(above) + middle(position)) / 2;
  const end = area.y + area.height;
  const bottom = below === undefined ? end : (middle(below) + middle(position)) / 2;
  return svg`<rect class="hit" x=${area.x} y=${top} width=${area.width} height=${bottom - top}></rect>`;
}

/** @param {string} street @param {Area} area @param {View} view */
function pointer(street, area, view) {
  const position = activated(street, view);
  if (position === null) return svg``;
  const { x, y } = discCorner(area, position);
  const middle = y + DISC_HEIGHT / 2;
  return svg`<path class="pointer" d="M${x - 7} ${middle - 8}L${x + 5} ${middle}L${x - 7} ${middle + 8}Z"></path>`;
}

// Return the position of the disc that is being activated; null where none is. From the top, the
// first three discs are activated: the coloured ones, and a white one on top (C16-C18). What is
// left of this is on the agenda.
/** @param {string} street @param {View} view */
function activated(street, view) {
  const items = view.agenda.filter((item) => item.type === "activation" && item.street === street);
  if (items.length === 0) return null;

  const discs = view.streets[street] ?? [];
  const top = discs.length - 1;
  const positions = [];
  for (let position = top; position >= 0 && position > top - FULL; position--) {
    if (discs[position] !== "white" || position === top) positions.push(position);
  }
  return positions.at(-items.length) ?? null;
}

// Show that the bottom disc of a full stack is the next one for the council (C31).
/** @param {Area} area */
function leaving(area) {
  const { x, y } = discCorner(area, 0);
  const right = x + DISC_WIDTH;
  const middle = y + DISC_HEIGHT / 2;
  return svg`<path class="leaving" d="M${right - 4} ${middle - 7}L${right + 8} ${middle}L${right - 4} ${middle + 7}Z"></path>`;
}

/** @param {number | "white"} disc @param {Table} scene */
function ownerOf(disc, { seats }) {
  return disc === "white" ? "a white disc" : `${seats[disc]?.name}'s disc`;
}

/** @param {string} street @param {Table} scene */
function streetLabel(street, scene) {
  const { view } = scene;
  const discs = view.streets[street] ?? [];
  const name = `Street ${streetName(view, street)}`;
  if (discs.length === 0) return `${name}: empty`;

  const fromTop = discs.map((disc) => ownerOf(disc, scene)).reverse();
  const full = discs.length >= FULL ? "; full: at the next disc, the bottom one leaves" : "";
  const position = activated(street, view);
  const active =
    position === null ? "" : `; being activated: ${ownerOf(discs[position] ?? "white", scene)}`;
  return `${name}: from the top ${fromTop.join(", ")}${full}${active}`;
}

// ---- where the cells, the streets and their discs lie in the drawing of the city grid -----------

const CELL = 116;
const GAP = 100;
const PITCH = CELL + GAP;
const MARGIN = 6;
const SIZE = 2 * MARGIN + 3 * CELL + 2 * GAP;

// How many discs a stack holds between turns (C14).
const FULL = 3;

const STEP = DISC_HEIGHT + 0.5;

/** @param {number} cell 0 to 8, row by row */
function cornerOf(cell) {
  return { x: MARGIN + (cell % 3) * PITCH, y: MARGIN + Math.floor(cell / 3) * PITCH };
}

/** @param {string} street @returns {Area} */
function areaOf(street) {
  const [first, second] = endsOf(street);
  const { x, y } = cornerOf(first);
  const isAcross = second === first + 1;
  return isAcross
    ? { x: x + CELL + 2, y: y + 6, width: GAP - 4, height: CELL - 12 }
    : { x: x + 6, y: y + CELL + 2, width: CELL - 12, height: GAP - 4 };
}

/** @param {Area} area @param {number} position 0 at the bottom */
function discCorner(area, position) {
  const slack = (area.height - (FULL + 1) * STEP) / 2;
  const bottom = area.y + area.height - slack - DISC_HEIGHT;
  return { x: area.x + (area.width - DISC_WIDTH) / 2, y: bottom - position * STEP };
}
