// Templates: what all pages draw with. The library behind them is named here alone.

export { html, nothing, render, svg } from "../vendor/lit-html.js";

// Hand a file to the reader. Its address must live until the browser has begun to save it.
/** @param {Blob} content @param {string} name */
export function saveFile(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

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
