// Signed notes, and their keys: C2SP signed-note, tlog-checkpoint, tlog-cosignature.

import { sha256, toHex, utf8 } from "./digests.js";
import { hasSigned, isKey } from "./signatures.js";

/** @import { Bytes, LogKey, Note, NoteSignature } from "./types.d.ts" */

const NAME = /^[^\p{White_Space}+]+$/u;
const SIZE = /^(0|[1-9][0-9]{0,18})$/;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DASH = "\u2014 "; // begins the line of a signature

const MOST_BYTES = 65_536;
const MOST_SIGNATURES = 64;
const KEY_BYTES = 32;
const ID_BYTES = 4;
const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;
const TIME_BYTES = 8; // before the signature of a witness

export const ED25519 = 1; // the kind of a log's key. A witness's key is of kind COSIGNATURE
export const COSIGNATURE = 4;

// A proof, note, key or policy that is not right. The message gives the reason.
export class BadProof extends Error {}

/** @param {Bytes} written @returns {Note} */
export function readNote(written) {
  if (written.length > MOST_BYTES) throw new BadProof("the note is too long");
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
    throw new BadProof("a signature of the note is malformed: expected a dash, a name, and base64");
  }
  const id = toHex(content.subarray(0, ID_BYTES));
  return { name, id, signature: content.subarray(ID_BYTES) };
}

/** @param {string} text */
export function readCheckpoint(text) {
  const [origin = "", size = "", encoded = "", end] = text.split("\n");
  if (end === undefined || origin === "" || !SIZE.test(size)) {
    throw new BadProof("the note is not a checkpoint: origin, size and root, a line each");
  }
  const root = demandBase64(encoded);
  if (root.length !== HASH_BYTES)
    throw new BadProof("the root of the checkpoint does not have 32 bytes");
  return { origin, size: BigInt(size), root };
}

// ---- keys ---------------------------------------------------------------------------------------

/**
 * Return the key in a text of the form NAME+ID+KEY.
 * @param {string} text @param {number} kind ED25519 or COSIGNATURE @returns {Promise<LogKey>}
 * @throws {BadProof}
 */
export async function readKey(text, kind) {
  const [name, rest] = parted(text, "+");
  const [id, encoded] = parted(rest, "+");
  const key = demandBase64(encoded);
  const isOne = key[0] === ED25519 || key[0] === COSIGNATURE;
  if (!NAME.test(name) || key.length !== 1 + KEY_BYTES || !isOne) {
    throw new BadProof("it is not a verifier key: NAME+ID+KEY");
  }

  const named = await sha256(joined(utf8(`${name}\n`), key));
  if (toHex(named.subarray(0, ID_BYTES)) !== id) {
    throw new BadProof("the ID of the verifier key does not fit its bytes");
  }
  const hex = toHex(key.subarray(1));
  if (key[0] !== kind || !isKey(hex)) {
    throw new BadProof("the key has the wrong kind");
  }
  return { name, id, hex };
}

// Return the signatures of a note under a key's name and ID.
/** @param {LogKey} key @param {Note} note */
export function signaturesOf({ name, id }, { signatures }) {
  return signatures.filter((one) => one.name === name && one.id === id);
}

// Return true if a note has a right signature of a log's key.
/** @param {LogKey} key @param {Note} note */
export async function isOn(key, note) {
  for (const { signature } of signaturesOf(key, note)) {
    if (await hasSigned(key.hex, toHex(signature), note.text)) return true;
  }
  return false;
}

// Return true if a note has a right cosignature of a witness. A cosignature contains a time.
/** @param {LogKey} key @param {Note} note */
export async function hasCosigned(key, note) {
  for (const { signature } of signaturesOf(key, note)) {
    if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) continue;
    const seconds = BigInt(`0x${toHex(signature.subarray(0, TIME_BYTES))}`);
    const text = `cosignature/v1\ntime ${seconds}\n${note.text}`;
    if (await hasSigned(key.hex, toHex(signature.subarray(TIME_BYTES)), text)) return true;
  }
  return false;
}

// ---- bytes and texts ----------------------------------------------------------------------------

/** @param {Bytes[]} parts @returns {Bytes} */
export function joined(...parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Return the texts before and after a separator. @param {string} text @param {string} separator */
function parted(text, separator) {
  const at = text.indexOf(separator);
  return /** @type {[string, string]} */ (
    at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)]
  );
}

/** @param {string} text @returns {Bytes} */
function demandBase64(text) {
  if (!BASE64.test(text)) throw new BadProof("it has invalid base64");
  const found = fromBase64(text);
  if (found === null) throw new BadProof("it has non-canonical base64");
  return found;
}

// Return the bytes of canonical base64. Null for anything else.
/** @param {string} text @returns {Bytes | null} */
export function fromBase64(text) {
  try {
    const letters = atob(text);
    if (btoa(letters) !== text) return null;
    return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
