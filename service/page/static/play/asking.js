// What the play panel asks the service: the legal moves, previews, and moves to be made.

import { newKey } from "../base/api.js";
import { paths } from "../base/home.js";
import { patched } from "./patch.js";
import { sentenceOf } from "./telling.js";

/** @import { Api } from "../base/api.js" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Legal, Parcel, Preview } from "./types.d.ts" */

/** @param {Api} api @param {string} match @param {AbortSignal} signal @returns {Promise<Legal>} */
export async function legalMoves(api, match, signal) {
  const { value, etag } = await api.get(paths.match(match, "moves"), { signal });
  const { seat, version, moves, beyond } = value;
  return { seat, version, moves, beyond, etag };
}

/**
 * @param {Api} api @param {string} match @param {any} move @param {Legal} legal
 * @param {AbortSignal} [signal] @returns {Promise<any[]>}
 */
export async function tried(api, match, move, legal, signal) {
  const options = { query: { dry_run: true }, ifMatch: legal.etag, signal };
  const answer = await api.post(paths.match(match, "moves"), move, options);
  return answer.events;
}

/** @param {any[]} events @param {any} view @param {Seat[]} seats @returns {Preview} */
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

/** @param {any} move @param {Legal} legal @returns {Parcel} */
export function parcelOf(move, legal) {
  return { move, etag: legal.etag, key: newKey() };
}

/** @param {Api} api @param {string} match @param {Parcel} parcel @returns {Promise<any>} */
export function made(api, match, parcel) {
  const options = { ifMatch: parcel.etag, key: parcel.key };
  return api.post(paths.match(match, "moves"), parcel.move, options);
}
