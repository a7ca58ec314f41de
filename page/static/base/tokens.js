// Remembered tokens: those of links are replaced, those of lost seats forgotten.

import { seatOf } from "./actors.js";
import { Api, holderOf, isUnanswered, newKey, Problem } from "./api.js";
import { HOME, paths } from "./home.js";
import { forgetRefused, forgetToken, recall, remember, tokens } from "./memory.js";

/** @import { Match, Token } from "../../api.d.ts" */
/** @import { IsWanted, Known, Linked, Wish } from "./types.d.ts" */

// Holders of shared tokens. Only the owner replaces them: opening such a link leaves it valid.
const SHARED = ["spectator", "invitation"];

/** @param {string} holder */
export function isShared(holder) {
  return SHARED.includes(holder);
}

// Try the token of the link to a match, and replace it unless many share it. The browser's history
// keeps every opened address, and must keep no valid token. Without an answer the same request is
// sent when the match is opened next. A token that opens nothing is dropped if this browser has
// others of the match. Else it stays, and the reader is told why.
/**
 * @param {string} match
 * @param {IsWanted} [isWanted] asks for consent to a second seat in this browser
 */
export async function replaceLinked(match, isWanted = async () => false) {
  const linked = recall(match)?.linked;
  if (!linked) return;

  try {
    const api = new Api(HOME, linked.token);
    const known = await knownFor(api, match);
    if (known !== null && !(await isAgreed(match, known, isWanted))) {
      remember(match, { linked: null });
      return;
    }

    const { holder, token } = await renewed(match, known, linked);
    const isReader = holder.startsWith("seat:") || heldSeats(match).length === 0;
    remember(match, { tokens: { [holder]: token }, linked: null });
    if (isReader) remember(match, { reader: holder });
    forgetToken(match, "given");
  } catch (failure) {
    if (!isUnanswered(failure)) remember(match, { linked: null });
  }
}

/**
 * Replace a token, unless many share it. A repeat after a lost answer gets the same answer. The token
 * of a seat with a key (M18) is replaced only in the browser with that key.
 * @param {string} match @param {Known | null} known its holder @param {Linked} linked
 * @returns {Promise<{ holder: string, token: string }>}
 */
export async function renewed(match, known, { token, key }) {
  const api = new Api(HOME, token);
  const path = paths.match(match, "tokens");
  if (known !== null && isShared(known.holder)) return { holder: known.holder, token };
  const seat = known?.match.seats[seatOf(known.holder)];
  if (known === null || !seat?.key) return api.post(path, {}, { key });

  const { KeyNotHere, sendAtHead } = await import("../keys/signing.js");
  const { holder } = known;
  try {
    const command = () => ({ type: "replace_token", holder });
    const sending = /** @type {const} */ ({ method: "POST", path, body: {}, key });
    return /** @type {Token} */ (await sendAtHead(api, match, command, sending));
  } catch (failure) {
    if (failure instanceof KeyNotHere) return { holder, token };
    throw failure;
  }
}

/** @param {string} match @param {Known} known @param {IsWanted} isWanted */
async function isAgreed(match, known, isWanted) {
  const held = heldSeats(match);
  const isSeat = known.holder.startsWith("seat:");
  if (!isSeat || held.length === 0 || held.includes(seatOf(known.holder))) return true;
  return isWanted(seatOf(known.holder), held[0] ?? 0, known.match);
}

/** @param {string} match @returns {number[]} the seats with a token in this browser */
export function heldSeats(match) {
  const holders = Object.keys(tokens(match)).filter((holder) => holder.startsWith("seat:"));
  return holders.map(seatOf);
}

// Forget the tokens of seats played elsewhere now. A single seat needs no request: reading
// the match with its token tells the same.
/** @param {string} match */
export async function forgetLostSeats(match) {
  const seats = Object.entries(tokens(match)).filter(([holder]) => holder.startsWith("seat:"));
  if (seats.length < 2) return;

  for (const [, token] of seats) {
    try {
      const known = await knownFor(new Api(HOME, token), match);
      if (known === null) forgetRefused(match, token);
    } catch (failure) {
      if (isUnanswered(failure)) return;
    }
  }
}

// Return the holder of an API's token, and the match as the holder reads it.
/**
 * @param {Api} api @param {string} match
 * @returns {Promise<Known | null>} null: the token is not valid
 */
export async function knownFor(api, match) {
  try {
    const { value, etag } = await api.get(paths.match(match));
    const holder = holderOf(etag);
    return holder === null || holder === "public" ? null : { holder, match: value };
  } catch (failure) {
    if (failure instanceof Problem && [401, 403, 404].includes(failure.status)) return null;
    throw failure;
  }
}

