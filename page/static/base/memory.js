// Data of matches in this browser: tokens, games and receipts.

import { newKey } from "./api.js";
import { HOME } from "./home.js";
import { keepNewest, keys, read, remove, write } from "./storage.js";

/** @import { Receipt } from "../../api.d.ts" */
/** @import { Linked, Remembered } from "./types.d.ts" */

const PREFIX = `giornale${HOME}/match/`;

const RECEIPTS = `giornale${HOME}/receipts/`;
const MOST_RECEIPTS = 300; // of a match: the last one vouches for all before it
const MOST_MATCHES = 20; // with stored receipts

const TOKEN = /gio_[a-z2-7]{26}_[\w-]{43}/;

/**
 * @param {string} match
 * @param {{ game?: string, tokens?: Record<string, string>, name?: string, reader?: string,
 *   linked?: Linked | null, entropy?: string, at?: number }} what
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
    entropy: what.entropy ?? known?.entropy,
    at: what.at ?? Date.now(),
  };
  write(PREFIX + match, JSON.stringify(next));
}

/** @param {string} match @returns {Remembered | null} */
export function recall(match) {
  return rememberedIn(read(PREFIX + match));
}

/** @param {string | null} text @returns {Remembered | null} */
function rememberedIn(text) {
  return /** @type {Remembered | null} */ (parsed(text));
}

/** @returns {Remembered[]} */
export function remembered() {
  const all = [];
  for (const key of keys()) {
    const match = key.startsWith(PREFIX) ? rememberedIn(read(key)) : null;
    if (match) all.push(match);
  }
  return all.sort((one, other) => other.at - one.at);
}

/** @param {string} match */
export function tokens(match) {
  return recall(match)?.tokens ?? {};
}

// Return the holder to read a match as: the chosen one, else a seat, else the first of `others`.
/** @param {string} match */
export function readerOf(match) {
  const known = recall(match);
  if (!known) return null;

  const holders = Object.keys(known.tokens).sort();
  if (holders.includes(known.reader)) return known.reader;
  const seat = holders.find((holder) => holder.startsWith("seat:"));
  const others = ["given", "spectator", "owner", "invitation"];
  return seat ?? others.find((holder) => holders.includes(holder)) ?? null;
}

/** @param {string} match */
export function tokenFor(match) {
  const holder = readerOf(match);
  return holder === null ? null : (tokens(match)[holder] ?? null);
}

/** @param {string} match @param {string} holder */
export function forgetToken(match, holder) {
  const known = recall(match);
  if (!known) return;
  delete known.tokens[holder];
  write(PREFIX + match, JSON.stringify(known));
}

/**
 * @param {string} match @param {string | null} token
 * @returns {boolean} false: there is no other token, so it stays
 */
export function forgetRefused(match, token) {
  const known = recall(match);
  const others = Object.entries(known?.tokens ?? {}).filter(([, held]) => held !== token);
  if (!known || others.length === 0) return false;
  write(PREFIX + match, JSON.stringify({ ...known, tokens: Object.fromEntries(others) }));
  return true;
}

/** @param {string} match */
export function forget(match) {
  remove(PREFIX + match);
  remove(RECEIPTS + match);
}

/** @param {string} text @returns {string | null} null: no part of it has the form of a token */
export function tokenIn(text) {
  return TOKEN.exec(text)?.[0] ?? null;
}

/** @param {string} token @returns {string} its match */
export function matchOf(token) {
  return token.split("_", 2)[1] ?? "";
}

// Move a token from the page's address into the memory, so that nobody copies it by mistake. It is
// remembered as a token of a link, to be replaced. Other tokens of the match stay until the new one
// was tried. A text without the form of a token is dropped: no request could carry it.
/** @param {string} match */
export function takeFragment(match) {
  const text = new URLSearchParams(window.location.hash.slice(1)).get("token");
  if (text === null) return null;

  const { pathname, search } = window.location;
  history.replaceState(history.state, "", pathname + search);
  const given = tokenIn(text);
  if (given !== null) takeGiven(match, given);
  return given;
}

// Remember a token of a link before it is tried.
/** @param {string} match @param {string} given */
export function takeGiven(match, given) {
  const held = Object.entries(tokens(match)).filter(([holder]) => holder !== "given");
  const known = held.find(([, token]) => token === given);
  const before = recall(match)?.linked;
  const linked = before?.token === given ? before : { token: given, key: newKey() };
  if (known) remember(match, { reader: known[0], linked });
  else if (held.length > 0) remember(match, { linked });
  else remember(match, { tokens: { given }, reader: "given", linked });
}

// ---- receipts of the own moves: an audit checks the record with them ----------------------------

/** @param {Receipt} receipt */
export function keepReceipt(receipt) {
  const others = receiptsOf(receipt.match).filter(({ version }) => version !== receipt.version);
  if (others.length === 0) keepNewest(RECEIPTS, MOST_MATCHES - 1, timeOfReceipts);
  write(RECEIPTS + receipt.match, JSON.stringify([...others, receipt].slice(-MOST_RECEIPTS)));
}

/** @param {string} match @returns {Receipt[]} */
export function receiptsOf(match) {
  return receiptsIn(read(RECEIPTS + match));
}

/** @param {string | null} text @returns {Receipt[]} */
function receiptsIn(text) {
  const kept = parsed(text);
  return Array.isArray(kept) ? kept : [];
}

/** @param {string | null} text */
function timeOfReceipts(text) {
  return receiptsIn(text).at(-1)?.time ?? "";
}

/** @param {string | null} text @returns {unknown} null: no JSON */
export function parsed(text) {
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
