// Where the cells, the streets and their discs lie in the drawing of the city grid.

import { endsOf } from "./names.js";
import { DISC_HEIGHT, DISC_WIDTH } from "./pieces.js";

/** @import { Area } from "./types.d.ts" */

export const CELL = 116;
const GAP = 100;
const PITCH = CELL + GAP;
const MARGIN = 6;
export const SIZE = 2 * MARGIN + 3 * CELL + 2 * GAP;

// How many discs a stack holds between turns (C14).
export const FULL = 3;

const STEP = DISC_HEIGHT + 0.5;

/** @param {number} cell 0 to 8, row by row */
export function cornerOf(cell) {
  return { x: MARGIN + (cell % 3) * PITCH, y: MARGIN + Math.floor(cell / 3) * PITCH };
}

/** @param {string} street @returns {Area} */
export function areaOf(street) {
  const [first, second] = endsOf(street);
  const { x, y } = cornerOf(first);
  const isAcross = second === first + 1;
  return isAcross
    ? { x: x + CELL + 2, y: y + 6, width: GAP - 4, height: CELL - 12 }
    : { x: x + 6, y: y + CELL + 2, width: CELL - 12, height: GAP - 4 };
}

/** @param {Area} area @param {number} position 0 at the bottom */
export function discCorner(area, position) {
  const slack = (area.height - (FULL + 1) * STEP) / 2;
  const bottom = area.y + area.height - slack - DISC_HEIGHT;
  return { x: area.x + (area.width - DISC_WIDTH) / 2, y: bottom - position * STEP };
}