// ---- the seats of a rematch, reserved for the players of before ----------------------------------

/** @param {string} match */
export function mayPlayAgain(match) {
  return playersOf(match).length > 0;
}

/** @param {string} match @returns {[holder: string, token: string][]} */
function playersOf(match) {
  return Object.entries(tokens(match)).filter(([holder]) => /^(seat:|owner)/.test(holder));
}

// Take this browser's part in the rematch of a match, as players and owner. Return the rematch. The
// entropy is stored before it is sent: a repeat must be the same. If all draw together (M19), none
// is sent: the seats pledge once they are taken. A seat with a key (M18) keeps the key, if it is in
// this browser.
/** @param {Pick<Match, "match" | "seats" | "joint_entropy">} before */
export async function takeRematch({ match, seats, joint_entropy: isJoint }) {
  const known = recall(match);
  const entropy = isJoint ? undefined : (known?.entropy ?? newKey());
  remember(match, { entropy });

  let next = "";
  for (const [holder, token] of playersOf(match)) {
    const path = paths.match(match, "rematch");
    const key = await keyHere(seats[seatOf(holder)]?.key);
    const api = new Api(HOME, token);
    const seat = (seatOf(holder) + seats.length - 1) % seats.length;
    const taken = await takeKept(key, seat, match, (proof) =>
      api.post(path, { entropy, key, proof }),
    );
    remember(taken.match, { game: known?.game, tokens: taken.tokens, name: known?.name });
    next = taken.match;
  }
  return next;
}

/**
 * @template Answered @param {string | undefined} key @param {number} seat in the rematch
 * @param {string} base @param {(proof?: string) => Promise<Answered>} send
 */
async function takeKept(key, seat, base, send) {
  if (key === undefined) return send();
  const { sendKept } = await import("../keys/proving.js");
  return sendKept(key, seat, base, send);
}

/** @param {string | undefined} key @returns {Promise<string | undefined>} undefined: not here */
async function keyHere(key) {
  if (key === undefined) return undefined;
  const { heldKey } = await import("../keys/store.js");
  return (await heldKey(key)) === null ? undefined : key;
}

// ---- taking a seat, so that a lost answer costs nobody the token of their seat ------------------

// One wish at a time. A wish without an answer is repeated unchanged, so that it counts once.
export class SeatTaking {
  /** @type {Wish | null} */
  #unanswered = null;

  /**
   * @param {Api} api @param {Pick<Match, "match" | "joint_entropy">} of the match @param {number} seat
   * @param {string} name @param {string} [signer] the key that is to sign for the seat (M18)
   */
  async take(api, { match, joint_entropy: isJoint }, seat, name, signer) {
    const wish = this.#wishFor(paths.match(match, `seats/${seat}`), name, signer);
    if (isJoint) wish.pledge ??= await pledgeOf(seat);
    this.#unanswered = wish;
    const { path, key, entropy, pledge } = wish;

    try {
      const given = isJoint ? { pledge } : { entropy };
      const body = { name: name || undefined, ...given };
      const joined = await this.#send(api, match, seat, { path, body, key, signer });
      const holder = `seat:${joined.seat}`;
      remember(match, { tokens: { [holder]: joined.token }, name, reader: holder });
    } catch (failure) {
      if (!isUnanswered(failure)) this.#unanswered = null;
      throw failure;
    }
    this.#unanswered = null;
  }

  /**
   * @param {Api} api @param {string} match @param {number} seat
   * @param {{ path: string, body: object, key: string, signer: string | undefined }} wish
   */
  async #send(api, match, seat, { path, body, key, signer }) {
    if (signer === undefined) return api.post(path, body, { key });
    const { sendProven } = await import("../keys/proving.js");
    return sendProven(api, match, seat, signer, (proof, ifMatch) =>
      api.post(path, { ...body, key: signer, proof }, { key, ifMatch }),
    );
  }

  /** @param {string} path @param {string} name @param {string} [signer] @returns {Wish} */
  #wishFor(path, name, signer) {
    const before = this.#unanswered;
    const isSame = before?.path === path && before.name === name && before.signer === signer;
    return isSame ? before : { path, name, signer, key: newKey(), entropy: newKey() };
  }
}

// Return a new pledge for a seat, if all draw together (M19).
/** @param {number} seat @returns {Promise<string>} */
async function pledgeOf(seat) {
  const { newPledge } = await import("./drawing.js");
  return newPledge(seat);
}
