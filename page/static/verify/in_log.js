// Proofs that a commit is in the log: section 11 of the record format (C2SP tlog-proof).

import { canonical, sha256, toHex, utf8 } from "./digests.js";
import {
  BadProof,
  fromBase64,
  hasCosigned,
  isOn,
  joined,
  readCheckpoint,
  readNote,
  signaturesOf,
} from "./notes.js";
import { isMetBy } from "./policy.js";

/** @import { Bytes, InLog, LogKey, Note, Policy } from "./types.d.ts" */

const FIRST_LINE = "c2sp.org/tlog-proof@v1";
const INDEX = /^index (0|[1-9][0-9]{0,17})$/;
const MOST_BYTES = 128 * 1024;
const MOST_HASHES = 63; // a tree of 2^63 leaves needs no more
const HASH_BYTES = 32;
const LINE_FEED = 10;

// A checkpoint of a trusted log with too few signatures of witnesses so far.
export class NotSeen extends BadProof {}

/**
 * Check that a leaf is in a log that a policy trusts, and that enough witnesses have seen that log.
 * @param {Bytes} file a tlog-proof @param {Policy} policy @param {string} leaf
 * @returns {Promise<InLog>} @throws {BadProof}
 * @throws {NoCryptography} if the browser cannot check signatures
 */
export async function checkInLog(file, policy, leaf) {
  const { position, hashes, written } = readProof(file);
  const note = readNote(written);
  const { origin, size, root } = readCheckpoint(note.text);
  const { seenBy, others } = await checkTrusted(note, origin, policy);

  const leafHash = await sha256(joined(Uint8Array.of(0), utf8(leaf)));
  const found = await rootByInclusion(leafHash, position, size, hashes);
  if (found === null || toHex(found) !== toHex(root)) {
    throw new BadProof("its hashes do not lead from the commit to the root of the checkpoint");
  }
  return { position, size, seenBy, others };
}

/**
 * Check that a policy trusts a checkpoint. Return the witnesses with a signature on it, and the
 * number of unchecked signatures.
 * @param {Note} note @param {string} origin @param {Policy} policy
 */
async function checkTrusted(note, origin, policy) {
  const { logs, witnesses } = policy;
  /** @type {LogKey[]} */
  const signers = [];
  for (const log of logs) if (log.name === origin && (await isOn(log, note))) signers.push(log);
  if (signers.length === 0) {
    throw new BadProof("no log of the policy has signed the checkpoint");
  }

  const seenBy = [];
  for (const [name, key] of witnesses) {
    if (!(await hasCosigned(key, note))) continue;
    seenBy.push(name);
    signers.push(key);
  }
  if (!isMetBy(policy, seenBy)) {
    const count = `${seenBy.length} of the policy's witnesses`;
    throw new NotSeen(`only ${count} have signed the checkpoint`);
  }
  const checked = new Set(signers.flatMap((key) => signaturesOf(key, note)));
  return { seenBy, others: note.signatures.length - checked.size };
}

/**
 * Return the leaf of a commit.
 * @param {string} match @param {number} version @param {string} hash @param {boolean} isPrivate
 */
export function leafOfCommit(match, version, hash, isPrivate) {
  return canonical(isPrivate ? { hash } : { hash, match, version });
}

// ---- the file -----------------------------------------------------------------------------------

/** @param {Bytes} file */
function readProof(file) {
  const end = file.findIndex((byte, at) => byte === LINE_FEED && file[at + 1] === LINE_FEED);
  if (end === -1 || file.length > MOST_BYTES) {
    throw new BadProof("it is not a proof: lines with the proof, an empty line, and a checkpoint");
  }

  const head = new TextDecoder("utf-8", { ignoreBOM: true }).decode(file.subarray(0, end));
  const [first, ...lines] = head.split("\n");
  if (first !== FIRST_LINE) throw new BadProof(`its first line is not ${FIRST_LINE}`);
  if (lines[0]?.startsWith("extra ")) lines.shift(); // nobody has signed it

  const index = INDEX.exec(lines.shift() ?? "");
  if (index === null) throw new BadProof("it has no position: index and a number");
  if (lines.length > MOST_HASHES) throw new BadProof(`it has more than ${MOST_HASHES} hashes`);
  return {
    position: BigInt(index[1] ?? ""),
    hashes: lines.map(readHash),
    written: file.subarray(end + 2),
  };
}

/** @param {string} line @returns {Bytes} */
function readHash(line) {
  const found = fromBase64(line);
  if (found?.length !== HASH_BYTES) throw new BadProof("a line of it is not a SHA-256 in base64");
  return found;
}

// ---- the tree (RFC 9162, section 2.1.3.2) -------------------------------------------------------

/**
 * Return the root at the end of an inclusion proof. Null if the proof is impossible.
 * @param {Bytes} leafHash @param {bigint} position @param {bigint} size @param {Bytes[]} hashes
 */
async function rootByInclusion(leafHash, position, size, hashes) {
  if (position >= size) return null;
  let number = position;
  let last = size - 1n;
  let root = leafHash;
  for (const hash of hashes) {
    if (last === 0n) return null;
    if (number % 2n === 1n || number === last) {
      root = await nodeHash(hash, root);
      while (number % 2n === 0n && number > 0n) {
        number >>= 1n;
        last >>= 1n;
      }
    } else {
      root = await nodeHash(root, hash);
    }
    number >>= 1n;
    last >>= 1n;
  }
  return last === 0n ? root : null;
}

/** @param {Bytes} left @param {Bytes} right */
function nodeHash(left, right) {
  return sha256(joined(Uint8Array.of(1), left, right));
}
