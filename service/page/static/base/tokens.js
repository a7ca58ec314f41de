// What becomes of remembered tokens: those of links are replaced, those of lost seats forgotten.

import { Api, holderOf, isUnanswered, newKey, Problem } from "./api.js";
import { HOME, paths } from "./home.js";
import { forgetRefused, forgetToken, recall, remember, tokens } from "./memory.js";

/** @import { Wish } from "./types.d.ts" */

// Whose tokens many share. Only the owner replaces them, so such a link goes on to count.
const SHARED = ["spectator", "invitation"];

// Replace the token of the link that led to a match, unless many share it. The browser's history
// keeps every address that was opened, and must keep no token that counts. Where no answer comes,
// the same is asked again when the match is opened next. A token that is refused stays remembered:
// whoever reads the match with it is told why.
/** @param {string} match */
export async function replaceLinked(match) {
  const linked = recall(match)?.linked;
  if (!linked) return;

  try {
    const api = new Api(HOME, linked.token);
    const known = await holderOfToken(api, match);
    const isShared = known !== null && SHARED.includes(known);
    const { holder, token } = isShared
      ? { holder: known, token: linked.token }
      : await api.post(paths.match(match, "tokens"), {}, { key: linked.key });

    remember(match, { tokens: { [holder]: token }, reader: holder, linked: null });
    forgetToken(match, "given");
  } catch (failure) {
    if (!isUnanswered(failure)) remember(match, { linked: null });
  }
}

// Forget the tokens of seats that were replaced elsewhere, where the seats are played now. Of a
// browser that has one seat alone nothing is asked: reading with its token tells the same.
/** @param {string} match */
export async function forgetLostSeats(match) {
  const seats = Object.entries(tokens(match)).filter(([holder]) => holder.startsWith("seat:"));
  if (seats.length < 2) return;

  for (const [, token] of seats) {
    try {
      const holder = await holderOfToken(new Api(HOME, token), match);
      if (holder === null) forgetRefused(match, token);
    } catch (failure) {
      if (isUnanswered(failure)) return;
    }
  }
}

/**
 * @param {Api} api @param {string} match
 * @returns {Promise<string | null>} null: it does not count, or no longer
 */
async function holderOfToken(api, match) {
  try {
    const { etag } = await api.get(paths.match(match));
    return holderOf(etag);
  } catch (failure) {
    if (failure instanceof Problem && failure.status === 401) return null;
    throw failure;
  }
}

// ---- the seats of a rematch, which are kept for those who played before --------------------------

/** @param {string} match */
export function mayPlayAgain(match) {
  return playersOf(match).length > 0;
}

/** @param {string} match @returns {[holder: string, token: string][]} */
function playersOf(match) {
  return Object.entries(tokens(match)).filter(([holder]) => /^(seat:|owner)/.test(holder));
}

// Take what this browser may take in the match that follows a match; return that match. The entropy
// is remembered before it is sent: a repeat must be the same.
/** @param {string} match */
export async function takeRematch(match) {
  const known = recall(match);
  const entropy = known?.entropy ?? newKey();
  remember(match, { entropy });

  let next = "";
  for (const [, token] of playersOf(match)) {
    const path = paths.match(match, "rematch");
    const taken = await new Api(HOME, token).post(path, { entropy });
    remember(taken.match, { game: known?.game, tokens: taken.tokens, name: known?.name });
    next = taken.match;
  }
  return next;
}

// ---- taking a seat, so that an answer that gets lost costs nobody the token of their seat -------

// One wish at a time. One without an answer is sent again as it was, so that it counts once.
export class SeatTaking {
  /** @type {Wish | null} */
  #unanswered = null;

  /** @param {Api} api @param {string} match @param {number} seat @param {string} name */
  async take(api, match, seat, name) {
    const wish = this.#wishFor(paths.match(match, `seats/${seat}`), name);
    this.#unanswered = wish;
    const { path, key, entropy } = wish;

    try {
      const joined = await api.post(path, name ? { name, entropy } : { entropy }, { key });
      const holder = `seat:${joined.seat}`;
      remember(match, { tokens: { [holder]: joined.token }, name, reader: holder });
    } catch (failure) {
      if (!isUnanswered(failure)) this.#unanswered = null;
      throw failure;
    }
    this.#unanswered = null;
  }

  /** @param {string} path @param {string} name @returns {Wish} */
  #wishFor(path, name) {
    const before = this.#unanswered;
    if (before?.path === path && before.name === name) return before;
    return { path, name, key: newKey(), entropy: newKey() };
  }
}
