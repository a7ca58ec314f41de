/** The keys of the play panel: digits choose, Enter confirms, Escape goes a step back. */

import { isSilent } from "../replay/keys.js";

/**
 * @typedef {object} Hands what the keys do; each says whether it did anything
 * @property {(digit: number) => boolean} digit
 * @property {() => boolean} confirm
 * @property {() => boolean} back
 */

/** What has a use of its own for keys. */
const FIELDS = "input, select, textarea, dialog, [contenteditable]";

/** What Enter presses. */
const PRESSED = `button, a, summary, [role="button"], [role="slider"], ${FIELDS}`;

/**
 * Listen to the keys of the whole page.
 *
 * @param {Hands} hands
 * @param {AbortSignal} [signal] ends it
 */
export function listenToKeys(hands, signal) {
  document.addEventListener("keydown", (event) => onKey(event, hands), { signal });
}

/**
 * @param {KeyboardEvent} event
 * @param {Hands} hands
 */
function onKey(event, hands) {
  const isCommand = event.ctrlKey || event.altKey || event.metaKey;
  if (isCommand || event.repeat || event.defaultPrevented) return;
  if (isWithin(event, FIELDS)) return;

  if (pressed(event, hands)) event.preventDefault();
}

/**
 * @param {KeyboardEvent} event
 * @param {Hands} hands
 * @returns {boolean}
 */
function pressed(event, hands) {
  if (event.key === "Escape") return hands.back();
  if (event.key === "Enter") return !isWithin(event, PRESSED) && hands.confirm();
  if (/^[0-9]$/.test(event.key) && !isSilent()) return hands.digit(Number(event.key));
  return false;
}

/**
 * @param {KeyboardEvent} event
 * @param {string} selector
 * @returns {boolean}
 */
function isWithin(event, selector) {
  return event.target instanceof Element && event.target.closest(selector) !== null;
}
