// A whole match saved as one web page, as `giornale view` writes it, from the service's answers to
// anybody who may see the match.

import { askServer, otherViewVersion } from "../audit/server.js";
import { textLines } from "../base/api.js";
import { saveFile } from "../base/dom.js";
import { paths } from "../base/home.js";
import { capital, listed, seatNames } from "../base/words.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { AuditAnswer } from "../audit/types.d.ts" */
/** @import { Frame, Line } from "../replay/types.d.ts" */
/** @import { SingleMatch } from "./types.d.ts" */

// Both ends of the name of a gap (service/capabilities/single_file/page.py).
const GAP = "<!--gap-->";

/**
 * Make the page of a revealed match, and save it as a file.
 * @param {Match} match @param {Api} api one with the public's view
 */
export async function savePage(match, api) {
  const empty = await fetch(new URL(`${match.game}.txt`, import.meta.url));
  if (!empty.ok) throw new Error("This page is of another release of the service: load it again.");

  const answer = await api.lines(paths.match(match.match, "record"));
  const record = await answer.text();
  const data = await shownIn(match, api, record);
  /** @type {Record<string, string>} */
  const filling = {
    title: escaped(titleOf(match)),
    record: await packed(record),
    match: await packed(JSON.stringify(data)),
  };
  const parts = (await empty.text()).split(GAP).map((part) => filling[part] ?? part);
  saveFile(new Blob(parts, { type: "text/html" }), `${match.game}-${match.match}.html`);
}

/** @param {Match} match @param {Api} api @param {string} record @returns {Promise<SingleMatch>} */
async function shownIn(match, api, record) {
  const word = await auditOf(match, api);
  const frames = /** @type {Frame[]} */ (await linesOf(api, match.match, "states.ndjson"));
  const lines = /** @type {Line[]} */ (await linesOf(api, match.match, "story.ndjson"));
  const { value: curve } = await api.get(paths.match(match.match, "curve"));
  const [first = ""] = record.split("\n", 1);
  const opening = JSON.parse(first).data.commit.events[0];

  return {
    match: match.match,
    game: match.game,
    title: capital(match.game),
    seats: match.seats,
    frames,
    lines,
    view_version: otherViewVersion(word) ?? opening.views,
    seat_states: await seatStates(match, api, frames),
    curve,
    commits: word.report?.commits ?? 0,
    decided: word.report?.decided ?? 0,
  };
}

// Return the states as seen by each seat, by version. [] if nobody sees more than the public.
/** @param {Match} match @param {Api} api @param {Frame[]} frames */
async function seatStates(match, api, frames) {
  const states = [];
  for (const { seat } of match.seats) {
    const seen = await linesOf(api, match.match, "states.ndjson", { seat });
    states.push(/** @type {Frame[]} */ (seen).map(({ state }) => state));
  }
  const shown = JSON.stringify(frames.map(({ state }) => state));
  return states.every((seen) => JSON.stringify(seen) === shown) ? [] : states;
}

/** @param {Match} match @param {Api} api @returns {Promise<AuditAnswer>} */
async function auditOf(match, api) {
  /** @type {AuditAnswer} */
  let last = { done: 0, version: 0, report: null };
  await askServer(api, match, new AbortController().signal, (word) => {
    last = word;
  });
  if (last.report?.wrong) {
    throw new Error(
      `The server finds the match wrong, so it is not saved: ${last.report.wrong.detail}.`,
    );
  }
  return last;
}

/**
 * @param {Api} api @param {string} match @param {string} below
 * @param {Record<string, number>} [query] @returns {Promise<unknown[]>}
 */
async function linesOf(api, match, below, query) {
  const answer = await api.lines(paths.match(match, below), { query });
  const values = [];
  for await (const line of textLines(answer)) values.push(JSON.parse(line));
  return values;
}

/** @param {Match} match */
function titleOf(match) {
  const names = seatNames(match.seats).map(({ name }) => name);
  return `${capital(match.game)}: ${listed(names)}`;
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** @param {string} text @returns {Promise<string>} gzip in base64, for the page to unpack */
async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  const content = await new Response(stream).blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(content);
  });
}
