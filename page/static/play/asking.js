// The requests of the play panel: legal moves, previews and moves.

import { newKey, Problem } from "../base/api.js";
import { paths } from "../base/home.js";
import { keepReceipt } from "../base/memory.js";
import { capital, seatNames, straight, straightLines, worded } from "../base/words.js";

/** @import { Commit, Match } from "../../api.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { Json } from "../base/types.d.ts" */
/** @import { Board, Move, Scene, Seat } from "../boards/types.d.ts" */
/** @import { Sending, Signing } from "../keys/types.d.ts" */
/** @import { Change, Foretold, Legal, Parcel, Preview, Sentence } from "./types.d.ts" */

/** @param {Api} api @param {string} match @param {AbortSignal} signal @returns {Promise<Legal>} */
export async function legalMoves(api, match, signal) {
  const { value, etag } = await api.get(paths.match(match, "moves"), { signal });
  const { seat, version, moves, beyond } = value;
  return { seat, version, moves, beyond, etag };
}

/**
 * @param {Api} api @param {string} match @param {Move} move @param {Legal} legal
 * @param {AbortSignal} [signal] @returns {Promise<Foretold[]>}
 */
export async function tried(api, match, move, legal, signal) {
  const options = { query: { dry_run: true }, ifMatch: legal.etag, signal };
  const answer = await api.post(paths.match(match, "moves"), move, options);
  return /** @type {Foretold[]} */ (answer.events);
}

/**
 * @param {Foretold[]} events @param {object | null} view @param {Seat[]} seats
 * @returns {Preview}
 */
export function previewOf(events, view, seats) {
  let after = view;

  for (const event of events) {
    if (event.changes === undefined) break;
    after = patched(after, event.changes);
  }

  const sentences = events.map((event) => sentenceOf(event, seats));
  const isOpen = events.some((event) => event.changes === undefined);
  return { view: after, sentences, isOpen };
}

// Return a scene without targets and marks.
/** @param {object} view @param {Seat[]} seats @param {number | null} reader @returns {Scene} */
export function stillScene(view, seats, reader) {
  const none = /** @type {Set<string>} */ (new Set());
  return { view, seats, reader, targets: none, picked: none, changed: none, pick: () => {} };
}

// Return a problem in the board's words: streets, seats and commands as people read them.
/** @param {unknown} problem @param {Board} board @param {Scene} scene @returns {unknown} */
export function inBoardWords(problem, board, scene) {
  if (!(problem instanceof Problem) || !problem.body.detail) return problem;

  const spoken = board.spoken?.(problem.detail, scene) ?? problem.detail;
  const detail = spoken
    .replace(/ \([a-z]+(?:_[a-z]+)+\)/g, "")
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, worded)
    .replace(/\b[Ss]eat (\d+)\b/g, (text, seat) => scene.seats[Number(seat)]?.name ?? text);
  return new Problem(problem.status, { ...problem.body, detail }, problem.retryAfter);
}

/**
 * @param {Move | null} move @param {{ etag: string | null }} at @param {Signing | null} signing
 * @returns {Parcel}
 */
export function parcelOf(move, { etag }, signing) {
  return { move, etag, key: newKey(), signing };
}

// Return the parts of a signature of a seat at a version of its match. null: the seat has no key
// (M18), or the hash is unknown.
/**
 * @param {Match} match @param {number} seat
 * @param {{ version: number, hash?: string, state: object | null }} at
 * @returns {Signing | null}
 */
export function signingOf({ match, seats }, seat, { version, hash, state }) {
  const key = seats[seat]?.key;
  return key && hash ? { key, match, seat, version, hash, view: state } : null;
}

// Make a move, and store its receipt for an audit.
/** @param {Api} api @param {string} match @param {Parcel} parcel */
export async function made(api, match, { move, etag, key, signing }) {
  const path = paths.match(match, "moves");
  const answer = await (signing === null
    ? api.post(path, move, { ifMatch: etag, key })
    : sendSigned(api, signing, move, { method: "POST", path, body: move, etag, key }));

  const commit = /** @type {Commit} */ (answer);
  if (commit.receipt) keepReceipt(commit.receipt);
  return commit;
}

/** @param {Api} api @param {Signing} signing @param {Move | null} move @param {Sending} sending */
async function sendSigned(api, signing, move, sending) {
  const { sendSigned: signAndSend } = await import("../keys/signing.js");
  return signAndSend(api, signing, { type: "", ...move, seat: signing.seat }, sending);
}

// ---- past and possible events, as sentences -----------------------------------------------------

// Return the sentence of an event: the service's own, else its type in words.
/** @param {Foretold} event @param {Seat[]} seats @returns {Sentence} */
function sentenceOf(event, seats) {
  const { sentence } = event;
  if (sentence) return { text: straight(sentence.text), rules: sentence.rules };

  const actor = seats[event.seat ?? -1]?.name;
  const words = worded(event.type);
  return { text: `${actor ? `${actor}: ${words}` : capital(words)}.`, rules: [] };
}

/**
 * Return the events since a version as sentences: in the words of the story, or by their types if
 * the story does not come.
 * @param {Api} api @param {Match} match @param {number} version @param {Commit[]} commits
 * @returns {Promise<Sentence[]>}
 */
export async function happenedSince(api, match, version, commits) {
  const query = { after: version };
  try {
    const { value } = await api.get(paths.match(match.match, "story"), { query });
    return straightLines(value.lines).flatMap((line) => line.sentences);
  } catch {
    const seats = seatNames(match.seats);
    const events = commits.flatMap((commit) => /** @type {Foretold[]} */ (commit.events ?? []));
    return events.map((event) => sentenceOf(event, seats));
  }
}

// ---- json patch (rfc 6902), as far as the api uses it -------------------------------------------

// Return a copy of a document with changes applied in their order.
/** @param {object | null} document @param {Change[]} changes @returns {object | null} */
export function patched(document, changes) {
  let root = /** @type {Json} */ (structuredClone(document));

  for (const change of changes) {
    const value = /** @type {Json} */ (structuredClone(change.value));

    if (change.path === "") {
      root = value;
      continue;
    }

    const keys = change.path.split("/").slice(1).map(unescaped);
    const last = keys.pop() ?? "";
    apply(parentOf(root, keys), last, change.op, value);
  }

  return /** @type {object | null} */ (root);
}

/** @param {string} key */
function unescaped(key) {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** @param {Json} root @param {string[]} keys */
function parentOf(root, keys) {
  let parent = root;

  for (const key of keys) {
    const below = membersOf(parent)[key];
    if (below === undefined) throw new Error(`There is no /${keys.join("/")} to change.`);
    parent = below;
  }

  return parent;
}

/** @param {Json} parent @param {string} key @param {string} op @param {Json} value */
function apply(parent, key, op, value) {
  if (!Array.isArray(parent)) {
    const members = membersOf(parent);
    if (op === "remove") delete members[key];
    else members[key] = value;
    return;
  }

  const index = key === "-" ? parent.length : Number(key);
  if (op === "add") parent.splice(index, 0, value);
  else if (op === "remove") parent.splice(index, 1);
  else parent[index] = value;
}

/** @param {Json} parent an object or a list */
function membersOf(parent) {
  return /** @type {Record<string, Json | undefined>} */ (parent);
}
