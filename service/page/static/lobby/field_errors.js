/** What is wrong with single fields of a form, by the JSON pointers of the API's answer. */

import { html, nothing } from "../base/dom.js";

/** @typedef {import("../base/dom.js").Template} Template */
/** @typedef {ReadonlyMap<string, string>} Errors what is wrong, by JSON pointer */

/**
 * Whether something is wrong at a pointer or below it.
 *
 * @param {Errors} errors
 * @param {string} pointer
 * @returns {boolean}
 */
export function hasError(errors, pointer) {
  return at(errors, pointer).length > 0;
}

/**
 * Return the id of the element that says what is wrong at a pointer.
 *
 * @param {string} pointer
 * @returns {string}
 */
export function errorId(pointer) {
  return `lobby-error${pointer.replaceAll("/", "-")}`;
}

/**
 * Draw what is wrong at a pointer or below it.
 *
 * @param {Errors} errors
 * @param {string} pointer
 * @returns {Template}
 */
export function drawError(errors, pointer) {
  const lines = at(errors, pointer).map(([place, detail]) => {
    const below = place.slice(pointer.length + 1);
    return html`<span>${below ? html`<code>${below}</code>: ` : nothing}${detail}</span>`;
  });
  return html`<p class="lobby-error" id=${errorId(pointer)} ?hidden=${lines.length === 0}>${lines}</p>`;
}

/**
 * Return the pointers of what is wrong that no field shows.
 *
 * @param {Errors} errors
 * @param {string[]} shown the pointers of the fields
 * @returns {string[]}
 */
export function otherErrors(errors, shown) {
  return [...errors.keys()].filter((place) => !shown.some((pointer) => isWithin(place, pointer)));
}

/**
 * @param {Errors} errors
 * @param {string} pointer
 * @returns {[string, string][]}
 */
function at(errors, pointer) {
  return [...errors].filter(([place]) => isWithin(place, pointer));
}

/**
 * @param {string} place
 * @param {string} pointer
 * @returns {boolean}
 */
function isWithin(place, pointer) {
  return place === pointer || place.startsWith(`${pointer}/`);
}
