// Canonical JSON (RFC 8785; section 1 of docs/fairness.md): equal values give equal bytes.
// `JSON.stringify` writes strings and whole numbers as it is asked for. Only the order is missing.

// How many objects and lists may lie within one another.
const GREATEST_DEPTH = 64;

// A half of a pair that stands alone: a text that has one cannot be written as UTF-8.
const LONE_SURROGATE = /\p{Surrogate}/u;

const ASCII = /^\p{ASCII}*$/u;

// A value that canonical JSON does not have; the message says which.
export class NotCanonical extends TypeError {}

/**
 * Return JSON values as canonical JSON.
 * @param {unknown} value @param {number} depth @returns {string}
 * @throws {NotCanonical} for a value that has no place in canonical JSON, such as a fraction
 */
export function canonical(value, depth = GREATEST_DEPTH) {
  if (value !== null && typeof value === "object") return canonicalMembers(value, depth);
  if (typeof value === "string") return canonicalText(value);

  const isPlain = value === null || typeof value === "boolean" || Number.isSafeInteger(value);
  if (!isPlain)
    throw new NotCanonical("it holds what is no text, whole number up to 2^53-1 or flag");
  return JSON.stringify(value);
}

/** @param {object} value @param {number} depth */
function canonicalMembers(value, depth) {
  if (depth === 0) {
    throw new NotCanonical(`more than ${GREATEST_DEPTH} objects and lists lie in one another`);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth - 1)).join(",")}]`;

  const fields = /** @type {Record<string, unknown>} */ (value);
  const names = Object.keys(fields).sort();
  const members = names.map(
    (name) => `${canonicalName(name)}:${canonical(fields[name], depth - 1)}`,
  );
  return `{${members.join(",")}}`;
}

/** @param {string} name */
function canonicalName(name) {
  if (!ASCII.test(name)) throw new NotCanonical("it holds a name that is not ASCII");
  return JSON.stringify(name);
}

/** @param {string} text */
function canonicalText(text) {
  if (LONE_SURROGATE.test(text)) throw new NotCanonical("it holds a text that UTF-8 cannot write");
  return JSON.stringify(text);
}
