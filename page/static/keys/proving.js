// The proof of a key when a seat is taken: nobody joins or opens with another player's key (M18).

import { Api, Problem } from "../base/api.js";
import { HOME, paths } from "../base/home.js";
import { textOfJoin, textOfOpening } from "../verify/signatures.js";
import { checkedUpTo, Untrue } from "./checking.js";
import { KeyNotHere } from "./signing.js";
import { heldKey, placeOf, sign } from "./store.js";

const MOST_TRIES = 8; // if others commit meanwhile

/**
 * Return a request to open a match, signed with the key of one of its seats.
 * @template {{ seats: object[] }} Body
 * @param {Body} body @param {number} seat @param {string} key @param {string} idempotencyKey
 * @returns {Promise<Body>}
 */
export async function provenOpening(body, seat, key, idempotencyKey) {
  const keyed = { ...body, seats: body.seats.with(seat, { ...body.seats[seat], key }) };
  const request = JSON.parse(JSON.stringify(keyed)); // without undefined members, as it is sent
  const proof = await signed(key, textOfOpening(key, idempotencyKey, request, seat));
  return { ...request, seats: request.seats.with(seat, { ...request.seats[seat], proof }) };
}

/**
 * Take a seat with a key: prove the request at the head, and again if another commit came first.
 * @template Answered @param {Api} api @param {string} match @param {number} seat @param {string} key
 * @param {(proof: string, ifMatch: string | null) => Promise<Answered>} send
 * @returns {Promise<Answered>}
 */
export async function sendProven(api, match, seat, key, send) {
  for (let tries = 1; ; tries += 1) {
    const { value, etag } = await api.get(paths.match(match));
    await checkedUpTo(api, { key, match, version: value.version, hash: value.hash });
    const proof = await signed(key, textOfJoin(key, { match, prev: value.hash }, seat));
    try {
      return await send(proof, etag);
    } catch (failure) {
      const isStale = failure instanceof Problem && failure.status === 412;
      if (!isStale || tries === MOST_TRIES) throw failure;
    }
  }
}

/**
 * Take a reserved seat of a rematch with a key. The service names the next match in the text to
 * sign. The text must be a join of that match with this key, and nothing else.
 * @template Answered @param {string} key @param {number} seat @param {string} base that has ended
 * @param {(proof?: string) => Promise<Answered>} send @returns {Promise<Answered>}
 */
export async function sendKept(key, seat, base, send) {
  /** @type {string | undefined} */
  let proof;
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(proof);
    } catch (failure) {
      const text = failure instanceof Problem ? failure.body.to_sign : undefined;
      if (text === undefined || tries === MOST_TRIES) throw failure;
      const { match, prev } = JSON.parse(text);
      if (text !== textOfJoin(key, { match, prev }, seat)) throw failure;
      // Without a proof the service tells the new text.
      proof = (await isHead(key, match, prev, base)) ? await signed(key, text) : undefined;
    }
  }
}

/**
 * Return true if a hash is the head of the next match, in a checked history. A private match is hidden
 * until the join: then return true if nothing of it was verified for the key, and else throw the
 * refusal.
 * @param {string} key @param {string} match @param {string} prev @param {string} base
 */
async function isHead(key, match, prev, base) {
  const api = new Api(HOME);
  try {
    const { value } = await api.get(paths.match(match));
    if (value.rematch_of !== base) throw new Untrue("It names another match as the next one.");
    await checkedUpTo(api, { key, match, version: value.version, hash: value.hash });
    return value.hash === prev;
  } catch (failure) {
    const isPrivate = failure instanceof Problem && failure.status === 404;
    if (isPrivate && (await placeOf(key, match)).version === 0) return true;
    throw failure;
  }
}

/** @param {string} key @param {string} text */
async function signed(key, text) {
  const held = await heldKey(key);
  if (held === null) throw new KeyNotHere(key);
  return sign(held, text);
}
