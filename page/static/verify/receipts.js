// Receipts: the server's signature for an accepted commit (record format, section 9).

import { canonical, digest, NotCanonical } from "./digests.js";
import { isDigest, isObject, isTime } from "./lines.js";
import { Wrong } from "./report.js";
import { hasSigned, isKey } from "./signatures.js";

/** @import { Entry, Head, PublicKey, Receipt, Shown } from "./types.d.ts" */

const SIGNED = ["match", "version", "hash", "time", "key"];

// A receipt that proves nothing. The message gives the reason.
export class BadReceipt extends Error {}

/**
 * @param {unknown} receipt @param {unknown[]} keys as `GET /v1/keys` lists them
 * @returns {Promise<Receipt>} @throws {BadReceipt}
 * @throws {NoCryptography} if the browser cannot check signatures
 */
export async function checkReceipt(receipt, keys) {
  const checked = wellFormed(receipt);
  const key = listedKey(checked.key, keys);
  if (!(await hasRightSignature(checked, key))) {
    throw new BadReceipt("its signature is wrong");
  }
  if (key.until !== null && checked.time > key.until) {
    throw new BadReceipt(`its key was valid only until ${key.until}`);
  }
  return checked;
}

/** @param {unknown} receipt @returns {Receipt} */
function wellFormed(receipt) {
  const names = [...SIGNED, "signature"];
  if (!isObject(receipt) || Object.keys(receipt).sort().join() !== names.sort().join()) {
    throw new BadReceipt(`a receipt has the fields ${SIGNED.join(", ")} and signature`);
  }

  const given = /** @type {Receipt} */ (/** @type {object} */ (receipt));
  const { match, version, hash, time, key } = given;
  const areTexts = [match, hash, time, key].every((text) => typeof text === "string");
  if (!Number.isSafeInteger(version) || version < 1 || !areTexts) {
    throw new BadReceipt("its version must be a whole number from 1, its other fields texts");
  }
  if (!isTime(time)) throw new BadReceipt("its time is not in UTC with milliseconds");
  return given;
}

/** @param {string} id @param {unknown[]} keys @returns {PublicKey} */
function listedKey(id, keys) {
  const key = keys.filter(isObject).find((listed) => listed.id === id);
  if (key === undefined) {
    throw new BadReceipt(`its signing key ${id} is not listed`);
  }
  if (!isDigest(key.public)) {
    throw new BadReceipt(`its key ${id} is not 32 bytes in lower-case hex`);
  }
  if (!isKey(key.public)) {
    throw new BadReceipt(`its key ${id} fits signatures that its holder never made`);
  }
  if (key.until !== null && !isTime(key.until)) {
    throw new BadReceipt(`its key ${id} must state its end of validity: a time, or null`);
  }
  return /** @type {PublicKey} */ (/** @type {object} */ (key));
}

/** @param {Receipt} receipt @param {PublicKey} key */
async function hasRightSignature(receipt, key) {
  const { signature, ...signed } = receipt;
  try {
    return await hasSigned(key.public, signature, canonical(signed));
  } catch (error) {
    if (error instanceof NotCanonical) return false;
    throw error;
  }
}

// ---- statements of others about a match, compared with its record -------------------------------

// Number of views to digest at once.
const PIECE = 32;

// Check that a record has the last commit that the server shows.
/** @param {Entry[]} entries @param {Head} head @throws {Wrong} */
export function checkHead(entries, head) {
  checkKnown(entries, head.version, head.hash, "the server");
}

/**
 * @param {Entry[]} entries @param {unknown} receipt @param {PublicKey[]} keys @param {string} who
 * @returns {Promise<number>} the version up to which it vouches for the record
 */
export async function checkWitness(entries, receipt, keys, who) {
  const checked = await checkedReceipt(receipt, keys, who);
  const { match, version, hash, time } = checked;
  if (match !== entries[0]?.commit.match) {
    throw new Wrong(0, "receipt_bad", `${who} is of another match`);
  }

  const vouched = checkKnown(entries, version, hash, who);
  if (vouched.commit.time !== time) {
    throw new Wrong(version, "not_vouched", `its time differs from the one in ${who}`);
  }
  return version;
}

/**
 * Check the states shown to the public against the digests in the commits.
 * @param {Entry[]} entries @param {Shown[]} shown @param {AbortSignal | undefined} signal
 * @throws {Wrong} at the first view that differs
 */
export async function checkViews(entries, shown, signal) {
  for (let start = 0; start < shown.length; start += PIECE) {
    signal?.throwIfAborted();
    const piece = shown.slice(start, start + PIECE);
    const digests = await Promise.all(piece.map(viewDigest));

    for (const [index, { version: told, hash }] of piece.entries()) {
      const version = start + index + 1;
      if (told !== version) {
        throw new Wrong(
          version,
          "view_differs",
          "what is shown in its place is of another version",
        );
      }
      const entry = entries[version - 1];
      if (hash !== undefined && entry?.hash !== hash) {
        throw new Wrong(version, "not_vouched", "it has another hash than the one that is shown");
      }
      if (entry?.commit.view !== digests[index]) {
        const detail = "the public view after it has another digest";
        throw new Wrong(version, "view_differs", detail);
      }
    }
  }
}

/** Return the digest of a view as in a commit, "" before the start. @param {Shown} shown */
async function viewDigest({ state }) {
  return state === null ? "" : digest(state);
}

/** @param {unknown} receipt @param {PublicKey[]} keys @param {string} who */
async function checkedReceipt(receipt, keys, who) {
  try {
    return await checkReceipt(receipt, keys);
  } catch (error) {
    if (!(error instanceof BadReceipt)) throw error;
    throw new Wrong(0, "receipt_bad", `${who} proves nothing: ${error.message}`);
  }
}

/** @param {Entry[]} entries @param {unknown} version @param {unknown} hash @param {string} who */
function checkKnown(entries, version, hash, who) {
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    throw new Wrong(0, "receipt_bad", `${who} names no version`);
  }

  const entry = entries[version - 1];
  if (entry === undefined) {
    const detail = `the record ends here, but ${who} vouches for commit ${version}`;
    throw new Wrong(entries.length, "cut_short", detail);
  }
  if (entry.hash !== hash) {
    throw new Wrong(version, "not_vouched", `its hash differs from the one in ${who}`);
  }
  return entry;
}
