/** What the play panel asks the service: the legal moves, previews, and moves to be made. */

import { newKey } from "../base/api.js";
import { paths } from "../base/home.js";
import { patched } from "./patch.js";
import { sentenceOf } from "./telling.js";

/** @typedef {import("../base/api.js").Api} Api */
/** @typedef {import("../boards/board.js").Seat} Seat */
/** @typedef {import("./telling.js").Sentence} Sentence */

/**
 * What a seat may do at one version.
 *
 * @typedef {object} Legal
 * @property {number | null} seat
 * @property {number} version
 * @property {any[]} moves
 * @property {Record<string, any>} beyond what is not listed, by its command
 * @property {string | null} etag of that version, for If-Match
 */

/**
 * What a move would cause.
 *
 * @typedef {object} Preview
 * @property {any} view the state afterwards, as far as it is known
 * @property {Sentence[]} sentences
 * @property {boolean} isOpen whether chance would decide something that is not known yet
 */

/**
 * A move on its way. It keeps its key until an answer has come.
 *
 * @typedef {object} Parcel
 * @property {any} move
 * @property {string | null} etag
 * @property {string} key
 */

/**
 * @param {Api} api
 * @param {string} match
 * @param {AbortSignal} signal
 * @returns {Promise<Legal>}
 */
export async function legalMoves(api, match, signal) {
  const { value, etag } = await api.get(paths.match(match, "moves"), { signal });
  const { seat, version, moves, beyond } = value;
  return { seat, version, moves, beyond, etag };
}

/**
 * Try a move without making it.
 *
 * @param {Api} api
 * @param {string} match
 * @param {any} move
 * @param {Legal} legal
 * @param {AbortSignal} [signal]
 * @returns {Promise<any[]>} the events that it would cause
 */
export async function tried(api, match, move, legal, signal) {
  const options = { query: { dry_run: true }, ifMatch: legal.etag, signal };
  const answer = await api.post(paths.match(match, "moves"), move, options);
  return answer.events;
}

/**
 * Return what the events of a preview make of a view.
 *
 * @param {any[]} events
 * @param {any} view
 * @param {Seat[]} seats
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

/**
 * @param {any} move
 * @param {Legal} legal
 * @returns {Parcel}
 */
export function parcelOf(move, legal) {
  return { move, etag: legal.etag, key: newKey() };
}

/**
 * Make a move.
 *
 * @param {Api} api
 * @param {string} match
 * @param {Parcel} parcel
 * @returns {Promise<any>} the commit
 */
export function made(api, match, parcel) {
  const options = { ifMatch: parcel.etag, key: parcel.key };
  return api.post(paths.match(match, "moves"), parcel.move, options);
}
