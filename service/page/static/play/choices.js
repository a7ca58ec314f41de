// The buttons of what can be chosen next; long lists stand in groups.

import { html, nothing } from "../base/dom.js";
import { groupsOf } from "./groups.js";

/** @import { Template } from "../base/types.d.ts" */
/** @import { Choice } from "../boards/types.d.ts" */
/** @import { Choosing } from "./choosing.js" */
/** @import { Panel } from "./types.d.ts" */

// A list that is longer than this is grouped by the first words of its texts.
const LONG = 9;

// Where the choices stand over the board, as in style/replay.css.
const NARROW = window.matchMedia("(max-width: 64rem)");

export const DIGITS = 9;

/** @param {Panel} panel @param {Choosing} choosing */
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
 * @param {Template} list @param {number} number
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
 * @param {Choice[]} alternatives @returns {Choice[][]}
 */
function grouped(alternatives) {
  if (alternatives.length <= LONG) return [alternatives];

  const groups = groupsOf(alternatives, ({ text }) => text.split(/[ :]/, 1)[0] ?? "");
  const helps = groups.length > 1 && groups.length <= alternatives.length / 2;
  return helps ? groups : [alternatives];
}

/** @param {Choice[]} alternatives @returns {Choice[]} */
export function inOrder(alternatives) {
  return grouped(alternatives).flat();
}

/** @param {Choice[]} group @param {Choice[]} order @param {Panel} panel */
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

/** @param {Panel} panel @param {number} number */
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
