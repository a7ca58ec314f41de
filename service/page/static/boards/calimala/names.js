/** The names of Calimala's parts, as people read them. */

/** @typedef {import("./view_types.js").View} View */

export const RESOURCES = ["wood", "brick", "marble"];
export const PORT_CITIES = ["barcelona", "lisbon", "london"];
export const TRADE_CITIES = ["troyes", "bruges", "hamburg"];
export const CITIES = [...PORT_CITIES, ...TRADE_CITIES];

export const BUILDINGS_UNDER_CONSTRUCTION = ["santa_maria_del_fiore", "san_miniato", "santa_croce"];
export const BUILDINGS = [...BUILDINGS_UNDER_CONSTRUCTION, "palazzo_vecchio"];

/** The actions in the order of the rules. */
export const ACTIONS = [
  "wood",
  "brick",
  "marble",
  "build",
  "artwork",
  "weave",
  "ship",
  "transport",
  "contribute",
];

/** The streets in the order in which the grid is read: row by row. */
export const STREETS = [
  "0-1",
  "1-2",
  "0-3",
  "1-4",
  "2-5",
  "3-4",
  "4-5",
  "3-6",
  "4-7",
  "5-8",
  "6-7",
  "7-8",
];

/** @type {Record<string, string>} names that are not their word on the wire with a capital */
const UNUSUAL = {
  santa_maria_del_fiore: "Santa Maria del Fiore",
  san_miniato: "San Miniato",
  santa_croce: "Santa Croce",
  palazzo_vecchio: "Palazzo Vecchio",
  artwork: "Artwork",
  trade_house: "Trade house",
};

/**
 * Return the name of an action, a city, a building, a resource, a category or a project.
 *
 * @param {string} word as on the wire, such as "port_cities"
 * @returns {string} such as "Port cities"
 */
export function nameOf(word) {
  const spaced = word.replaceAll("_", " ");
  return UNUSUAL[word] ?? spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/**
 * Return the two cells that a street joins.
 *
 * @param {string} street such as "0-1"
 * @returns {[number, number]}
 */
export function endsOf(street) {
  return [Number(street.charAt(0)), Number(street.charAt(2))];
}

/**
 * Return the two actions of a street.
 *
 * @param {View} view
 * @param {string} street
 * @returns {[string, string]}
 */
export function actionsOf(view, street) {
  const [first, second] = endsOf(street);
  return [view.grid[first] ?? "", view.grid[second] ?? ""];
}

/**
 * Return the name of a street: its actions.
 *
 * @param {View} view
 * @param {string} street
 * @returns {string} such as "Weave/Build"
 */
export function streetName(view, street) {
  const [first, second] = actionsOf(view, street);
  return `${nameOf(first)}/${nameOf(second)}`;
}

/**
 * Put words in a row.
 *
 * @param {string[]} words
 * @returns {string} such as "Ada, Bob and Cleo"
 */
export function inARow(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * Return a number with its noun.
 *
 * @param {number} count
 * @param {string} noun in the singular; its plural ends in -s
 * @returns {string} such as "2 cubes"
 */
export function counted(count, noun) {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

/**
 * Return what seats have, as words; those with nothing are left out.
 *
 * @param {number[]} amounts by seat
 * @param {import("../board.js").Seat[]} seats
 * @returns {string} such as "Ada 2, Cleo 1", or "nobody"
 */
export function amountsInWords(amounts, seats) {
  const words = [];
  for (const [seat, amount] of amounts.entries()) {
    if (amount > 0) words.push(`${seats[seat]?.name} ${amount}`);
  }
  return words.join(", ") || "nobody";
}
