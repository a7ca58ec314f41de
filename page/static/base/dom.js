// Templates for all pages. Only this module names the library behind them.

export { html, nothing, render, svg } from "../vendor/lit-html.js";

// Let the browser save a file. Its address must live until the browser has begun to save it.
/** @param {Blob} content @param {string} name */
export function saveFile(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Return the form field of an event. A select has the same `value`.
/** @param {Event} event */
export function fieldOf(event) {
  return /** @type {HTMLInputElement} */ (event.target);
}

// Stay on the page, and return a reader of the fields of a submitted form.
/** @param {SubmitEvent} event */
export function sentWith(event) {
  event.preventDefault();
  const fields = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
  return (/** @type {string} */ name) => String(fields.get(name) ?? "").trim();
}
