// Who signs in a match: the seats that have a key, and what they must have signed (section 12 of
// docs/fairness.md).

import { NoCryptography } from "./digests.js";
import { isObject } from "./lines.js";
import { Wrong } from "./report.js";
import { hasSigned, isKey, textToSign } from "./signatures.js";

/** @import { Content, Fields, SecretPart, Signer } from "./types.d.ts" */
/** @typedef {{ kind: unknown, signer: Signer | null }} SignersSeat */

// The commands that a bot on a seat never gives: whoever sends them has the seat's token.
const NEVER_OF_BOTS = new Set([
  "leave",
  "return",
  "resign",
  "ask_take_back",
  "agree_take_back",
  "refuse_take_back",
  "replace_token",
  "revoke_token",
  "erase_name",
  "pledge",
  "disclose",
]);

// The kind of a seat after an event.
const KIND_AFTER = new Map([
  ["seat_joined", "human"],
  ["seat_restored", "human"],
  ["seat_replaced", "bot"],
  ["seat_left", "open"],
]);

// The seats that have a key, followed from commit to commit.
export class Signers {
  /** How each seat is held now. @type {SignersSeat[]} */
  #seats = [];

  /** All that have had a key, in the order in which they came. @type {Signer[]} */
  found = [];

  /** Why signatures could not be checked; "": they could. */
  trouble = "";

  /**
   * Check the signature of the next commit, then follow who sits where.
   * @param {Content} commit @param {Record<string, SecretPart>} parts as far as they are at hand
   * @throws {Wrong}
   */
  async check(commit, parts) {
    const seat = this.#seats[seatOf(commit.actor)];
    const signer = seat?.signer ?? null;
    const isOfBot = seat?.kind === "bot" && !NEVER_OF_BOTS.has(commit.command.type);

    if (signer === null || isOfBot || commit.command.type === "join") {
      checkUnsigned(commit, parts);
      if (isOfBot) signer?.bots.push(commit.version);
    } else {
      await this.#checkSigned(commit, parts, signer);
    }
    this.#follow(commit);
  }

  /** @param {Content} commit @param {Record<string, SecretPart>} parts @param {Signer} signer */
  async #checkSigned(commit, parts, signer) {
    const signature = signatureIn(commit, parts);
    if (signature === null) {
      signer.unchecked.push(commit.version);
      return;
    }

    try {
      const text = textToSign(signer.key, commit, wholeCommand(commit, parts));
      if (!(await hasSigned(signer.key, signature, text))) {
        throw wrong(commit, "its signature is not one of its seat's key for it (M18)");
      }
      signer.signed.push(commit.version);
    } catch (error) {
      if (!(error instanceof NoCryptography)) throw error;
      this.trouble = error.message;
      signer.unchecked.push(commit.version);
    }
  }

  /** @param {Content} commit */
  #follow({ version, events }) {
    for (const [index, event] of events.entries()) {
      if (index === 0 && event.type === "match_opened") this.#open(version, event.seats);
      else this.#change(version, event);
    }
  }

  /** @param {number} version @param {unknown} plans of the seats, which were checked (M1) */
  #open(version, plans) {
    for (const { kind, key } of /** @type {Fields[]} */ (plans ?? [])) {
      this.#seats.push({ kind, signer: null });
      this.#sit(version, this.#seats.length - 1, key);
    }
  }

  /** @param {number} version @param {Fields} event */
  #change(version, { type, seat: number, key }) {
    const seat = Number.isInteger(number) ? this.#seats[number] : undefined;
    const kind = KIND_AFTER.get(type);
    if (seat === undefined || kind === undefined) return;

    seat.kind = kind;
    if (type === "seat_joined") this.#sit(version, number, key);
    if (type === "seat_left") seat.signer = null;
  }

  // Let somebody sit on a seat, with a key or without one.
  /** @param {number} version @param {number} number @param {unknown} key */
  #sit(version, number, key) {
    const seat = /** @type {SignersSeat} */ (this.#seats[number]);
    seat.signer = null;
    if (key === undefined) return;

    const isTaken = this.#seats.some(({ signer }) => signer?.key === key);
    if (seat.kind !== "human" || !isKey(key) || isTaken) {
      const detail = `the key of seat:${number} cannot be one, or is another seat's (M18)`;
      throw new Wrong(version, "key_wrong", detail);
    }
    const before = this.found.find((one) => one.seat === number && one.key === key);
    seat.signer = before ?? { seat: number, key, signed: [], unchecked: [], bots: [] };
    if (before === undefined) this.found.push(seat.signer);
  }
}

/** @param {string} actor @returns {number} -1: no seat */
function seatOf(actor) {
  return actor.startsWith("seat:") ? Number(actor.slice("seat:".length)) : -1;
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
 * @param {Content} commit @param {Record<string, SecretPart>} parts @returns {unknown}
 */
function signatureIn(commit, parts) {
  const others = Object.entries(parts).filter(([audience]) => audience !== commit.actor);
  if (others.some(([, part]) => Object.hasOwn(part, "command") || isSigning(part))) {
    throw wrong(commit, "its command or its signature lies in a part of another audience (M18)");
  }

  const own = parts[commit.actor];
  const inContent = commit.signature !== undefined;
  const isSealed = own === undefined && Object.hasOwn(commit.secrets, commit.actor);
  if (isSealed && !inContent) return null;

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
