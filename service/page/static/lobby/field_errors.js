// What is wrong with single fields of a form, by the JSON pointers of the API's answer.

import { html, nothing } from "../base/dom.js";

/** @import { Errors } from "./types.d.ts" */

/** @param {Errors} errors @param {string} pointer */
export function hasError(errors, pointer) {
  return at(errors, pointer).length > 0;
}

/** @param {string} pointer */
export function errorId(pointer) {
  return `lobby-error${pointer.replaceAll("/", "-")}`;
}

/** @param {Errors} errors @param {string} pointer */
export function drawError(errors, pointer) {
  const lines = at(errors, pointer).map(([place, detail]) => {
    const below = place.slice(pointer.length + 1);
    return html`<span>${below ? html`<code>${below}</code>: ` : nothing}${detail}</span>`;
  });
  return html`<p class="lobby-error" id=${errorId(pointer)} ?hidden=${lines.length === 0}>${lines}</p>`;
}

/** @param {Errors} errors @param {string[]} shown */
export function otherErrors(errors, shown) {
  return [...errors.keys()].filter((place) => !shown.some((pointer) => isWithin(place, pointer)));
}

/** @param {Errors} errors @param {string} pointer @returns {[string, string][]} */
function at(errors, pointer) {
  return [...errors].filter(([place]) => isWithin(place, pointer));
}

/** @param {string} place @param {string} pointer */
function isWithin(place, pointer) {
  return place === pointer || place.startsWith(`${pointer}/`);
}
