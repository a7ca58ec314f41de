// The streets of the city grid, with their stacks of discs.

import { svg } from "../../base/dom.js";
import { place } from "../place.js";
import { areaOf, discCorner, FULL } from "./geometry.js";
import { streetName } from "./names.js";
import { DISC_HEIGHT, DISC_WIDTH, discAt } from "./pieces.js";

/** @import { Area, Table, View } from "./types.d.ts" */

/** @param {string} street @param {Table} scene */
export function drawStreet(street, scene) {
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

/**
 * Draw where a disc can be clicked: up and down to the middle between it and the next place of the
 * stack, so that fingers find it.
 * @param {number} position @param {string} street @param {Area} area @param {Table} scene
 */
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

/**
 * Return the position of the disc that is being activated; null where none is. From the top, the
 * first three discs are activated: the coloured ones, and a white one on top (C16-C18). What is
 * left of this is on the agenda.
 * @param {string} street @param {View} view
 */
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

/**
 * Show that the bottom disc of a full stack is the next one for the council (C31).
 * @param {Area} area
 */
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
