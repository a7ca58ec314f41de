// Receipts: the server's signed word that a commit was accepted (section 9 of docs/fairness.md).

import { fromHex, toHex } from "./bytes.js";
import { canonical, NotCanonical } from "./canonical.js";
import { isSigned } from "./digests.js";
import { isDigest, isObject, isTime } from "./form.js";

/** @import { PublicKey, Receipt } from "./types.d.ts" */

const SIGNED = ["match", "version", "hash", "time", "key"];
const SIGNATURE = /^[0-9a-f]{128}$/;

// The field and the order of the curve (RFC 8032, section 5.1).
const PRIME = (1n << 255n) - 19n;
const ORDER = (1n << 252n) + 27742317777372353535851937790883648493n;

// The y of the eight points of small order. As a key each makes signatures that fit many texts.
const EIGHTH = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const SMALL_ORDER = [0n, 1n, PRIME - 1n, EIGHTH, PRIME - EIGHTH];

// A receipt that proves nothing; the message says why.
export class BadReceipt extends Error {}

/**
 * @param {unknown} receipt @param {unknown[]} keys as `GET /v1/keys` lists them
 * @returns {Promise<Receipt>} @throws {BadReceipt}
 * @throws {NoCryptography} where the browser cannot check signatures
 */
export async function checkReceipt(receipt, keys) {
  const checked = wellFormed(receipt);
  const key = listedKey(checked.key, keys);
  if (!(await hasRightSignature(checked, key))) {
    throw new BadReceipt("its signature is not right");
  }
  if (key.until !== null && checked.time > key.until) {
    throw new BadReceipt(`its key counts until ${key.until} only`);
  }
  return checked;
}

/** @param {unknown} receipt @returns {Receipt} */
function wellFormed(receipt) {
  const names = [...SIGNED, "signature"];
  if (!isObject(receipt) || Object.keys(receipt).sort().join() !== names.sort().join()) {
    throw new BadReceipt(`a receipt has the fields ${SIGNED.join(", ")} and signature`);
  }

  const { match, version, hash, time, key } = receipt;
  const areTexts = [match, hash, time, key].every((text) => typeof text === "string");
  if (!Number.isSafeInteger(version) || version < 1 || !areTexts) {
    throw new BadReceipt("its version must be a whole number from 1, its other fields texts");
  }
  if (!isTime(time)) throw new BadReceipt("its time is not one in UTC with milliseconds");
  return /** @type {Receipt} */ (receipt);
}

/** @param {string} id @param {unknown[]} keys @returns {PublicKey} */
function listedKey(id, keys) {
  const key = keys.filter(isObject).find((listed) => listed.id === id);
  if (key === undefined) {
    throw new BadReceipt(`it is signed with the key ${id}, which is not listed`);
  }
  if (!isDigest(key.public)) {
    throw new BadReceipt(`its key ${id} is not 32 bytes in lower-case hex`);
  }
  if (!isPoint(fromHex(key.public))) {
    throw new BadReceipt(`its key ${id} is one that fits more than its holder has signed`);
  }
  if (key.until !== null && !isTime(key.until)) {
    throw new BadReceipt(`its key ${id} does not say until when it counts: a time, or null`);
  }
  return /** @type {PublicKey} */ (key);
}

/** @param {Receipt} receipt @param {PublicKey} key */
async function hasRightSignature(receipt, key) {
  const { signature, ...signed } = receipt;
  if (!isSignature(signature)) return false;
  try {
    return await isSigned(fromHex(key.public), fromHex(signature), canonical(signed));
  } catch (error) {
    if (error instanceof NotCanonical) return false;
    throw error;
  }
}

/** @param {unknown} value */
function isSignature(value) {
  if (typeof value !== "string" || !SIGNATURE.test(value)) return false;
  const signature = fromHex(value);
  return isPoint(signature.subarray(0, 32)) && numberOf(signature.subarray(32)) < ORDER;
}

/**
 * Return whether 32 bytes encode a point in the one way there is, and not of small order. The
 * highest bit is the sign of x; the others are y, which is below the field's prime.
 * @param {Uint8Array} encoded
 */
function isPoint(encoded) {
  const y = BigInt.asUintN(255, numberOf(encoded));
  return y < PRIME && !SMALL_ORDER.includes(y);
}

/** @param {Uint8Array} bytes */
function numberOf(bytes) {
  return BigInt(`0x${toHex(bytes.slice().reverse())}`);
}
