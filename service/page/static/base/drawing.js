// What the seats of this browser pledge and disclose where all players draw together (M19).

import { checkChain } from "../verify/chain.js";
import { digest } from "../verify/digests.js";
import { Lobby } from "../verify/people.js";
import { Api, isUnanswered, Problem } from "./api.js";
import { HOME, paths } from "./home.js";
import { keepReceipt, tokens } from "./memory.js";
import { read, remove, write } from "./storage.js";
import { rest } from "./stream.js";

/** @import { Match } from "../../api.d.ts" */

// Then a pledge: the bytes behind it, in hex. Once they were sent, then a space, and the digest of the
// pledges of all.
const KEPT = `giornale${HOME}/entropy/`;
const TRIES = 5;
const PAUSE = 2_000; // milliseconds; each is as much longer

// What is being given now, by match and seat.
/** @type {Map<string, Promise<void>>} */ const given = new Map();

// Draw new bytes for a seat, keep them, and return their pledge.
/** @param {number} seat */
export async function newPledge(seat) {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const entropy = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const pledge = await digest({ entropy, seat });
  write(KEPT + pledge, entropy);
  return pledge;
}

// Pledge or disclose what a seat of this browser owes before the start. News come quickly here: who asks
// while it is being given waits, and looks again.
/** @param {string} match @param {number} seat */
export async function drawTogether(match, seat) {
  const name = `${match} ${seat}`;
  const next = (given.get(name) ?? Promise.resolve()).then(() => draw(match, seat));
  given.set(name, next);
  await next;
}

// Where no answer comes, or the match has moved on meanwhile, it is done again.
/** @param {string} match @param {number} seat */
async function draw(match, seat) {
  const token = tokens(match)[`seat:${seat}`];
  if (token === undefined) return;
  const api = new Api(HOME, token);
  for (let tries = 1; tries <= TRIES; tries += 1) {
    try {
      return await giveOwed(api, match, seat);
    } catch (failure) {
      const isStale = failure instanceof Problem && failure.status === 412;
      if (isStale) continue;
      if (!isUnanswered(failure)) return;
      await rest(tries * PAUSE, new AbortController().signal);
    }
  }
}

/** @param {Api} api @param {string} id @param {number} seat */
async function giveOwed(api, id, seat) {
  const { value: match, etag } = await api.get(paths.match(id));
  const owed = match.seats[seat]?.owes;
  if (owed === "pledge") {
    const pledge = await newPledge(seat);
    const send = sender(api, match, seat, etag);
    await send("pledge", { digest: pledge });
  }
  if (owed === "disclosure") await disclose(api, match, seat, etag);
}

// Disclose what a seat has pledged, if this browser has pledged it, and if the history shows that all
// have pledged. The server's word for that history is kept: no other one can be shown later. It is never
// sent for other pledges: a server that has read it could let others pledge anew.
/** @param {Api} api @param {Match} match @param {number} seat @param {string | null} etag */
async function disclose(api, match, seat, etag) {
  const lobby = await lobbyOf(api, match);
  const kept = KEPT + lobby.pledges.get(seat);
  const [entropy = "", sentFor] = (read(kept) ?? "").split(" ");
  const pledgesOfAll = await digest([...lobby.pledges]);
  const isOfOthers = sentFor !== undefined && sentFor !== pledgesOfAll;
  if (entropy === "" || !lobby.isComplete || isOfOthers) return;

  write(kept, `${entropy} ${pledgesOfAll}`);
  if (match.receipt) keepReceipt(match.receipt);
  const send = sender(api, match, seat, etag);
  await send("disclose", { entropy });
  remove(kept);
}

// Return who sits and who has pledged in the very history that a match was shown with.
/** @param {Api} api @param {Match} match */
async function lobbyOf(api, match) {
  const response = await api.send("GET", paths.match(match.id, "record"));
  const record = new Uint8Array(await response.arrayBuffer());
  const entries = await checkChain(record, () => {}, undefined);
  const last = entries[match.version - 1];
  if (last?.hash !== match.hash) throw new Problem(409, { title: "The history is another one" });

  const lobby = new Lobby();
  for (const entry of entries.slice(0, match.version)) await lobby.check(entry);
  return lobby;
}

// Return what sends a command of a seat; signed for the version that was seen if it has a key (M18).
/** @param {Api} api @param {Match} match @param {number} seat @param {string | null} etag */
function sender(api, match, seat, etag) {
  /** @param {"pledge" | "disclose"} type @param {Record<string, string>} body */
  return async (type, body) => {
    const path = paths.match(match.id, type);
    const key = match.seats[seat]?.key;
    if (key === undefined) return api.post(path, body);

    const { sendSigned } = await import("../keys/signing.js");
    const { id, version, hash } = match;
    return sendSigned(
      { key, match: id, seat, version, hash },
      { type, seat, ...body },
      (signature) => api.post(path, body, { signature, ifMatch: etag }),
    );
  };
}
