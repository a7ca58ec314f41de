/**
 * Canonical JSON (RFC 8785; section 1 of docs/fairness.md): equal values give equal bytes.
 *
 * `JSON.stringify` writes strings and whole numbers as it is asked for. Only the order is missing.
 */

/** A half of a pair that stands alone: a text that has one cannot be written as UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Return JSON values as canonical JSON.
 *
 * @param {unknown} value
 * @returns {string}
 * @throws {TypeError} for a value that has no place in canonical JSON, such as a fraction
 */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") return canonicalObject(value);
  if (typeof value === "string") return canonicalText(value);

  const isPlain = value === null || typeof value === "boolean" || Number.isSafeInteger(value);
  if (!isPlain) throw new TypeError("it holds a value that canonical JSON does not have");
  return JSON.stringify(value);
}

/** @param {object} value */
function canonicalObject(value) {
  const fields = /** @type {Record<string, unknown>} */ (value);
  const names = Object.keys(fields).sort();
  const members = names.map((name) => `${canonicalText(name)}:${canonical(fields[name])}`);
  return `{${members.join(",")}}`;
}

/** @param {string} text */
function canonicalText(text) {
  if (LONE_SURROGATE.test(text)) throw new TypeError("it holds a text that UTF-8 cannot write");
  return JSON.stringify(text);
}
