// Templates: what all pages draw with. The library behind them is named here alone.

export { html, nothing, render, svg } from "../vendor/lit-html.js";

// Return the field of a form in which something has happened; a select has the same `value`.
/** @param {Event} event */
export function fieldOf(event) {
  return /** @type {HTMLInputElement} */ (event.target);
}

// Return what the form holds that was sent, and stay on the page.
/** @param {SubmitEvent} event */
export function sentWith(event) {
  event.preventDefault();
  const fields = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
  return (/** @type {string} */ name) => String(fields.get(name) ?? "").trim();
}
