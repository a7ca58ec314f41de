// The lines of a record: each one commit, as a CloudEvents event in canonical JSON (section 2).

import { canonical, NotCanonical } from "./canonical.js";
import { Wrong } from "./wrong.js";

/** @import { Entry } from "./types.d.ts" */

const LINE_FEED = 0x0a;

// How deep CONTENT and PARTS may be: they lie within the line and its `data`.
const DEPTH = 62;

/** @param {Uint8Array} record @returns {Uint8Array[]} */
export function linesOf(record) {
  const lines = [];
  let start = 0;
  while (start < record.length) {
    const end = record.indexOf(LINE_FEED, start);
    const next = end < 0 ? record.length : end + 1;
    lines.push(record.subarray(start, next));
    start = next;
  }
  return lines;
}

/**
 * @param {Uint8Array} line @param {number} number @returns {{entry: Entry, contentText: string}}
 * @throws {Wrong} unless the line holds these very bytes
 */
export function readLine(line, number) {
  const text = textOf(line, number);
  const { entry, contentText, written } = rewritten(parsed(text, number), number);
  if (written !== text) {
    throw notCanonical(
      number,
      "its bytes are not the canonical form of the commit in its envelope",
    );
  }
  return { entry, contentText };
}

/** @param {Uint8Array} line @param {number} number */
function textOf(line, number) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
  } catch {
    throw notCanonical(number, "it is not JSON");
  }
}

/** @param {string} text @param {number} number */
function parsed(text, number) {
  try {
    return JSON.parse(text);
  } catch {
    throw notCanonical(number, "it is not JSON");
  }
}

/** @param {any} envelope @param {number} number */
function rewritten(envelope, number) {
  try {
    const { commit, hash, secrets } = envelope.data;
    const entry = { commit, hash, secrets };
    // The envelope repeats these two in other words, which would differ from language to language
    // for values of other kinds.
    if (typeof commit.match !== "string" || typeof commit.version !== "number") {
      throw new NotCanonical("its commit names no match by a text, or no version by a number");
    }
    const contentText = canonical(commit, DEPTH);
    const attributes = {
      specversion: "1.0",
      type: "giornale.commit",
      source: `/v1/matches/${commit.match}`,
      subject: commit.match,
      id: String(commit.version),
      time: commit.time,
      datacontenttype: "application/json",
    };

    // Names are in order, and "data" comes before all others.
    const data = `{"commit":${contentText},"hash":${canonical(hash)},"secrets":${canonical(secrets, DEPTH)}}`;
    const written = `{"data":${data},${canonical(attributes).slice(1)}\n`;
    return { entry, contentText, written };
  } catch (error) {
    if (error instanceof NotCanonical) throw notCanonical(number, error.message);
    throw notCanonical(number, "it is not a CloudEvents envelope around a commit");
  }
}

/** @param {number} number @param {string} reason */
function notCanonical(number, reason) {
  return new Wrong(number, "not_canonical", `the line cannot be taken: ${reason}`);
}
