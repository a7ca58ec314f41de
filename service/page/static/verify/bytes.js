// Bytes, as text and in hex.
/** @import { Bytes } from "./types.d.ts" */

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
