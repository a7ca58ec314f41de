// Proofs that a commit is in the log: section 11 of docs/fairness.md (C2SP tlog-proof, signed-note).

import { canonical, isSigned, sha256, toHex, utf8 } from "./digests.js";
import { isPoint, isSignature } from "./receipts.js";

/** @import { Bytes, InLog, LogKey, Note, NoteSignature } from "./types.d.ts" */

const FIRST_LINE = "c2sp.org/tlog-proof@v1";
const INDEX = /^index (0|[1-9][0-9]{0,17})$/;
const SIZE = /^(0|[1-9][0-9]{0,18})$/;
const NAME = /^[^\p{White_Space}+]+$/u;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DASH = "\u2014 "; // begins the line of a signature

const MOST_BYTES = 128 * 1024;
const MOST_NOTE_BYTES = 65_536;
const MOST_HASHES = 63; // a tree of 2^63 leaves needs no more
const MOST_SIGNATURES = 64;
const HASH_BYTES = 32;
const ID_BYTES = 4;

const ED25519 = 1; // the kinds of keys
const COSIGNATURE = 4;

const LINE_FEED = 10;

// A proof that does not show that a commit is in the log; the message says why.
export class BadProof extends Error {}

/**
 * Check that a proof shows that a leaf is in the log of a key.
 * @param {Bytes} file a tlog-proof @param {string} key the log's verifier key
 * @param {string} leaf @returns {Promise<InLog>} @throws {BadProof}
 * @throws {NoCryptography} where the browser cannot check signatures
 */
export async function checkInLog(file, key, leaf) {
  const { position, hashes, written } = readProof(file);
  const note = readNote(written);
  const { origin, size, root } = readCheckpoint(note.text);

  const log = await readKey(key);
  const own = note.signatures.filter((one) => one.name === log.name && one.id === log.id);
  if (origin !== log.name || !(await hasSigned(log, own, note.text))) {
    throw new BadProof("the log's key has not signed the checkpoint");
  }

  const leafHash = await sha256(joined(Uint8Array.of(0), utf8(leaf)));
  const found = await rootByInclusion(leafHash, position, size, hashes);
  if (found === null || toHex(found) !== toHex(root)) {
    throw new BadProof("its hashes do not lead from the commit to the root of the checkpoint");
  }
  return { position, size, others: note.signatures.length - own.length };
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
    throw new BadProof("it is no proof: lines with the proof, an empty line, and a checkpoint");
  }

  const head = new TextDecoder("utf-8", { ignoreBOM: true }).decode(file.subarray(0, end));
  const [first, ...lines] = head.split("\n");
  if (first !== FIRST_LINE) throw new BadProof(`its first line is not ${FIRST_LINE}`);
  if (lines[0]?.startsWith("extra ")) lines.shift(); // nobody has signed it

  const index = INDEX.exec(lines.shift() ?? "");
  if (index === null) throw new BadProof("it does not say a position: index and a number");
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
  if (found?.length !== HASH_BYTES) throw new BadProof("a line of it is no SHA-256 in base64");
  return found;
}

// ---- its checkpoint, a signed note --------------------------------------------------------------

/** @param {Bytes} written @returns {Note} */
function readNote(written) {
  if (written.length > MOST_NOTE_BYTES) throw new BadProof("the note is too long");
  const whole = decoded(written);

  const end = whole.lastIndexOf("\n\n");
  if (end === -1 || end + 2 === whole.length || !whole.endsWith("\n")) {
    throw new BadProof("the note has no signatures");
  }
  const lines = whole.slice(end + 2, -1).split("\n");
  if (lines.length > MOST_SIGNATURES) throw new BadProof("the note has too many signatures");
  return { text: whole.slice(0, end + 1), signatures: lines.map(readSignature) };
}

/** @param {Bytes} written */
function decoded(written) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(written);
  } catch {
    throw new BadProof("the note is not UTF-8");
  }
}

/** @param {string} line @returns {NoteSignature} */
function readSignature(line) {
  const rest = line.startsWith(DASH) ? line.slice(DASH.length) : line;
  const [name, encoded] = parted(rest, " ");
  const content = demandBase64(encoded);
  if (rest === line || !NAME.test(name) || content.length <= ID_BYTES) {
    throw new BadProof("a signature of the note is not right: a dash, a name, and base64");
  }
  const id = toHex(content.subarray(0, ID_BYTES));
  return { name, id, signature: content.subarray(ID_BYTES) };
}

/** @param {string} text */
function readCheckpoint(text) {
  const [origin = "", size = "", encoded = "", end] = text.split("\n");
  if (end === undefined || origin === "" || !SIZE.test(size)) {
    throw new BadProof("the note is no checkpoint: origin, size and root, a line each");
  }
  const root = demandBase64(encoded);
  if (root.length !== HASH_BYTES) throw new BadProof("the root of the checkpoint has not 32 bytes");
  return { origin, size: BigInt(size), root };
}

// ---- the log's key ------------------------------------------------------------------------------

/** @param {string} text @returns {Promise<LogKey>} */
async function readKey(text) {
  const [name, rest] = parted(text, "+");
  const [id, encoded] = parted(rest, "+");
  const key = demandBase64(encoded);
  const isKey = key[0] === ED25519 || key[0] === COSIGNATURE;
  if (!NAME.test(name) || key.length !== 1 + HASH_BYTES || !isKey) {
    throw new BadProof("it is no verifier key: NAME+ID+KEY");
  }

  const named = await sha256(joined(utf8(`${name}\n`), key));
  if (toHex(named.subarray(0, ID_BYTES)) !== id) {
    throw new BadProof("the id of the verifier key is not that of its bytes");
  }
  const bytes = key.slice(1);
  if (key[0] !== ED25519 || !isPoint(bytes)) {
    throw new BadProof("the key is not of the kind that is needed here");
  }
  return { name, id, bytes };
}

/** @param {LogKey} log @param {NoteSignature[]} signatures @param {string} text */
async function hasSigned(log, signatures, text) {
  for (const { signature } of signatures) {
    if (!isSignature(toHex(signature))) continue;
    if (await isSigned(log.bytes, signature, text)) return true;
  }
  return false;
}

// ---- the tree (RFC 9162, section 2.1.3.2) -------------------------------------------------------

/**
 * Return the root that an inclusion proof leads to; null if it cannot be one.
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

// ---- bytes and texts ----------------------------------------------------------------------------

/** @param {Bytes[]} parts @returns {Bytes} */
function joined(...parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Return what stands before and after a separator. @param {string} text @param {string} separator */
function parted(text, separator) {
  const at = text.indexOf(separator);
  return /** @type {[string, string]} */ (
    at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)]
  );
}

/** @param {string} text @returns {Bytes} */
function demandBase64(text) {
  if (!BASE64.test(text)) throw new BadProof("what should be base64 is none");
  const found = fromBase64(text);
  if (found === null) throw new BadProof("what should be base64 is not canonical");
  return found;
}

// Return what canonical base64 holds; null of anything else.
/** @param {string} text @returns {Bytes | null} */
function fromBase64(text) {
  try {
    const letters = atob(text);
    if (btoa(letters) !== text) return null;
    return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
