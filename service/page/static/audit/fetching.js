// What an audit needs of the service: the record, the keys, the head, what the public is shown.

import { Api, Problem } from "../base/api.js";
import { HOME, paths } from "../base/home.js";

/** @import { AuditAnswer, Fetched } from "./types.d.ts" */
/** @import { Shown } from "../verify/types.d.ts" */

const PIECE = 100; // states that are asked for at once
const PAUSE_MILLISECONDS = 700;

/**
 * Fetch what an audit needs. The match is asked for first: the record, fetched later, must hold at
 * least what it shows.
 * @param {Api} api @param {string} match @param {AbortSignal} signal
 * @param {(what: string) => void} tell @returns {Promise<Fetched>}
 */
export async function fetchAll(api, match, signal, tell) {
  tell("Fetching the record.");
  const { value: head } = await api.get(paths.match(match), { signal });
  const headers = { Accept: "application/x-ndjson" };
  const answer = await api.send("GET", paths.match(match, "record"), { headers, signal });
  const record = await answer.arrayBuffer();
  const { value: listed } = await api.get(paths.keys(), { signal });

  tell("Fetching what the table shows.");
  const views = await publicViews(api, head, signal);
  return { match: head, record, beside: { head, keys: listed.keys, ...views } };
}

/**
 * @param {Api} api @param {string} match @param {AbortSignal} signal
 * @param {(word: AuditAnswer) => void} tell
 */
export async function askServer(api, match, signal, tell) {
  while (!signal.aborted) {
    const { value } = await api.get(paths.match(match, "audit"), { signal });
    tell(value);
    if (value.report !== null) return;
    await pause(signal);
  }
}

/**
 * Return what the public is shown at every version, or why the service does not tell it. A seat's
 * token shows more than the public sees, which no commit holds the digest of: [].
 * @param {Api} api @param {any} head @param {AbortSignal} signal
 * @returns {Promise<{ shown: Shown[], unshown?: string }>}
 */
async function publicViews(api, head, signal) {
  const reader = head.visibility === "public" ? new Api(HOME) : api;
  /** @type {Shown[]} */
  const shown = [];
  try {
    while (shown.length < head.version) {
      const query = { after: shown.length, limit: PIECE };
      const { value } = await reader.get(paths.match(head.id, "states"), { query, signal });
      const isPublic = value.states.every(
        (/** @type {any} */ frame) => (frame.seat ?? null) === null,
      );
      if (!isPublic) return { shown: [] };
      if (value.states.length === 0) return { shown: [], unshown: "the service does not list it" };
      for (const { version, hash, state } of value.states) shown.push({ version, hash, state });
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { shown: [], unshown: `the service says: ${error.title}` };
  }
  return { shown: shown.slice(0, head.version) };
}

/** @param {AbortSignal} signal */
function pause(signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MILLISECONDS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}
