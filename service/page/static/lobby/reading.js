/** Reading lists of matches, page by page. */

import { paths } from "../base/home.js";

/** @typedef {import("../base/api.js").Api} Api */

/**
 * What a list says of a match.
 *
 * @typedef {object} Summary
 * @property {string} id
 * @property {string} game
 * @property {"open" | "running" | "finished" | "aborted"} status
 * @property {string} updated RFC 3339
 * @property {string} created
 * @property {number} version
 * @property {string} visibility
 * @property {any[]} seats
 * @property {{ seats: number[], bots: number[], house: boolean }} waiting_for
 */

/**
 * @typedef {object} Page
 * @property {Summary[]} matches
 * @property {string | null} next the cursor of the page after this one
 * @property {string | null} etag
 */

/**
 * Read a page of matches.
 *
 * @param {Api} api
 * @param {import("../base/api.js").Query} query
 * @param {string | null} etag of the page as it is known
 * @returns {Promise<Page | null>} null: nothing has changed
 */
export async function readPage(api, query, etag) {
  /** @type {Record<string, string>} */
  const headers = etag ? { "If-None-Match": etag } : {};
  const response = await api.send("GET", paths.matches(), { query, headers });
  if (response.status === 304) return null;

  const { matches } = await response.json();
  return {
    matches,
    next: nextCursor(response.headers.get("Link")),
    etag: response.headers.get("ETag"),
  };
}

/**
 * Return the cursor of the next page, out of the header Link.
 *
 * @param {string | null} link such as `</v1/matches?cursor=17.abc>; rel="next"`
 * @returns {string | null}
 */
function nextCursor(link) {
  const found = /<([^>]*)>;\s*rel="next"/.exec(link ?? "");
  if (!found) return null;
  return new URL(found[1] ?? "", window.location.href).searchParams.get("cursor");
}
