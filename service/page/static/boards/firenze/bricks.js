/** Bricks: their colours, cheapest first (F2), and heaps of them as counts by colour. */

/** The colours, cheapest first. */
export const COLOURS = ["white", "yellow", "green", "red", "blue", "purple"];

/**
 * Bricks by colour; none of a colour: left out.
 *
 * @typedef {Record<string, number>} Heap
 */

/**
 * Return the letter that stands for a colour, so that colours are told apart without seeing them.
 *
 * @param {string} colour
 * @returns {string}
 */
export function letterOf(colour) {
  return colour.charAt(0).toUpperCase();
}

/**
 * Return how many bricks a heap has.
 *
 * @param {Heap} heap
 * @returns {number}
 */
export function total(heap) {
  let bricks = 0;
  for (const count of Object.values(heap)) bricks += count;
  return bricks;
}

/**
 * Return a heap as a list of colours, one entry a brick, cheapest first.
 *
 * @param {Heap} heap
 * @returns {string[]}
 */
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
 *
 * @param {Heap} heap
 * @param {string[]} bricks
 * @returns {Heap}
 */
export function without(heap, bricks) {
  const left = { ...heap };
  for (const colour of bricks) left[colour] = (left[colour] ?? 0) - 1;
  return left;
}

/**
 * Return the bricks that the automatic rule gives up: colours of which no tower is being built
 * first, then the others; within each, the cheapest first (F25).
 *
 * @param {number} count
 * @param {Heap} pool
 * @param {ReadonlySet<string>} building the colours of which a tower is being built
 * @returns {string[]} so many bricks, or all of the pool
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

/**
 * Return a number of bricks as people say it: "1 brick", "3 bricks".
 *
 * @param {number} count
 * @returns {string}
 */
export function counted(count) {
  return count === 1 ? "1 brick" : `${count} bricks`;
}

/**
 * Return the bricks of a heap as people say them: "2 white, 1 red".
 *
 * @param {Heap} heap
 * @returns {string}
 */
export function inWords(heap) {
  const colours = COLOURS.filter((colour) => (heap[colour] ?? 0) > 0);
  return colours.map((colour) => `${heap[colour]} ${colour}`).join(", ") || "no bricks";
}
