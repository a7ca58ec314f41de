// Pledges and disclosures of this browser's seats, for matches in which all draw together (M19).

import { checkChain } from "../verify/chain.js";
import { digest } from "../verify/digests.js";
import { Seats } from "../verify/people.js";
import { Wrong } from "../verify/report.js";
import { Api, bytesOf, isUnanswered, newKey, oneByOne, Problem } from "./api.js";
import { HOME, paths } from "./home.js";
import { keepReceipt, parsed, tokens } from "./memory.js";
import { keepNewest, read, remove, write } from "./storage.js";
import { rest } from "./stream.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Kept } from "./types.d.ts" */

// Prefix of the stored pledges. The pledge follows.
const KEPT = `giornale${HOME}/entropy/`;
const MOST_KEPT = 100; // stored pledges, including those that will never be disclosed
const TRIES = 5;
const PAUSE = 2_000; // milliseconds. Later pauses are longer, up to TRIES times as long

// The server tells an impossible history, so the browser keeps its part of the draws to itself.
class Untrue extends Problem {
  /** @param {string} why a sentence */
  constructor(why) {
    super(409, {
      title: "The server tells a history that cannot be true",
      detail: `${why} So your browser has not given your part of the draws.`,
    });
  }
}

// By match and seat: a function to pledge or disclose.
/** @type {Map<string, () => Promise<void>>} */ const giving = new Map();

// Draw new bytes for a seat, store them, and return their pledge.
/** @param {number} seat */
export async function newPledge(seat) {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const entropy = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const pledge = await digest({ entropy, seat });
  keepNewest(KEPT, MOST_KEPT - 1, (text) => keptIn(text)?.at ?? "");
  keep(pledge, { entropy, at: new Date().toISOString() });
  return pledge;
}

/** @param {string} pledge @param {Kept} kept */
function keep(pledge, kept) {
  write(KEPT + pledge, JSON.stringify(kept));
}

/** @param {string | null} text @returns {Kept | null} */
function keptIn(text) {
  return /** @type {Kept | null} */ (parsed(text));
}

/**
 * Pledge or disclose as a seat of this browser owes before the start. News come in quick
 * succession: all calls during a run share one further run.
 * @param {string} match @param {number} seat @throws {Problem} for the player to read
 */
export async function drawTogether(match, seat) {
  const name = `${match} ${seat}`;
  const give = giving.get(name) ?? oneByOne(() => draw(match, seat));
  giving.set(name, give);
  await give();
}

// Retry until an answer comes. A refusal is retried a few times, since another commit may have come
// first.
/** @param {string} match @param {number} seat */
async function draw(match, seat) {
  const token = tokens(match)[`seat:${seat}`];
  if (token === undefined) return;
  const api = new Api(HOME, token);
  for (let tries = 1; ; tries += 1) {
    try {
      return await giveOwed(api, match, seat);
    } catch (failure) {
      const pause = Math.min(tries, TRIES) * PAUSE;
      const isRefused = failure instanceof Problem && !(failure instanceof Untrue);
      if (isUnanswered(failure)) await rest(pause, new AbortController().signal);
      else if (!isRefused || tries >= TRIES) throw failure;
    }
  }
}

/** @param {Api} api @param {string} id @param {number} seat */
async function giveOwed(api, id, seat) {
  const { value: match, etag } = await api.get(paths.match(id));
  const owed = match.seats[seat]?.owes;
  if (owed === "pledge") await pledgeAnew(api, match, seat, etag);
  if (owed === "disclosure") await disclose(api, match, seat, etag);
}

// Pledge new bytes for a seat. Forget them if the pledge is refused.
/** @param {Api} api @param {Match} match @param {number} seat @param {string | null} etag */
async function pledgeAnew(api, match, seat, etag) {
  const pledge = await newPledge(seat);
  const send = sender(api, match, seat, etag);
  try {
    await send("pledge", { digest: pledge });
  } catch (failure) {
    if (!isUnanswered(failure)) remove(KEPT + pledge);
    throw failure;
  }
}

// Disclose a seat's bytes, if this browser pledged them and the history shows pledges of all. The
// receipt of this history is stored: another history shown later is noticed. The bytes are sent for
// the same pledges only: a server that has read them could let others pledge anew.
/** @param {Api} api @param {Match} match @param {number} seat @param {string | null} etag */
async function disclose(api, match, seat, etag) {
  const seats = await seatsOf(api, match);
  const pledge = seats.pledges.get(seat) ?? "";
  const kept = keptIn(read(KEPT + pledge));
  if (!seats.isComplete)
    throw new Untrue("It asks for your part of the draws before all have pledged.");
  if (kept === null) return; // pledged in another browser

  const pledgesOfAll = await digest([...seats.pledges]);
  const { entropy, sentFor = pledgesOfAll } = kept;
  if (sentFor !== pledgesOfAll)
    throw new Untrue("It has shown other pledges of the players before.");

  keep(pledge, { ...kept, sentFor });
  if (match.receipt) keepReceipt(match.receipt);
  const send = sender(api, match, seat, etag);
  await send("disclose", { entropy });
  remove(KEPT + pledge);
}

/**
 * Return the seats and pledges in the history of a match, up to its shown version.
 * @param {Api} api @param {Match} match @throws {Untrue}
 */
async function seatsOf(api, match) {
  const record = await bytesOf(await api.send("GET", paths.match(match.match, "record")));
  const seats = new Seats();
  try {
    const entries = await checkChain(record, () => {}, undefined);
    const shown = entries.slice(0, match.version);
    if (shown.at(-1)?.hash !== match.hash)
      throw new Untrue("Its record is not the history of this match.");
    for (const entry of shown) await seats.check(entry);
  } catch (failure) {
    throw failure instanceof Wrong
      ? new Untrue(`Its record is wrong: ${failure.message}.`)
      : failure;
  }
  return seats;
}

// Return a function to send a command of a seat. If the seat has a key, the command is signed for
// the shown version (M18).
/** @param {Api} api @param {Match} match @param {number} seat @param {string | null} etag */
function sender(api, match, seat, etag) {
  /** @param {"pledge" | "disclose"} type @param {Record<string, string>} body */
  return async (type, body) => {
    const path = paths.match(match.match, type);
    const key = match.seats[seat]?.key;
    if (key === undefined) return api.post(path, body);

    const { sendSigned } = await import("../keys/signing.js");
    const signing = { key, match: match.match, seat, version: match.version, hash: match.hash };
    const sending = /** @type {const} */ ({ method: "POST", path, body, etag, key: newKey() });
    return sendSigned(api, signing, { type, seat, ...body }, sending);
  };
}
