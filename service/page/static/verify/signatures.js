// Signatures: which keys and signatures are taken at all (section 9 of docs/fairness.md), and what
// a seat that has a key signs of a commit (section 12).

import { canonical, fromHex, isSigned, toHex } from "./digests.js";
import { isDigest } from "./lines.js";

/** @import { Content } from "./types.d.ts" */

const SIGNATURE = /^[0-9a-f]{128}$/;

// The field and the order of the curve (RFC 8032, section 5.1).
const PRIME = (1n << 255n) - 19n;
const ORDER = (1n << 252n) + 27742317777372353535851937790883648493n;

// The y of the eight points of small order. As a key each makes signatures that fit many texts.
const EIGHTH = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const SMALL_ORDER = [0n, 1n, PRIME - 1n, EIGHTH, PRIME - EIGHTH];

/**
 * Return whether a key has signed a text, both in hex; neither what is no key nor what is no
 * signature does.
 * @param {unknown} key @param {unknown} signature @param {string} text
 * @throws {NoCryptography} where the browser cannot check signatures
 */
export async function hasSigned(key, signature, text) {
  if (!isKey(key) || !isSignature(signature)) return false;
  return isSigned(fromHex(key), fromHex(signature), text);
}

// Return whether a text in hex is a key that fits nothing but what its holder has signed.
/** @param {unknown} value @returns {value is string} */
export function isKey(value) {
  return isDigest(value) && isPoint(fromHex(value));
}

// Return whether a text in hex has the form of a signature.
/** @param {unknown} value @returns {value is string} */
function isSignature(value) {
  if (typeof value !== "string" || !SIGNATURE.test(value)) return false;
  const signature = fromHex(value);
  return isPoint(signature.subarray(0, 32)) && numberOf(signature.subarray(32)) < ORDER;
}

// Return whether 32 bytes encode a point in the one way there is, and not of small order. The
// highest bit is the sign of x; the others are y, which is below the field's prime.
/** @param {Uint8Array} encoded */
function isPoint(encoded) {
  const y = BigInt.asUintN(255, numberOf(encoded));
  return y < PRIME && !SMALL_ORDER.includes(y);
}

/** @param {Uint8Array} bytes */
function numberOf(bytes) {
  return BigInt(`0x${toHex(bytes.slice().reverse())}`);
}

/**
 * Return the text that a seat signs of a commit.
 * @param {string} key @param {Pick<Content, "match" | "prev" | "version">} commit
 * @param {object} command whole, with its secret fields
 */
export function textToSign(key, { match, prev, version }, command) {
  return canonical({ command, key, match, prev, version });
}
