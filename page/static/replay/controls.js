// The controls of a replay: a slider over all versions, buttons, speeds, and the way back to the
// present.

import { fieldOf, html, nothing, render } from "../base/dom.js";
import { read, remove, write } from "../base/storage.js";
import { counted } from "../base/words.js";
import { SPEEDS } from "./position.js";
import { textOf } from "./story.js";

/** @import { Template } from "../base/types.d.ts" */
/** @import { Playing, Position } from "./position.js" */
/** @import { Told } from "./story.js" */
/** @import { Speed, Steps } from "./types.d.ts" */

/**
 * @param {{ position: Position, playing: Playing, told: Told, isOver: boolean, isTurn: boolean,
 *   goOn: (() => void) | null }} now
 * @param {Steps} steps
 */
export function drawControls({ position, playing, told, isOver, isTurn, goOn }, steps) {
  const { version, last } = position;
  const isFirst = version === 1;
  const isLast = version === last;
  const hasScorings = told.scorings.length > 0;

  return html`
    <div class="replay-slide">
      <input
        type="range"
        class="replay-slider"
        min="1"
        max=${last}
        .value=${String(version)}
        aria-label="Move"
        aria-valuetext="${version} of ${last}. ${textOf(told.line(version))}"
        @input=${(/** @type {InputEvent} */ event) => steps.slide(Number(fieldOf(event).value))}
      />
      ${drawMarks(told, last)}
      <span class="replay-where numbers">${version}<span class="unseen"> of </span><small>${last}</small></span>
    </div>
    <div class="replay-buttons" role="group" aria-label="Steps">
      ${stepButton("first", "First move", "Home", isFirst, steps.first)}
      ${stepButton("turnBack", "Previous turn", "Shift+Left", isFirst, () => steps.turn(-1))}
      ${stepButton("back", "Previous move", "Left", isFirst, () => steps.commit(-1))}
      ${playButton(playing, isLast, steps)}
      ${stepButton("on", "Next move", "Right", isLast, () => steps.commit(1))}
      ${stepButton("turnOn", "Next turn", "Shift+Right", isLast, () => steps.turn(1))}
      ${stepButton("last", "Last move", "End", isLast, steps.last)}
    </div>
    <div class="replay-more">
      <label class="replay-speed">
        <span class="unseen">Speed</span>
        <select @change=${(/** @type {Event} */ event) => steps.speed(/** @type {Speed} */ (fieldOf(event).value))}>
          ${Object.keys(SPEEDS).map(
            (speed) => html`<option value=${speed} ?selected=${speed === playing.speed}>
              ${speed}
            </option>`,
          )}
        </select>
      </label>
      <span class="replay-scorings" ?hidden=${!hasScorings} role="group" aria-label="Scorings">
        ${button("\u2039", "Previous scoring", "[", isFirst, () => steps.scoring(-1), "quiet")}
        <span aria-hidden="true">Scoring</span>
        ${button("\u203a", "Next scoring", "]", isLast, () => steps.scoring(1), "quiet")}
      </span>
      <button type="button" class="quiet replay-help" title="Keys (?)" aria-label="Keys" @click=${steps.help}>
        ${glyph("keys")}
      </button>
      ${goOn ? html`<button type="button" class="replay-go-on" @click=${goOn}>Go on from here</button>` : nothing}
      ${position.follows ? nothing : returnButton(position, presentName(isOver, isTurn), steps)}
    </div>`;
}

/**
 * @param {Template | string} sign @param {string} label @param {string} key @param {boolean} disabled
 * @param {() => void} act @param {string} [classes]
 */
function button(sign, label, key, disabled, act, classes = "") {
  return html`<button
    type="button"
    class=${classes || nothing}
    title="${label} (${key})"
    aria-label=${label}
    aria-disabled=${disabled ? "true" : nothing}
    @click=${act}
  >
    ${sign}
  </button>`;
}

/**
 * @param {keyof typeof OUTLINES} name @param {string} label @param {string} key @param {boolean} disabled
 * @param {() => void} act
 */
function stepButton(name, label, key, disabled, act) {
  return button(glyph(name), label, key, disabled, act);
}

