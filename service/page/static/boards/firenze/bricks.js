// Bricks: their colours, cheapest first (F2), and heaps of them as counts by colour.
/** @import { Heap } from "./types.d.ts" */

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

/**
 * Return the heap without the bricks of a list. Colours may come out below zero.
 * @param {Heap} heap @param {string[]} bricks @returns {Heap}
 */
export function without(heap, bricks) {
  const left = { ...heap };
  for (const colour of bricks) left[colour] = (left[colour] ?? 0) - 1;
  return left;
}

/**
 * Return the bricks that the automatic rule gives up: colours of which no tower is being built
 * first, then the others; within each, the cheapest first (F25).
 * @param {number} count @param {Heap} pool @param {ReadonlySet<string>} building
 */
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
