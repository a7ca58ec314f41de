// The service's own audit of a match: it plays the match again.

import { Api, bytesOf, Problem } from "../base/api.js";
import { html, nothing } from "../base/dom.js";
import { HOME, paths } from "../base/home.js";
import { tokenFor } from "../base/memory.js";
import { counted } from "../base/words.js";

/** @import { Match, Report } from "../../api.d.ts" */
/** @import { AuditAnswer, Fetched } from "./types.d.ts" */
/** @import { Template } from "../base/types.d.ts" */
/** @import { Shown } from "../verify/types.d.ts" */

// The service's sentence about view digests of another version.
const OTHER_VIEWS = /^view digests: they are of view version [0-9]+, not ([0-9]+)/;

/**
 * @param {AuditAnswer | null} word @param {Template | typeof nothing} failed @param {Match} match
 * @param {(command: string, button: HTMLElement) => void} copy
 */
export function serversWord(word, failed, match, copy) {
  const base = match.forked_from === undefined ? "" : ` --base ${match.forked_from.match}.ndjson`;
  const command = `giornale verify ${match.match}.ndjson${base}`;
  /** @param {MouseEvent} event */
  const clicked = (event) => copy(command, /** @type {HTMLElement} */ (event.currentTarget));
  return html`
    <section class="sheet audit-server">
      <h2>Said by the server, not by your browser</h2>
      <p>
        Moves are checked against the rules, and draws against the seeds, only by playing the match
        again. The server has done it, and your browser has not.
      </p>
      ${failed === nothing ? said(word) : failed}
      <p>
        To see for yourself, download the record and play it again on your own machine, without a
        network:
      </p>
      <p class="audit-command">
        <code>${command}</code>
        <button type="button" @click=${clicked}>Copy</button>
      </p>
    </section>`;
}

// Return the version of the views that the service shows, if the digests in the commits are of
// another one. The shown states cannot be compared then.
/** @param {AuditAnswer | null} word */
export function otherViewVersion(word) {
  /** @type {string[]} */
  const unchecked = word?.report?.unchecked ?? [];
  const found = unchecked.map((reason) => OTHER_VIEWS.exec(reason)).find((match) => match !== null);
  return found ? Number(found[1]) : undefined;
}

/** @param {AuditAnswer | null} word */
function said(word) {
  if (word === null || word.report === null) {
    const done = word?.done ?? 0;
    const of = word?.version ?? 1;
    return html`<p class="audit-said" role="status">
      The server is playing the match again.
      <progress class="audit-progress" max=${of} value=${done} aria-label="Played again"></progress>
    </p>`;
  }

  const { report } = word;
  if (report.wrong !== null) {
    const { commit, detail } = report.wrong;
    return html`<p class="audit-said audit-said-bad">
      The server finds the match wrong${commit > 0 ? ` at commit ${commit}` : ""}: ${detail}.
    </p>`;
  }
  return html`
    <p class="audit-said audit-said-good">${played(report)}</p>
    ${report.unchecked.length > 0 ? notPlayed(report.unchecked) : nothing}`;
}

/** @param {Report} report */
function played({ commits, decided }) {
  if (decided < commits) {
    return `The server says: of ${counted(commits, "entry", "entries")}, ${decided} were played again, and all of them keep the rules.`;
  }
  return `The server says: each of ${counted(commits, "entry", "entries")} was played again, keeps the rules, and has the draws of its seed.`;
}

/** @param {string[]} reasons */
function notPlayed(reasons) {
  const lines = reasons.map((reason) => html`<li>${reason}</li>`);
  return html`<p>Not checked by the server:</p><ul>${lines}</ul>`;
}

// ---- the requests of an audit -------------------------------------------------------------------

const PIECE = 100; // states in one request
const MOST_BASES = 16; // of forks of forks
const PAUSE_MILLISECONDS = 700;

/**
 * Fetch the data for an audit. The match is fetched before the record, which must have at least as
 * many commits.
 * @param {Api} api @param {string} match @param {AbortSignal} signal
 * @param {(what: string) => void} tell @returns {Promise<Fetched>}
 */
export async function fetchAll(api, match, signal, tell) {
  tell("Fetching the record.");
  const { value: head } = await api.get(paths.match(match), { signal });
  const record = await recordOf(api, match, signal);
  const { value: listed } = await api.get(paths.keys(), { signal });

  tell("Fetching the match that it continues.");
  const bases = await recordsOfBases(head, signal);

  tell("Fetching the views of the table.");
  const views = await publicViews(api, head, signal);
  return { match: head, record, beside: { head, keys: listed.keys, bases, ...views } };
}

/**
 * Return the records of a fork's bases, the nearest first: up to the first one that the service
 * refuses, and at most MOST_BASES.
 * @param {Match} fork @param {AbortSignal} signal
 */
async function recordsOfBases(fork, signal) {
  /** @type {ArrayBuffer[]} */
  const records = [];
  let named = fork.forked_from;
  while (named !== undefined && records.length < MOST_BASES) {
    const { match } = named;
    const api = new Api(HOME, tokenFor(match));
    try {
      const { value: base } = await api.get(paths.match(match), { signal });
      records.push(await recordOf(api, match, signal));
      named = base.forked_from;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return records;
    }
  }
  return records;
}

/** @param {Api} api @param {string} match @param {AbortSignal} signal */
async function recordOf(api, match, signal) {
  const answer = await api.lines(paths.match(match, "record"), { signal });
  return (await bytesOf(answer)).buffer;
}

// Reads of an unfinished audit, before it is started again in case its job was lost.
const READS_OF_AN_AUDIT = 20;

/**
 * Have the service audit a match up to a version at least. An audit of an earlier version may be
 * under way: wait for it, then start the next. A start is harmless while the audit is under way.
 * @param {Api} api @param {{ match: string, version: number }} head @param {AbortSignal} signal
 * @param {(word: AuditAnswer) => void} tell
 */
export async function askServer(api, { match, version }, signal, tell) {
  /** @type {AuditAnswer} */
  let word;
  do {
    word = await api.post(paths.match(match, "audits"), undefined, { signal });
    tell(word);
    for (let reads = 0; word.report === null && reads < READS_OF_AN_AUDIT; reads += 1) {
      await pause(signal);
      if (signal.aborted) return;
      ({ value: word } = await api.get(paths.match(match, `audits/${word.version}`), { signal }));
      tell(word);
    }
  } while (word.report === null || word.version < version);
}

/**
 * Return the public's states at every version, or the reason for their absence. A seat's token
 * shows more than the public sees in a private match. No commit has a digest of that, so the list
 * is empty then.
 * @param {Api} api @param {Match} head @param {AbortSignal} signal
 * @returns {Promise<{ shown: Shown[], unshown?: string }>}
 */
async function publicViews(api, head, signal) {
  const reader = head.visibility === "public" ? new Api(HOME) : api;
  /** @type {Shown[]} */
  const shown = [];
  try {
    while (shown.length < head.version) {
      const query = { after: shown.length, limit: PIECE };
      const { value } = await reader.get(paths.match(head.match, "states"), { query, signal });
      const isPublic = value.states.every((frame) => (frame.seat ?? null) === null);
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
export function pause(signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MILLISECONDS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}