/** @param {Playing} playing @param {boolean} isLast @param {Steps} steps */
function playButton({ isOn }, isLast, steps) {
  const sign = glyph(isOn ? "pause" : "play");
  const label = isOn ? "Pause" : "Play";
  return button(sign, label, "Space", isLast && !isOn, steps.play, "replay-play-button");
}

/** @param {boolean} isOver @param {boolean} isTurn */
function presentName(isOver, isTurn) {
  if (isOver) return "To the end";
  return isTurn ? "To your turn" : "Back to live";
}

/** @param {Position} position @param {string} text @param {Steps} steps */
function returnButton(position, text, steps) {
  const later = position.last - position.version;
  const title = later === 0 ? nothing : `${counted(later, "move")} later`;
  return html`<button type="button" class="primary replay-return" title=${title} @click=${steps.last}>
    ${text}
  </button>`;
}

// Draw marks at the scorings, and strokes over the taken-back versions.
/** @param {Told} told @param {number} last */
function drawMarks({ scorings, gone }, last) {
  if ((scorings.length === 0 && gone.size === 0) || last === 1) return nothing;
  const step = 1000 / (last - 1);
  const marks = scorings.map((version) => `M${(version - 1) * step} 0v6`);
  const struck = [...gone].map((version) => `M${(version - 1.5) * step} 3h${step}`);
  return html`<svg class="replay-marks" viewBox="0 0 1000 6" preserveAspectRatio="none" aria-hidden="true">
    <path d=${marks.join("")}></path>
    <path class="replay-gone" d=${struck.join("")}></path>
  </svg>`;
}

// ---- the keys of a replay, and the dialog with a list of them -----------------------------------

// Elements with their own use of keys. The slider of a replay has none.
const FIELDS = "input:not(.replay-slider), select, textarea, dialog, [contenteditable]";

const PRESSED = 'button, summary, [role="button"]';

// Storage key. If it is set, single characters other than a space do nothing: dictated text may
// hold them.
const SILENT = "giornale/keys-off";

// The effects of keys by their names in `event.key`, in the order of the help.
const KEYS = /** @type {[string, string, (steps: Steps) => void][]} */ ([
  ["ArrowLeft", "Previous move", (steps) => steps.commit(-1)],
  ["ArrowRight", "Next move", (steps) => steps.commit(1)],
  ["Shift+ArrowLeft", "Previous turn", (steps) => steps.turn(-1)],
  ["Shift+ArrowRight", "Next turn", (steps) => steps.turn(1)],
  ["[", "Previous scoring", (steps) => steps.scoring(-1)],
  ["]", "Next scoring", (steps) => steps.scoring(1)],
  ["Home", "First move", (steps) => steps.first()],
  ["End", "Last move, followed live", (steps) => steps.last()],
  [" ", "Play or pause", (steps) => steps.play()],
  ["?", "These keys", (steps) => steps.help()],
]);

// The keys of the play panel. It listens to them itself.
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
export function isWithin(event, selector) {
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
  const { checked } = fieldOf(event);
  if (checked) write(SILENT, "yes");
  else remove(SILENT);
}

// ---- the drawings on the buttons of a replay ----------------------------------------------------

const OUTLINES = {
  first: "M5 5h2.5v14H5zM20 5v14l-11-7z",
  turnBack: "M12.5 5v14l-9-7zM21 5v14l-8-7z",
  back: "M16.5 5v14l-10-7z",
  play: "M7 4.5v15l12.5-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  on: "M7.5 5v14l10-7z",
  turnOn: "M11.5 5v14l9-7zM3 5v14l8-7z",
  last: "M16.5 5H19v14h-2.5zM4 5v14l11-7z",
  keys: "M3 6h18v12H3zM5.5 8.5v2h2v-2zM9 8.5v2h2v-2zM12.5 8.5v2h2v-2zM16 8.5v2h2v-2zM7 13.5v2h10v-2z",
};

/** @param {keyof typeof OUTLINES} name */
function glyph(name) {
  return html`<svg class="replay-glyph" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path fill-rule="evenodd" d=${OUTLINES[name]}></path>
  </svg>`;
}
