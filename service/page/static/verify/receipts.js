/** Receipts: the server's signed word that a commit was accepted (section 9 of docs/fairness.md). */

import { fromHex } from "./bytes.js";
import { canonical } from "./canonical.js";
import { isSigned } from "./digests.js";
import { isObject } from "./form.js";

/**
 * A receipt. The signature is over the canonical JSON of the other five.
 *
 * @typedef {object} Receipt
 * @property {string} match
 * @property {number} version
 * @property {string} hash
 * @property {string} time
 * @property {string} key the id of a public key
 * @property {string} signature in hex
 */

/**
 * A public key as `GET /v1/keys` lists it.
 *
 * @typedef {object} PublicKey
 * @property {string} id
 * @property {string} public 32 bytes in hex
 * @property {string | null} until null: it is in use
 */

const SIGNED = ["match", "version", "hash", "time", "key"];

/** A receipt that proves nothing; the message says why. */
export class BadReceipt extends Error {}

/**
 * Check the signature of a receipt.
 *
 * @param {unknown} receipt
 * @param {PublicKey[]} keys
 * @returns {Promise<Receipt>} the receipt
 * @throws {BadReceipt}
 * @throws {import("./digests.js").NoCryptography} where the browser cannot check signatures
 */
export async function checkReceipt(receipt, keys) {
  const names = [...SIGNED, "signature"];
  if (!isObject(receipt) || Object.keys(receipt).sort().join() !== names.sort().join()) {
    throw new BadReceipt(`a receipt has the fields ${SIGNED.join(", ")} and signature`);
  }

  const key = keys.find((listed) => listed.id === receipt.key);
  if (key === undefined) {
    throw new BadReceipt(`it is signed with the key ${receipt.key}, which is not listed`);
  }
  if (!(await hasRightSignature(receipt, key))) {
    throw new BadReceipt("its signature is not right");
  }
  if (key.until !== null && receipt.time > key.until) {
    throw new BadReceipt(`its key counts until ${key.until} only`);
  }
  return /** @type {Receipt} */ (receipt);
}

/**
 * @param {Record<string, any>} receipt
 * @param {PublicKey} key
 */
async function hasRightSignature(receipt, key) {
  const { signature, ...signed } = receipt;
  try {
    return await isSigned(fromHex(key.public), fromHex(signature), canonical(signed));
  } catch (error) {
    const isUnreadable = error instanceof RangeError || error instanceof TypeError;
    if (isUnreadable) return false;
    throw error;
  }
}
