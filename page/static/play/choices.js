// The buttons of the next choices, in groups if there are many, and the keys of the play panel.

import { html, nothing } from "../base/dom.js";
import { isSilent, isWithin } from "../replay/controls.js";
import { groupsOf } from "./paths.js";

/** @import { Template } from "../base/types.d.ts" */
/** @import { Choice } from "../boards/types.d.ts" */
/** @import { Choosing } from "./choosing.js" */
/** @import { ChoicePanel, Hands } from "./types.d.ts" */

// Longer lists are grouped by the first word of each text, if that makes few groups.
const LONG = 9;

// Long lists are folded up to this width. Only narrower windows have the choices in a sheet over
// the board (`.replay-turn` in style/replay.css).
const NARROW = window.matchMedia("(max-width: 64rem)");

const DIGITS = 9;

/** @param {ChoicePanel} panel @param {Choosing} choosing */
export function drawChoices(panel, choosing) {
  const alternatives = choosing.alternatives();
  if (alternatives.length === 0) return nothing;

  const groups = grouped(alternatives);
  const order = groups.flat();
  const isLong = alternatives.length > LONG;
  const list = html`
    <div class="play-groups" role="group" aria-labelledby="play-title">
      ${groups.map((group) => drawGroup(group, order, panel))}
    </div>
    ${isLong ? drawMoreKeys(panel, alternatives.length) : nothing}
  `;

  const isOnBoard = alternatives.every(({ place }) => place !== undefined);
  return isLong && isOnBoard && NARROW.matches ? folded(list, alternatives.length) : list;
}

// Fold a long list, since it would cover the board on a small screen. Each of its choices is also a
// place on the board.
/** @param {Template} list @param {number} number */
function folded(list, number) {
  return html`
    <details class="play-folded">
      <summary>Pick on the board, or from a list of ${number}</summary>
      ${list}
    </details>`;
}

// Return choices in groups by the first word of their texts, or all in one group.
/** @param {Choice[]} alternatives @returns {Choice[][]} */
function grouped(alternatives) {
  if (alternatives.length <= LONG) return [alternatives];

  const groups = groupsOf(alternatives, ({ text }) => text.split(/[ :]/, 1)[0] ?? "");
  const helps = groups.length > 1 && groups.length <= alternatives.length / 2;
  return helps ? groups : [alternatives];
}

/** @param {Choice[]} alternatives @returns {Choice[]} */
function inOrder(alternatives) {
  return grouped(alternatives).flat();
}

/** @param {Choice[]} group @param {Choice[]} order @param {ChoicePanel} panel */
function drawGroup(group, order, panel) {
  const isDense = order.length > LONG;
  const buttons = group.map((choice) => {
    const digit = order.indexOf(choice) - panel.shift + 1;
    const hasDigit = digit >= 1 && digit <= DIGITS;
    return html`
      <button type="button" class="play-choice" @click=${() => panel.choose(choice.key)}>
        ${hasDigit ? html`<kbd aria-hidden="true">${digit}</kbd>` : nothing}
        <span>${breakable(choice.text)}</span>
      </button>`;
  });
  return html`<div class="play-choices ${isDense ? "play-dense" : ""}">${buttons}</div>`;
}

/** @param {string} text */
function breakable(text) {
  const [first = "", ...others] = text.split("/");
  return [first, ...others.map((part) => html`/<wbr />${part}`)];
}

/** @param {ChoicePanel} panel @param {number} number */
function drawMoreKeys({ shift, shiftDigits }, number) {
  const from = shift + 1;
  const to = Math.min(shift + DIGITS, number);

  return html`
    <p class="play-hint muted">
      Keys for choices ${from} to ${to} of ${number}.
      <button type="button" class="quiet" @click=${shiftDigits}>
        Further keys <kbd aria-hidden="true">0</kbd>
      </button>
    </p>`;
}

// ---- the choices with a key ---------------------------------------------------------------------

export class Digits {
  shift = 0;

  reset() {
    this.shift = 0;
  }

  /**
   * Choose by a digit from 1 to 9. The digit 0 moves the digits on to the next choices.
   * @param {number} digit @param {Choice[]} alternatives
   * @param {{ choose: (key: string) => void, shifted: () => void }} on
   * @returns {boolean} true: the digit had an effect
   */
  press(digit, alternatives, { choose, shifted }) {
    if (digit === 0) {
      const isShifted = this.further(alternatives);
      if (isShifted) shifted();
      return isShifted;
    }

    const choice = this.choice(digit, alternatives);
    if (choice) choose(choice.key);
    return choice !== undefined;
  }

  // Move the digits on to the next choices, and from the last choices back to the first.
  /** @param {Choice[]} alternatives */
  further(alternatives) {
    if (alternatives.length <= DIGITS) return false;
    const next = this.shift + DIGITS;
    this.shift = next < alternatives.length ? next : 0;
    return true;
  }

  /** @param {number} digit @param {Choice[]} alternatives @returns {Choice | undefined} */
  choice(digit, alternatives) {
    return inOrder(alternatives)[this.shift + digit - 1];
  }
}

// ---- the keys of the play panel -----------------------------------------------------------------

// Elements with their own use of keys.
export const FIELDS = "input, select, textarea, dialog, [contenteditable]";

// If the move is complete, Enter makes the move even while one of these elements has the focus.
const PICKED = ".play-composer button, .replay-board [data-place]";

// Elements with their own use of Enter.
const PRESSED = `button, a, summary, [role="button"], [role="slider"], ${FIELDS}`;

/** @param {Hands} hands @param {AbortSignal} [signal] */
export function listenToKeys(hands, signal) {
  document.addEventListener("keydown", (event) => onKey(event, hands), { signal });
  const first = (/** @type {KeyboardEvent} */ event) => onEnterFirst(event, hands);
  document.addEventListener("keydown", first, { signal, capture: true });
}

// Let Enter make the move, as the button of the move says. Otherwise Enter would press the focused
// element again. The space bar still presses the element.
/** @param {KeyboardEvent} event @param {Hands} hands */
function onEnterFirst(event, hands) {
  const isCommand = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
  if (event.key !== "Enter" || isCommand || event.repeat || !isWithin(event, PICKED)) return;
  if (!hands.confirm()) return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {KeyboardEvent} event @param {Hands} hands */
function onKey(event, hands) {
  const isCommand = event.ctrlKey || event.altKey || event.metaKey;
  if (isCommand || event.repeat || event.defaultPrevented) return;
  if (isWithin(event, FIELDS)) return;

  if (pressed(event, hands)) event.preventDefault();
}

/** @param {KeyboardEvent} event @param {Hands} hands */
function pressed(event, hands) {
  if (event.key === "Escape") return hands.back();
  if (event.key === "Enter") return !isWithin(event, PRESSED) && hands.confirm();
  if (/^[0-9]$/.test(event.key) && !isSilent()) return hands.digit(Number(event.key));
  return false;
}
