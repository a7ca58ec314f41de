// The chain: canonical bytes, hashes, order, times, and the digests of secret parts.

import { digest, textDigest } from "./digests.js";
import { checkForm, isTime, linesOf, readLine } from "./lines.js";
import { Wrong } from "./report.js";

/** @import { Entry, Progress, Read, SecretPart } from "./types.d.ts" */

// Number of commits to read at once: their digests are calculated side by side.
const PIECE = 32;

const MATCH_ID = /^[a-z2-7]{26}$/;

/**
 * @param {Uint8Array} record @param {Progress} progress @param {AbortSignal | undefined} signal
 * @returns {Promise<Entry[]>}
 */
export async function checkChain(record, progress, signal) {
  const lines = linesOf(record);
  if (lines.length === 0) throw new Wrong(0, "empty", "it has no commits");

  /** @type {Entry[]} */
  const entries = [];
  for (let start = 0; start < lines.length; start += PIECE) {
    signal?.throwIfAborted();
    const piece = lines.slice(start, start + PIECE);
    const reading = piece.map((line, index) => read(line, start + index + 1));

    // In order: of two bad commits the first one is reported.
    for (const outcome of await Promise.allSettled(reading)) {
      if (outcome.status === "rejected") throw outcome.reason;
      checkRead(outcome.value, entries.at(-1), entries.length + 1);
      entries.push(outcome.value.entry);
    }
    progress(entries.length, lines.length);
  }
  return entries;
}

/**
 * Check each secret part against its digest in the commit.
 * @param {number} number @param {Record<string, string>} sealed
 * @param {Map<string, string>} partDigests @throws {Wrong}
 */
export function checkParts(number, sealed, partDigests) {
  for (const [audience, partDigest] of partDigests) {
    if (!Object.hasOwn(sealed, audience)) {
      const detail = `there is a secret part for ${audience}, but no digest of it`;
      throw new Wrong(number, "secret_unknown", detail);
    }
    if (sealed[audience] !== partDigest) {
      const detail = `the secret part for ${audience} does not fit its digest`;
      throw new Wrong(number, "secret_differs", detail);
    }
  }
}

/** @param {Record<string, SecretPart>} parts */
export async function digestsOf(parts) {
  const digests = Object.entries(parts).map(async ([audience, part]) => {
    return /** @type {[string, string]} */ ([audience, await digest(part)]);
  });
  return new Map(await Promise.all(digests));
}

/** @param {Uint8Array} line @param {number} number @returns {Promise<Read>} */
async function read(line, number) {
  const { entry, contentText } = readLine(line, number);
  checkForm(entry, number);
  const [hash, partDigests] = await Promise.all([
    textDigest(contentText),
    digestsOf(entry.secrets),
  ]);
  return { entry, hash, partDigests };
}

/**
 * @param {Read} read @param {Entry | undefined} before undefined: `read` is the first
 * @param {number} number
 */
function checkRead({ entry, hash, partDigests }, before, number) {
  const { commit } = entry;
  if (hash !== entry.hash) {
    throw new Wrong(number, "hash_differs", "the commit does not fit its hash");
  }
  if (commit.version !== number) {
    const detail = `commit ${commit.version} is in the place of commit ${number}`;
    throw new Wrong(number, "out_of_order", detail);
  }
  if (commit.prev !== (before?.hash ?? "")) {
    throw new Wrong(number, "chain_broken", "it does not name the hash of the commit before it");
  }
  if (before === undefined && !MATCH_ID.test(commit.match)) {
    throw new Wrong(number, "bad_shape", "no match has such an ID");
  }
  if (before !== undefined && commit.match !== before.commit.match) {
    throw new Wrong(number, "other_match", "it belongs to another match than the commit before it");
  }
  if (!isTime(commit.time) || commit.time < (before?.commit.time ?? "")) {
    const detail = "its time is not in UTC with milliseconds, or before the last commit's";
    throw new Wrong(number, "time_wrong", detail);
  }
  checkParts(number, commit.secrets, partDigests);
}
