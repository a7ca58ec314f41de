// The composer for moves of which only the API knows the form: the move is written as JSON.

import { html, nothing } from "../base/dom.js";
import { capital, worded } from "../base/words.js";
import { textOf } from "../boards/plain/values.js";

/** @import { Composer, Seat } from "../boards/types.d.ts" */

/** @param {string} command @returns {Composer & {byHand: true}} */
export function freehand(command) {
  return {
    byHand: true,
    start: () => JSON.stringify({ type: command }, null, 2),
    draw: (draft, beyond, scene, change) => drawFreehand(draft, beyond, scene.seats, change),
    move: (draft) => JSON.parse(draft),
    problem: problemOf,
    pick: (draft) => draft,
    targets: () => new Set(),
    from: (move) => JSON.stringify(move, null, 2),
  };
}

/**
 * @param {string} draft @param {any} beyond @param {Seat[]} seats
 * @param {(draft: string) => void} change
 */
function drawFreehand(draft, beyond, seats, change) {
  const problem = problemOf(draft);
  const known = Object.entries(beyond ?? {});

  return html`
    <dl class="play-known">
      ${known.map(
        ([key, value]) =>
          html`<div><dt>${capital(worded(key))}</dt><dd>${textOf(value, key, seats)}</dd></div>`,
      )}
    </dl>
    <label class="play-label" for="play-json">The move as JSON</label>
    <textarea
      id="play-json"
      class="play-json"
      rows="6"
      spellcheck="false"
      aria-describedby="play-json-problem"
      aria-invalid=${problem ? "true" : "false"}
      .value=${draft}
      @change=${(/** @type {Event} */ event) => change(fieldValue(event))}
    ></textarea>
    <p id="play-json-problem" class="play-field-problem">${problem || nothing}</p>
  `;
}

/** @param {Event} event */
function fieldValue(event) {
  return /** @type {HTMLTextAreaElement} */ (event.target).value;
}

/** @param {string} draft */
function problemOf(draft) {
  try {
    const move = JSON.parse(draft);
    if (move !== null && typeof move === "object" && !Array.isArray(move)) return "";
    return "A move is an object.";
  } catch {
    return "This is not JSON yet.";
  }
}
