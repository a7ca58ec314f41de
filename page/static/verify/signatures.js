// Signatures: which keys and signatures are taken at all (section 9 of docs/fairness.md), what a
// seat that has a key must sign, and where the signature lies (section 12).

import { canonical, fromHex, isSigned, NoCryptography, toHex } from "./digests.js";
import { isDigest, isObject } from "./lines.js";
import { OF_HUMANS } from "./match_messages.js";
import { Wrong } from "./report.js";

/** @import { Content, Holder, SecretPart } from "./types.d.ts" */

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

/**
 * Return the text that a key signs to join: the proof that its holder takes the seat.
 * @param {string} key @param {Pick<Content, "match" | "prev">} commit @param {number} seat
 */
export function textOfJoin(key, { match, prev }, seat) {
  return canonical({ key, match, prev, seat });
}

/**
 * Return the text that a key signs to hold a seat from the opening.
 * @param {string} key @param {string} idempotencyKey @param {object} open the request, without proofs
 * @param {number} seat
 */
export function textOfOpening(key, idempotencyKey, open, seat) {
  return canonical({ idempotency_key: idempotencyKey, key, open, seat });
}

// ---- what the seats of a match sign (section 12) -------------------------------------------------

/**
 * Check the signature of a commit, and note it with its signer.
 * @param {Content} commit @param {Record<string, SecretPart>} parts as far as they are at hand
 * @param {Holder} holder of the actor's seat before the commit
 * @param {readonly string[] | null} hides the commands that may hide something, null: not known
 * @returns {Promise<string>} why it could not be checked; "": it could, or its part is not at hand
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

// Check that nothing signs a commit that no key is asked for.
/** @param {Content} commit @param {Record<string, SecretPart>} parts */
function checkUnsigned(commit, parts) {
  if (commit.signature !== undefined || Object.values(parts).some(isSigning)) {
    throw wrong(commit, "it holds a signature, though no seat signs it (M18)");
  }
}

/**
 * Return the signature of a commit; null where it lies in a part that is not at hand.
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
    throw wrong(commit, "it is not signed where it must be (M18)");
  }
  return isHidden ? hexIn(own.signature) : commit.signature;
}

/** @param {SecretPart} part */
function isSigning(part) {
  return Object.hasOwn(part, "signature");
}

// Return what a part holds as its signature: its one member, or "", which is none.
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
