/** The buttons of what can be chosen next; long lists stand in groups. */

import { html, nothing } from "../base/dom.js";
import { groupsOf } from "./groups.js";

/** @typedef {import("../base/dom.js").Template} Template */
/** @typedef {import("../boards/board.js").Choice} Choice */
/** @typedef {import("./choosing.js").Choosing} Choosing */
/** @typedef {import("./panel.js").Panel} Panel */

/** A list that is longer than this is grouped by the first words of its texts. */
const LONG = 9;

/** Where the choices stand over the board, as in style/replay.css. */
const NARROW = window.matchMedia("(max-width: 64rem)");

/** How many choices have a digit at a time. */
export const DIGITS = 9;

/**
 * Draw the next choices; nothing if there are none.
 *
 * @param {Panel} panel
 * @param {Choosing} choosing
 * @returns {Template | typeof nothing}
 */
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

/**
 * Fold a long list, which would cover the board on a small screen. All of it is on the board too.
 *
 * @param {Template} list
 * @param {number} number
 * @returns {Template}
 */
function folded(list, number) {
  return html`
    <details class="play-folded">
      <summary>Pick on the board, or from a list of ${number}</summary>
      ${list}
    </details>`;
}

/**
 * Return choices in groups: one group, or those whose texts begin with the same word.
 *
 * @param {Choice[]} alternatives
 * @returns {Choice[][]}
 */
function grouped(alternatives) {
  if (alternatives.length <= LONG) return [alternatives];

  const groups = groupsOf(alternatives, ({ text }) => text.split(/[ :]/, 1)[0] ?? "");
  const helps = groups.length > 1 && groups.length <= alternatives.length / 2;
  return helps ? groups : [alternatives];
}

/**
 * Return choices in the order in which they are drawn, which is that of their digits.
 *
 * @param {Choice[]} alternatives
 * @returns {Choice[]}
 */
export function inOrder(alternatives) {
  return grouped(alternatives).flat();
}

/**
 * @param {Choice[]} group
 * @param {Choice[]} order all, in the order of their digits
 * @param {Panel} panel
 * @returns {Template}
 */
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

/**
 * Return a text that may be broken after a slash.
 *
 * @param {string} text
 * @returns {(string | Template)[]}
 */
function breakable(text) {
  const [first = "", ...others] = text.split("/");
  return [first, ...others.map((part) => html`/<wbr />${part}`)];
}

/**
 * @param {Panel} panel
 * @param {number} number
 * @returns {Template}
 */
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
