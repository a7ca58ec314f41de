// The form of a commit: its fields, each of its kind; its secret parts; its time.

import { Wrong } from "./wrong.js";

/** @import { Entry } from "./types.d.ts" */

/** @type {Record<string, string>} */
const ENTRY_FIELDS = { commit: "object", hash: "string", secrets: "object" };

/** @type {Record<string, string>} */
const CONTENT_FIELDS = {
  match: "string",
  version: "number",
  time: "string",
  actor: "string",
  command: "object",
  events: "list",
  prev: "string",
  view: "string",
  secrets: "object",
};

const TIME = /^2\d{3}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const EVENT_NUMBER = /^(?:0|[1-9][0-9]{0,8})$/;
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Check that all fields of a commit are there and no others, each of its kind.
 * @param {Entry} entry @param {number} number @throws {Wrong}
 */
export function checkForm(entry, number) {
  checkFields(entry, ENTRY_FIELDS, number);
  checkFields(entry.commit, CONTENT_FIELDS, number);

  const events = entry.commit.events;
  if (!events.every(isObject)) {
    throw new Wrong(number, "bad_shape", "an event must be an object");
  }
  for (const part of Object.values(entry.secrets)) {
    if (!isPart(part, events.length)) {
      const detail = "a secret part must hold a salt, and fields by command or number of event";
      throw new Wrong(number, "bad_shape", detail);
    }
  }
}

/** @param {unknown} value @returns {value is Record<string, any>} */
export function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** @param {unknown} value @returns {value is string} */
export function isDigest(value) {
  return typeof value === "string" && DIGEST.test(value);
}

/** @param {unknown} text */
export function isTime(text) {
  if (typeof text !== "string" || !TIME.test(text)) return false;
  const milliseconds = Date.parse(text);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === text;
}

/**
 * @param {unknown} value @param {Record<string, string>} fields the kind of each field
 * @param {number} number
 */
function checkFields(value, fields, number) {
  const names = Object.keys(fields);
  const hasThem =
    isObject(value) &&
    Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name));
  if (!hasThem) {
    throw new Wrong(number, "bad_shape", `a commit must have the fields ${names.join(", ")}`);
  }

  for (const name of names) {
    if (kindOf(value[name]) !== fields[name]) {
      throw new Wrong(number, "bad_shape", `the field ${name} is of another kind`);
    }
  }
}

/** @param {unknown} value */
function kindOf(value) {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

/** @param {unknown} part @param {number} eventCount */
export function isPart(part, eventCount) {
  if (!isObject(part) || typeof part.salt !== "string") return false;
  const places = Object.entries(part).filter(([place]) => place !== "salt");
  return places.every(([place, fields]) => isPlace(place, eventCount) && isObject(fields));
}

/** @param {string} place @param {number} eventCount */
function isPlace(place, eventCount) {
  return place === "command" || (EVENT_NUMBER.test(place) && Number(place) < eventCount);
}
