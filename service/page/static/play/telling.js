/** What has happened, or would happen, as sentences. */

import { paths } from "../base/home.js";
import { straight, straightLines } from "../base/names.js";
import { capital, worded } from "../base/words.js";

/** @typedef {import("../base/api.js").Api} Api */
/** @typedef {import("../boards/board.js").Seat} Seat */

/**
 * @typedef {object} Sentence
 * @property {string} text
 * @property {string[]} rules the numbers of the rules that decided
 */

/**
 * Return the sentence of an event: the service's own, else its type in words.
 *
 * @param {any} event of a preview or of a commit
 * @param {Seat[]} seats
 * @returns {Sentence}
 */
export function sentenceOf(event, seats) {
  const { sentence } = event;
  if (sentence) return { text: straight(sentence.text), rules: sentence.rules };

  const actor = seats[event.seat]?.name;
  const words = worded(event.type);
  return { text: `${actor ? `${actor}: ${words}` : capital(words)}.`, rules: [] };
}

/**
 * Return what has happened since a version, in the words of the story.
 *
 * @param {Api} api
 * @param {string} match
 * @param {number} version
 * @returns {Promise<Sentence[]>}
 */
export async function happenedSince(api, match, version) {
  const query = { after: version };
  const { value } = await api.get(paths.match(match, "story"), { query });
  return straightLines(value.lines).flatMap((line) => line.sentences);
}

/**
 * Return what commits did, by the types of their events.
 *
 * @param {any[]} commits
 * @param {Seat[]} seats
 * @returns {Sentence[]}
 */
export function toldCommits(commits, seats) {
  const events = commits.flatMap((commit) => commit.events ?? []);
  return events.map((event) => sentenceOf(event, seats));
}
