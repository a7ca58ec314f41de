// The address of the table page, which tells the version that is looked at.

import { addressOf, place } from "../base/home.js";

/** @import { Move } from "../replay/types.d.ts" */

const CALM = 250; // milliseconds without a step after which the address is changed

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

/**
 * Let the address tell what is looked at. Browsers refuse to change it too often, so steps change
 * it once they have come to rest.
 * @param {string} match @param {number | null} version @param {Move} move
 */
export function tellAddress(match, version, move) {
  const address = addressOf(match, version) + window.location.search;
  clearTimeout(waiting);
  if (move === "jump") {
    if (address !== here()) history.pushState(null, "", address);
    return;
  }
  waiting = setTimeout(() => {
    if (address !== here()) history.replaceState(null, "", address);
  }, CALM);
}

/** @param {(version: number | null) => void} visit @param {AbortSignal} signal */
export function onReturn(visit, signal) {
  const listener = () => {
    clearTimeout(waiting);
    visit(place().version);
  };
  window.addEventListener("popstate", listener, { signal });
}

function here() {
  return window.location.pathname + window.location.search;
}
