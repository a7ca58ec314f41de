// Signatures: the accepted keys and signatures (record format, section 9), the text that a seat with
// a key must sign, and the place of the signature (section 12).

import { canonical, fromHex, isSigned, NoCryptography, toHex } from "./digests.js";
import { isDigest, isObject } from "./lines.js";
import { OF_HUMANS } from "./match_messages.js";
import { Wrong } from "./report.js";

/** @import { Content, Holder, SecretPart } from "./types.d.ts" */

const SIGNATURE = /^[0-9a-f]{128}$/;

// The field and the order of the curve (RFC 8032, section 5.1).
const PRIME = (1n << 255n) - 19n;
const ORDER = (1n << 252n) + 27742317777372353535851937790883648493n;

// The y of the eight points of small order. Signatures of such a key fit many texts.
const EIGHTH = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const SMALL_ORDER = [0n, 1n, PRIME - 1n, EIGHTH, PRIME - EIGHTH];

/**
 * Return true if a key has signed a text, both in hex. False for invalid keys and signatures.
 * @param {unknown} key @param {unknown} signature @param {string} text
 * @throws {NoCryptography} if the browser cannot check signatures
 */
export async function hasSigned(key, signature, text) {
  if (!isKey(key) || !isSignature(signature)) return false;
  return isSigned(fromHex(key), fromHex(signature), text);
}

// Return true if a text in hex is a key that fits only its holder's signatures.
/** @param {unknown} value @returns {value is string} */
export function isKey(value) {
  return isDigest(value) && isPoint(fromHex(value));
}

// Return true if a text in hex has the form of a signature.
/** @param {unknown} value @returns {value is string} */
function isSignature(value) {
  if (typeof value !== "string" || !SIGNATURE.test(value)) return false;
  const signature = fromHex(value);
  return isPoint(signature.subarray(0, 32)) && numberOf(signature.subarray(32)) < ORDER;
}

// Return true if the y in 32 bytes is below the field's prime, and not that of a point of small
// order. The highest bit is the sign of x.
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
 * Return the text for a seat's signature of a commit.
 * @param {string} key @param {Pick<Content, "match" | "prev" | "version">} commit
 * @param {object} command whole, with its secret fields
 */
export function textToSign(key, { match, prev, version }, command) {
  return canonical({ command, key, match, prev, version });
}

/**
 * Return the text for a key's proof of a join: its holder takes the seat.
 * @param {string} key @param {Pick<Content, "match" | "prev">} commit @param {number} seat
 */
export function textOfJoin(key, { match, prev }, seat) {
  return canonical({ key, match, prev, seat });
}

/**
 * Return the text for a key's proof of a seat in an opening.
 * @param {string} key @param {string} idempotencyKey @param {object} open the request, without proofs
 * @param {number} seat
 */
export function textOfOpening(key, idempotencyKey, open, seat) {
  return canonical({ idempotency_key: idempotencyKey, key, open, seat });
}

// ---- the signatures of a match's seats (section 12) ----------------------------------------------

/**
 * Check the signature of a commit, and note it with its signer.
 * @param {Content} commit @param {Record<string, SecretPart>} parts the available ones
 * @param {Holder} holder of the actor's seat before the commit
 * @param {readonly string[] | null} hides the commands that may hide something; null: unknown
 * @returns {Promise<string>} the obstacle to the check; "": none, or its part is not available
 * @throws {Wrong}
 */
export async function checkSignature(commit, parts, { kind, signer }, hides) {
  const isOfBot = kind === "bot" && !OF_HUMANS.has(commit.command.type);
  if (signer === null || isOfBot || commit.command.type === "join") {
    checkUnsigned(commit, parts);
    if (isOfBot) signer?.bots.push(commit.version);
    return "";
  }

  const signature = signatureIn(commit, parts, hides);
  try {
    if (signature !== null) await checkSigned(commit, parts, signer.key, signature);
    const versions = signature === null ? signer.unchecked : signer.signed;
    versions.push(commit.version);
  } catch (error) {
    if (!(error instanceof NoCryptography)) throw error;
    signer.unchecked.push(commit.version);
    return error.message;
  }
  return "";
}

/**
 * @param {Content} commit @param {Record<string, SecretPart>} parts
 * @param {string} key @param {unknown} signature
 */
async function checkSigned(commit, parts, key, signature) {
  const text = textToSign(key, commit, wholeCommand(commit, parts));
  if (!(await hasSigned(key, signature, text))) {
    throw wrong(commit, "its signature is not one of its seat's key for it (M18)");
  }
}

// Check that a commit of no key has no signature.
/** @param {Content} commit @param {Record<string, SecretPart>} parts */
function checkUnsigned(commit, parts) {
  if (commit.signature !== undefined || Object.values(parts).some(isSigning)) {
    throw wrong(commit, "it holds a signature, though no seat signs it (M18)");
  }
}

/**
 * Return the signature of a commit. Null if its part is not available.
 * @param {Content} commit @param {Record<string, SecretPart>} parts
 * @param {readonly string[] | null} hides @returns {unknown}
 */
function signatureIn(commit, parts, hides) {
  const others = Object.entries(parts).filter(([audience]) => audience !== commit.actor);
  if (others.some(([, part]) => Object.hasOwn(part, "command") || isSigning(part))) {
    throw wrong(commit, "its command or its signature lies in a part of another audience (M18)");
  }

  const own = parts[commit.actor];
  const inContent = commit.signature !== undefined;
  const isSealed = own === undefined && Object.hasOwn(commit.secrets, commit.actor);
  if (isSealed && !inContent) {
    if (hides === null || hides.includes(commit.command.type)) return null;
    throw wrong(commit, "its command hides nothing, and it is not signed in public (M18)");
  }

  const isHidden = own !== undefined && Object.hasOwn(own, "command");
  const isInPart = own !== undefined && isSigning(own);
  if (isHidden === inContent || isHidden !== isInPart) {
    throw wrong(commit, "its signature is missing or in the wrong place (M18)");
  }
  return isHidden ? hexIn(own.signature) : commit.signature;
}

/** @param {SecretPart} part */
function isSigning(part) {
  return Object.hasOwn(part, "signature");
}

// Return the signature in a part: its one member, or "", which is none.
/** @param {unknown} value */
function hexIn(value) {
  const isOne = isObject(value) && Object.keys(value).join() === "hex";
  return isOne ? value.hex : "";
}

/** @param {Content} commit @param {Record<string, SecretPart>} parts */
function wholeCommand({ actor, command }, parts) {
  return { ...command, .../** @type {object} */ (parts[actor]?.command) };
}

/** @param {Content} commit @param {string} detail */
function wrong({ version }, detail) {
  return new Wrong(version, "signature_wrong", detail);
}
