// The names of Calimala's parts, as people read them.

import { capital, worded } from "../../base/words.js";

/** @import { View } from "./types.d.ts" */
/** @import { Seat } from "../types.d.ts" */

export const RESOURCES = ["wood", "brick", "marble"];
export const PORT_CITIES = ["barcelona", "lisbon", "london"];
export const TRADE_CITIES = ["troyes", "bruges", "hamburg"];
export const CITIES = [...PORT_CITIES, ...TRADE_CITIES];

export const BUILDINGS_UNDER_CONSTRUCTION = ["santa_maria_del_fiore", "san_miniato", "santa_croce"];
export const BUILDINGS = [...BUILDINGS_UNDER_CONSTRUCTION, "palazzo_vecchio"];

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

// The streets in the order in which the grid is read: row by row.
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

/** @param {string} word as on the wire, such as "port_cities" */
export function nameOf(word) {
  return capital(worded(word));
}

/** @param {string} street such as "0-1" @returns {[number, number]} */
export function endsOf(street) {
  return [Number(street.charAt(0)), Number(street.charAt(2))];
}

/** @param {View} view @param {string} street @returns {[string, string]} */
export function actionsOf(view, street) {
  const [first, second] = endsOf(street);
  return [view.grid[first] ?? "", view.grid[second] ?? ""];
}

/** @param {View} view @param {string} street @returns {string} such as "Weave/Build" */
export function streetName(view, street) {
  const [first, second] = actionsOf(view, street);
  return `${nameOf(first)}/${nameOf(second)}`;
}

/**
 * @param {number[]} amounts @param {Seat[]} seats
 * @returns {string} such as "Ada 2, Cleo 1", or "nobody"
 */
export function amountsInWords(amounts, seats) {
  const words = [];
  for (const [seat, amount] of amounts.entries()) {
    if (amount > 0) words.push(`${seats[seat]?.name} ${amount}`);
  }
  return words.join(", ") || "nobody";
}
