// The keys of the play panel: digits choose, Enter confirms, Escape goes a step back.

import { isSilent } from "../replay/keys.js";

/** @import { Hands } from "./types.d.ts" */

// What has a use of its own for keys.
const FIELDS = "input, select, textarea, dialog, [contenteditable]";

// What Enter presses.
const PRESSED = `button, a, summary, [role="button"], [role="slider"], ${FIELDS}`;

/** @param {Hands} hands @param {AbortSignal} [signal] */
export function listenToKeys(hands, signal) {
  document.addEventListener("keydown", (event) => onKey(event, hands), { signal });
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

/** @param {KeyboardEvent} event @param {string} selector */
function isWithin(event, selector) {
  return event.target instanceof Element && event.target.closest(selector) !== null;
}
