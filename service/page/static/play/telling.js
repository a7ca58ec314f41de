// What has happened, or would happen, as sentences.

import { paths } from "../base/home.js";
import { seatNames, straight, straightLines } from "../base/names.js";
import { capital, worded } from "../base/words.js";

/** @import { Api } from "../base/api.js" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Sentence } from "./types.d.ts" */

/**
 * Return the sentence of an event: the service's own, else its type in words.
 * @param {any} event @param {Seat[]} seats @returns {Sentence}
 */
export function sentenceOf(event, seats) {
  const { sentence } = event;
  if (sentence) return { text: straight(sentence.text), rules: sentence.rules };

  const actor = seats[event.seat]?.name;
  const words = worded(event.type);
  return { text: `${actor ? `${actor}: ${words}` : capital(words)}.`, rules: [] };
}

/**
 * Return what has happened since a version: in the words of the story, or by the types of its
 * events where the story does not come.
 * @param {Api} api @param {any} match @param {number} version @param {any[]} commits
 * @returns {Promise<Sentence[]>}
 */
export async function happenedSince(api, match, version, commits) {
  const query = { after: version };
  try {
    const { value } = await api.get(paths.match(match.id, "story"), { query });
    return straightLines(value.lines).flatMap((line) => line.sentences);
  } catch {
    const seats = seatNames(match.seats);
    const events = commits.flatMap((commit) => commit.events ?? []);
    return events.map((event) => sentenceOf(event, seats));
  }
}
