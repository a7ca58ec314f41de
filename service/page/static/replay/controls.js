// The controls of a replay: a slider over all versions, buttons, speeds, the way back to the
// present.

import { html, nothing } from "../base/dom.js";
import { counted } from "../base/words.js";
import { glyph } from "./glyphs.js";
import { SPEEDS } from "./position.js";
import { textOf } from "./told.js";

/** @import { Playing, Position } from "./position.js" */
/** @import { Told } from "./told.js" */
/** @import { GlyphName, Speed, Steps } from "./types.d.ts" */

/**
 * @param {{ position: Position, playing: Playing, told: Told, isOver: boolean, isTurn: boolean }}
 *   now
 * @param {Steps} steps
 */
export function drawControls({ position, playing, told, isOver, isTurn }, steps) {
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
        aria-label="Version"
        aria-valuetext="${version} of ${last}. ${textOf(told.line(version))}"
        @input=${(/** @type {InputEvent} */ event) => steps.slide(versionOf(event))}
      />
      ${scoringMarks(told.scorings, last)}
      <span class="replay-where numbers">${version}<span class="unseen"> of </span><small>${last}</small></span>
    </div>
    <div class="replay-buttons" role="group" aria-label="Steps">
      ${stepButton("first", "First version", "Home", isFirst, steps.first)}
      ${stepButton("turnBack", "Previous turn", "Shift+Left", isFirst, () => steps.turn(-1))}
      ${stepButton("back", "Previous version", "Left", isFirst, () => steps.commit(-1))}
      ${playButton(playing, isLast, steps)}
      ${stepButton("on", "Next version", "Right", isLast, () => steps.commit(1))}
      ${stepButton("turnOn", "Next turn", "Shift+Right", isLast, () => steps.turn(1))}
      ${stepButton("last", "Last version", "End", isLast, steps.last)}
    </div>
    <div class="replay-more">
      <label class="replay-speed">
        <span class="unseen">Speed</span>
        <select @change=${(/** @type {Event} */ event) => steps.speed(speedOf(event))}>
          ${Object.keys(SPEEDS).map(
            (speed) => html`<option value=${speed} ?selected=${speed === playing.speed}>
              ${speed}
            </option>`,
          )}
        </select>
      </label>
      <span class="replay-scorings" ?hidden=${!hasScorings} role="group" aria-label="Scorings">
        ${scoringButton("Previous scoring", "[", "\u2039", isFirst, () => steps.scoring(-1))}
        <span aria-hidden="true">Scoring</span>
        ${scoringButton("Next scoring", "]", "\u203a", isLast, () => steps.scoring(1))}
      </span>
      <button type="button" class="quiet replay-help" title="Keys (?)" aria-label="Keys" @click=${steps.help}>
        ${glyph("keys")}
      </button>
      ${position.follows ? nothing : returnButton(position, presentName(isOver, isTurn), steps)}
    </div>`;
}

/**
 * @param {GlyphName} name @param {string} label @param {string} key @param {boolean} disabled
 * @param {() => void} act
 */
function stepButton(name, label, key, disabled, act) {
  return html`<button
    type="button"
    title="${label} (${key})"
    aria-label=${label}
    aria-disabled=${disabled ? "true" : nothing}
    @click=${act}
  >
    ${glyph(name)}
  </button>`;
}

/**
 * @param {string} label @param {string} key @param {string} sign @param {boolean} disabled
 * @param {() => void} act
 */
function scoringButton(label, key, sign, disabled, act) {
  return html`<button
    type="button"
    class="quiet"
    title="${label} (${key})"
    aria-label=${label}
    aria-disabled=${disabled ? "true" : nothing}
    @click=${act}
  >
    ${sign}
  </button>`;
}

/** @param {Playing} playing @param {boolean} isLast @param {Steps} steps */
function playButton(playing, isLast, steps) {
  const label = playing.isOn ? "Pause" : "Play";
  return html`<button
    type="button"
    class="replay-play-button"
    title="${label} (Space)"
    aria-label=${label}
    aria-disabled=${isLast && !playing.isOn ? "true" : nothing}
    @click=${steps.play}
  >
    ${glyph(playing.isOn ? "pause" : "play")}
  </button>`;
}

/** @param {boolean} isOver @param {boolean} isTurn */
function presentName(isOver, isTurn) {
  if (isOver) return "To the end";
  return isTurn ? "To your turn" : "Back to live";
}

/** @param {Position} position @param {string} text @param {Steps} steps */
function returnButton(position, text, steps) {
  const later = position.last - position.version;
  const title = later === 0 ? nothing : `${counted(later, "version")} later`;
  return html`<button type="button" class="primary replay-return" title=${title} @click=${steps.last}>
    ${text}
  </button>`;
}

/** @param {number[]} scorings @param {number} last */
function scoringMarks(scorings, last) {
  if (scorings.length === 0 || last === 1) return nothing;
  const marks = scorings.map((version) => `M${((version - 1) / (last - 1)) * 1000} 0v6`);
  return html`<svg class="replay-marks" viewBox="0 0 1000 6" preserveAspectRatio="none" aria-hidden="true">
    <path d=${marks.join("")}></path>
  </svg>`;
}

/** @param {Event} event */
function versionOf(event) {
  return Number(/** @type {HTMLInputElement} */ (event.target).value);
}

/** @param {Event} event @returns {Speed} */
function speedOf(event) {
  return /** @type {Speed} */ (/** @type {HTMLSelectElement} */ (event.target).value);
}
