// The keys of a replay, and the dialog that tells them.

import { html, render } from "../base/dom.js";
import { read, remove, write } from "../base/storage.js";

/** @import { Steps } from "./types.d.ts" */

// What has a use of its own for keys; the slider of a replay has not.
const FIELDS = "input:not(.replay-slider), select, textarea, dialog, [contenteditable]";

const PRESSED = 'button, summary, [role="button"]';

// Where single characters are no keys, for those who speak to their computer.
const SILENT = "giornale/keys-off";

// What each key does, in the order of the help. A character is a key of its own.
const KEYS = /** @type {[string, string, (steps: Steps) => void][]} */ ([
  ["ArrowLeft", "Previous version", (steps) => steps.commit(-1)],
  ["ArrowRight", "Next version", (steps) => steps.commit(1)],
  ["Shift+ArrowLeft", "Previous turn", (steps) => steps.turn(-1)],
  ["Shift+ArrowRight", "Next turn", (steps) => steps.turn(1)],
  ["[", "Previous scoring", (steps) => steps.scoring(-1)],
  ["]", "Next scoring", (steps) => steps.scoring(1)],
  ["Home", "First version", (steps) => steps.first()],
  ["End", "Last version, followed live", (steps) => steps.last()],
  [" ", "Play or pause", (steps) => steps.play()],
  ["?", "These keys", (steps) => steps.help()],
]);

// The keys of the play panel, which listens to them itself.
const PLAY_KEYS = [
  ["1", "to 9: choose"],
  ["0", "further choices"],
  ["Enter", "Make the move that is shown"],
  ["Escape", "Take the last choice back"],
];

const WRITTEN = new Map([
  ["ArrowLeft", "\u2190"],
  ["ArrowRight", "\u2192"],
  ["Shift+ArrowLeft", "Shift \u2190"],
  ["Shift+ArrowRight", "Shift \u2192"],
  [" ", "Space"],
]);

/** @param {Steps} steps @param {AbortSignal} signal */
export function listen(steps, signal) {
  document.addEventListener("keydown", (event) => onKey(event, steps), { signal });
}

/** @param {KeyboardEvent} event @param {Steps} steps */
function onKey(event, steps) {
  const isCommand = event.ctrlKey || event.altKey || event.metaKey;
  if (isCommand || event.defaultPrevented || isWithin(event, FIELDS)) return;
  if (event.key === " " && isWithin(event, PRESSED)) return;
  if (event.key.length === 1 && event.key !== " " && isSilent()) return;

  const isArrow = event.key.startsWith("Arrow");
  const name = event.shiftKey && isArrow ? `Shift+${event.key}` : event.key;
  const known = KEYS.find(([key]) => key === name);
  if (!known) return;

  event.preventDefault();
  known[2](steps);
}

/** @param {KeyboardEvent} event @param {string} selector */
function isWithin(event, selector) {
  return event.target instanceof Element && event.target.closest(selector) !== null;
}

/** @param {boolean} plays */
export function showKeys(plays) {
  const dialog = document.createElement("dialog");
  dialog.className = "replay-keys";
  dialog.setAttribute("aria-labelledby", "replay-keys-title");
  dialog.addEventListener("close", () => dialog.remove());
  const rows = KEYS.map(([key, text]) => keyRow(WRITTEN.get(key) ?? key, text));
  const playRows = plays ? PLAY_KEYS.map(([key, text]) => keyRow(key ?? "", text ?? "")) : [];

  const table = html`
    <h2 id="replay-keys-title">Keys</h2>
    <dl>${rows}${playRows}</dl>
    <p class="row">
      <input type="checkbox" id="replay-silent" .checked=${isSilent()} @change=${silence} />
      <label for="replay-silent">Single characters do nothing</label>
    </p>
    <form method="dialog"><button class="primary" autofocus>Close</button></form>`;
  render(table, dialog);
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {string} key @param {string} text */
function keyRow(key, text) {
  return html`<div><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`;
}

export function isSilent() {
  return read(SILENT) !== null;
}

/** @param {Event} event */
function silence(event) {
  const { checked } = /** @type {HTMLInputElement} */ (event.target);
  if (checked) write(SILENT, "yes");
  else remove(SILENT);
}
