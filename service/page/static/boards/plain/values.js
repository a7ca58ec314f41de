// The values of a view as text, for games of which nothing else is known.

import { worded } from "../../base/words.js";

/** @import { Seat } from "../types.d.ts" */

// Members whose numbers are seats in every game of this service.
const SEAT_MEMBERS = ["active", "actors", "seat", "seats", "target"];

/** @param {any} value */
export function isFlat(value) {
  return value === null || typeof value !== "object";
}

/** @param {any} value */
export function isFlatList(value) {
  return Array.isArray(value) && value.every(isFlat);
}

/**
 * Whether a value is one line of text: flat, a list of flat values, or an object of such.
 * @param {any} value
 */
export function isLine(value) {
  if (isFlat(value) || isFlatList(value)) return true;
  return !Array.isArray(value) && Object.values(value).every(isFlat);
}

/**
 * @param {any} value
 * @param {string} member the name of the member that holds it; it tells what a number means
 * @param {Seat[]} seats @returns {string}
 */
export function textOf(value, member, seats) {
  if (value === null) return "none";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (typeof value === "number") return numberText(value, member, seats);
  if (typeof value === "string") return worded(value);

  if (Array.isArray(value)) {
    const parts = value.map((part) => textOf(part, member, seats));
    return parts.length > 0 ? parts.join(", ") : "none";
  }

  return objectText(value, seats);
}

/** @param {number} value @param {string} member @param {Seat[]} seats */
function numberText(value, member, seats) {
  const seat = SEAT_MEMBERS.includes(member) ? seats[value] : undefined;
  return seat ? seat.name : String(value);
}

/** @param {Record<string, any>} value @param {Seat[]} seats @returns {string} */
function objectText(value, seats) {
  const parts = [];

  for (const [key, part] of Object.entries(value)) {
    const text = textOf(part, key, seats);
    parts.push(`${worded(key)} ${isLine(part) ? text : `(${text})`}`);
  }

  return parts.length > 0 ? parts.join(", ") : "none";
}

/** @param {string} key */
export function pointer(key) {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
