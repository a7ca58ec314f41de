// The lines of a record: each is one commit, as a CloudEvents event in canonical JSON (section 2).

import { canonical, NotCanonical } from "./digests.js";
import { Wrong } from "./report.js";

/** @import { Entry } from "./types.d.ts" */

export const LINE_FEED = 0x0a;
const MOST_LINES = 10_000; // twice as many as any match has commits

// Greatest depth of a commit and of its secret parts: they lie within the line and its `data`.
const DEPTH = 62;

/** @param {Uint8Array} record @returns {Uint8Array[]} @throws {Wrong} for more than any match has */
export function linesOf(record) {
  const lines = [];
  let start = 0;
  while (start < record.length) {
    const end = record.indexOf(LINE_FEED, start);
    const next = end < 0 ? record.length : end + 1;
    if (lines.length === MOST_LINES) {
      throw new Wrong(0, "too_many_lines", `it has more than ${MOST_LINES} lines`);
    }
    lines.push(record.subarray(start, next));
    start = next;
  }
  return lines;
}

/**
 * @param {Uint8Array} line @param {number} number @returns {{entry: Entry, contentText: string}}
 * @throws {Wrong} unless the line is in canonical form
 */
export function readLine(line, number) {
  const text = textOf(line, number);
  const { entry, contentText, written } = rewritten(parsed(text, number), number);
  if (written !== text) {
    throw notCanonical(
      number,
      "its bytes are not the canonical form of the commit in its envelope",
    );
  }
  return { entry, contentText };
}

/** @param {Uint8Array} line @param {number} number */
function textOf(line, number) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
  } catch {
    throw notCanonical(number, "it is not JSON");
  }
}

/** @param {string} text @param {number} number */
function parsed(text, number) {
  try {
    return JSON.parse(text);
  } catch {
    throw notCanonical(number, "it is not JSON");
  }
}

/** @param {{ data: Entry }} envelope @param {number} number */
function rewritten(envelope, number) {
  try {
    const { commit, hash, secrets } = envelope.data;
    const entry = { commit, hash, secrets };
    // The envelope repeats these two as texts. Values of other kinds would become different texts in
    // different languages.
    if (typeof commit.match !== "string" || typeof commit.version !== "number") {
      throw new NotCanonical("its commit has no match as a text, or no version as a number");
    }
    const contentText = canonical(commit, DEPTH);
    const attributes = {
      specversion: "1.0",
      type: "giornale.commit",
      source: `/v1/matches/${commit.match}`,
      subject: commit.match,
      id: String(commit.version),
      time: commit.time,
      datacontenttype: "application/json",
    };

    // Names are in order, and "data" comes before all others.
    const data = `{"commit":${contentText},"hash":${canonical(hash)},"secrets":${canonical(secrets, DEPTH)}}`;
    const written = `{"data":${data},${canonical(attributes).slice(1)}\n`;
    return { entry, contentText, written };
  } catch (error) {
    if (error instanceof NotCanonical) throw notCanonical(number, error.message);
    throw notCanonical(number, "it is not a CloudEvents envelope around a commit");
  }
}

/** @param {number} number @param {string} reason */
function notCanonical(number, reason) {
  return new Wrong(number, "not_canonical", `the line is not valid: ${reason}`);
}

// ---- the form of a commit -----------------------------------------------------------------------

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

/** The further field of a commit with a signature. @type {Record<string, string>} */
const SIGNED_FIELDS = { signature: "string" };

// Check that a commit has all its fields and no others, each of its kind.
/** @param {Entry} entry @param {number} number @throws {Wrong} */
export function checkForm(entry, number) {
  checkFields(entry, ENTRY_FIELDS, number);
  const isSigned = isObject(entry.commit) && Object.hasOwn(entry.commit, "signature");
  const more = isSigned ? SIGNED_FIELDS : {};
  checkFields(entry.commit, { ...CONTENT_FIELDS, ...more }, number);

  const events = entry.commit.events;
  if (!events.every(isObject)) {
    throw new Wrong(number, "bad_shape", "an event must be an object");
  }
  for (const part of Object.values(entry.secrets)) {
    if (!isPart(part, events.length)) {
      const detail =
        "a secret part must hold a salt, and fields by command, signature or number of event";
      throw new Wrong(number, "bad_shape", detail);
    }
  }
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
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
      throw new Wrong(number, "bad_shape", `the field ${name} has another type`);
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
  const isOther = place === "command" || place === "signature";
  return isOther || (EVENT_NUMBER.test(place) && Number(place) < eventCount);
}
