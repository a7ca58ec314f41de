// SHA-256, HMAC and Ed25519, as the browser and Node provide them (Web Cryptography).

/** @import { Bytes } from "./types.d.ts" */

// This browser lacks the arithmetic of a check. The message gives the reason.
export class NoCryptography extends Error {}

/** @param {Bytes} bytes @returns {Promise<Bytes>} */
export async function sha256(bytes) {
  return new Uint8Array(await subtle().digest("SHA-256", bytes));
}

/** @param {string} text */
export async function textDigest(text) {
  return toHex(await sha256(utf8(text)));
}

/** @param {unknown} value */
export async function digest(value) {
  return textDigest(canonical(value));
}

/**
 * @param {Bytes} key @param {"SHA-256" | "SHA-512"} hash
 * @returns {Promise<(text: string) => Promise<Bytes>>}
 */
export async function hmacWith(key, hash) {
  const algorithm = { name: "HMAC", hash };
  const imported = await subtle().importKey("raw", key, algorithm, false, ["sign"]);
  return async (text) => new Uint8Array(await subtle().sign("HMAC", imported, utf8(text)));
}

/** @param {Bytes} publicKey @param {Bytes} signature @param {string} text */
export async function isSigned(publicKey, signature, text) {
  const bytes = utf8(text);
  try {
    const key = await subtle().importKey("raw", publicKey, "Ed25519", false, ["verify"]);
    return await subtle().verify("Ed25519", key, signature, bytes);
  } catch (error) {
    const isUnknown = error instanceof DOMException && error.name === "NotSupportedError";
    if (isUnknown) throw new NoCryptography("this browser does not know Ed25519 signatures");
    if (error instanceof DOMException) return false;
    throw error;
  }
}

function subtle() {
  const found = globalThis.crypto?.subtle;
  if (found === undefined) {
    throw new NoCryptography(
      "this browser calculates digests only for pages that came over https or from this machine",
    );
  }
  return found;
}

// ---- bytes, as text and in hex ------------------------------------------------------------------

const ENCODER = new TextEncoder();

/** @param {string} text @returns {Bytes} */
export function utf8(text) {
  return ENCODER.encode(text);
}

/** @param {Uint8Array} bytes */
export function toHex(bytes) {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

/** @param {string} text @returns {Bytes} @throws {RangeError} if it is no hex */
export function fromHex(text) {
  if (text.length % 2 !== 0 || /[^0-9a-f]/.test(text)) {
    throw new RangeError("it is not in lower-case hex");
  }

  const bytes = new Uint8Array(text.length / 2);
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = Number.parseInt(text.slice(2 * index, 2 * index + 2), 16);
  }
  return bytes;
}

// ---- canonical json (rfc 8785; section 1 of the record format) ------------------------------------

// Greatest depth of objects and lists within one another.
const GREATEST_DEPTH = 64;

// Half of a surrogate pair. A text with one cannot be written as UTF-8.
const LONE_SURROGATE = /\p{Surrogate}/u;

const ASCII = /^\p{ASCII}*$/u;

// A value outside canonical JSON. The message says why.
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
    throw new NotCanonical(`objects and lists are nested deeper than ${GREATEST_DEPTH}`);
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
  if (!ASCII.test(name)) throw new NotCanonical("it has a name that is not ASCII");
  return JSON.stringify(name);
}

/** @param {string} text */
function canonicalText(text) {
  if (LONE_SURROGATE.test(text)) throw new NotCanonical("it holds a text that UTF-8 cannot write");
  return JSON.stringify(text);
}
