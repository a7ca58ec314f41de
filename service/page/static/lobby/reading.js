// Reading lists of matches, page by page.

import { paths } from "../base/home.js";

/** @import { Api } from "../base/api.js" */
/** @import { Query } from "../base/types.d.ts" */
/** @import { Page } from "./types.d.ts" */

/**
 * @param {Api} api @param {Query} query @param {string | null} etag
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

/** @param {string | null} link such as `</v1/matches?cursor=17.abc>; rel="next"` */
function nextCursor(link) {
  const found = /<([^>]*)>;\s*rel="next"/.exec(link ?? "");
  if (!found) return null;
  return new URL(found[1] ?? "", window.location.href).searchParams.get("cursor");
}
