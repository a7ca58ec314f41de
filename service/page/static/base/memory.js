/** What this browser remembers of matches: their tokens, and which game they are of. */

import { newKey } from "./api.js";
import { HOME } from "./home.js";
import { keys, read, remove, write } from "./storage.js";

/**
 * The token of a link, until it is replaced; and the idempotency key of its replacement.
 *
 * @typedef {{ token: string, key: string }} Linked
 */

/**
 * @typedef {object} Remembered
 * @property {string} match
 * @property {string} game "" if it is not known yet
 * @property {Record<string, string>} tokens by whose they are: "seat:0", "owner", "spectator",
 *   "invitation"; "given" if that is not known yet
 * @property {string} name what the player was called when they took a seat
 * @property {string} reader whose token to read with, if several are there; "" if nobody chose
 * @property {Linked | null} [linked]
 * @property {number} at when it was last remembered, in milliseconds since 1970
 */

const PREFIX = `giornale${HOME}/match/`;

const TOKEN = /gio_[a-z2-7]{26}_[\w-]{43}/;

/**
 * Remember something of a match, beside what is remembered of it already.
 *
 * @param {string} match
 * @param {{ game?: string, tokens?: Record<string, string>, name?: string, reader?: string,
 *   linked?: Linked | null }} what
 */
export function remember(match, what) {
  const known = recall(match);
  /** @type {Remembered} */
  const next = {
    match,
    game: what.game ?? known?.game ?? "",
    tokens: { ...known?.tokens, ...what.tokens },
    name: what.name ?? known?.name ?? "",
    reader: what.reader ?? known?.reader ?? "",
    linked: what.linked === undefined ? (known?.linked ?? null) : what.linked,
    at: Date.now(),
  };
  write(PREFIX + match, JSON.stringify(next));
}

/**
 * Return what is remembered of a match.
 *
 * @param {string} match
 * @returns {Remembered | null}
 */
export function recall(match) {
  return parsed(read(PREFIX + match));
}

/**
 * Return all matches that are remembered, the newest first.
 *
 * @returns {Remembered[]}
 */
export function remembered() {
  const all = [];
  for (const key of keys()) {
    const match = key.startsWith(PREFIX) ? parsed(read(key)) : null;
    if (match) all.push(match);
  }
  return all.sort((one, other) => other.at - one.at);
}

/**
 * Return the tokens of a match, by whose they are.
 *
 * @param {string} match
 * @returns {Record<string, string>}
 */
export function tokens(match) {
  return recall(match)?.tokens ?? {};
}

/**
 * Return whose token to read a match with: the chosen, a seat's, a spectator's, the owner's.
 *
 * @param {string} match
 * @returns {string | null} a key of `tokens`
 */
export function readerOf(match) {
  const known = recall(match);
  if (!known) return null;

  const holders = Object.keys(known.tokens).sort();
  if (holders.includes(known.reader)) return known.reader;
  const seat = holders.find((holder) => holder.startsWith("seat:"));
  const others = ["given", "spectator", "owner", "invitation"];
  return seat ?? others.find((holder) => holders.includes(holder)) ?? null;
}

/**
 * Return the token to read a match with.
 *
 * @param {string} match
 * @returns {string | null}
 */
export function tokenFor(match) {
  const holder = readerOf(match);
  return holder === null ? null : (tokens(match)[holder] ?? null);
}

/**
 * Forget one token of a match.
 *
 * @param {string} match
 * @param {string} holder
 */
export function forgetToken(match, holder) {
  const known = recall(match);
  if (!known) return;
  delete known.tokens[holder];
  write(PREFIX + match, JSON.stringify(known));
}

/**
 * Forget a token that the service has refused, if another is there to read the match with.
 *
 * @param {string} match
 * @param {string | null} token
 * @returns {boolean} false: it is the only one, and still remembered
 */
export function forgetRefused(match, token) {
  const known = recall(match);
  const others = Object.entries(known?.tokens ?? {}).filter(([, held]) => held !== token);
  if (!known || others.length === 0) return false;
  write(PREFIX + match, JSON.stringify({ ...known, tokens: Object.fromEntries(others) }));
  return true;
}

/**
 * Forget a match with its tokens.
 *
 * @param {string} match
 */
export function forget(match) {
  remove(PREFIX + match);
}

/**
 * Return the token in what somebody has pasted.
 *
 * @param {string} text a token, or a link that ends with one
 * @returns {string | null} null: nothing in it has the form of a token
 */
export function tokenIn(text) {
  return TOKEN.exec(text)?.[0] ?? null;
}

/**
 * Take a token out of the page's address into the memory, so that nobody copies it by mistake.
 *
 * It is remembered as one of a link, which is to be replaced. What has not the form of a token is
 * dropped: no request could carry it.
 *
 * @param {string} match
 * @returns {string | null} the token, if there was one; it is remembered as "given"
 */
export function takeFragment(match) {
  const text = new URLSearchParams(window.location.hash.slice(1)).get("token");
  if (text === null) return null;

  const { pathname, search } = window.location;
  history.replaceState(history.state, "", pathname + search);
  const given = tokenIn(text);
  if (given === null) return null;

  const known = Object.entries(tokens(match)).find(([, token]) => token === given);
  const holder = known?.[0] ?? "given";
  const before = recall(match)?.linked;
  const linked = before?.token === given ? before : { token: given, key: newKey() };
  remember(match, { tokens: { [holder]: given }, reader: holder, linked });
  return given;
}

/** @param {string | null} text @returns {Remembered | null} */
function parsed(text) {
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
