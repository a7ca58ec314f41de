// What others say of a match, held against its record: receipts, the server, and what was shown.

import { digest } from "./digests.js";
import { BadReceipt, checkReceipt } from "./receipts.js";
import { Wrong } from "./wrong.js";

/** @import { Entry, Head, PublicKey, Shown } from "./types.d.ts" */

// How many views are digested at once.
const PIECE = 32;

/**
 * Check that a record has the commit that its server calls the last one.
 * @param {Entry[]} entries @param {Head} head @throws {Wrong}
 */
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
    throw new Wrong(version, "not_vouched", `it has another time than ${who} vouches for`);
  }
  return version;
}

/**
 * Check that what the public was shown after commits is what these hold the digests of.
 * @param {Entry[]} entries @param {Shown[]} shown @param {AbortSignal | undefined} signal
 * @throws {Wrong} at the first view that is another
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

/** Return the digest that a commit holds of a view; "" before the start. @param {Shown} shown */
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
    throw new Wrong(version, "not_vouched", `it has another hash than ${who} vouches for`);
  }
  return entry;
}
