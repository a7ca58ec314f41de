// Copying a text, also on pages without TLS, where browsers offer no clipboard.

import { announce } from "./announce.js";

/** @param {string} text @param {HTMLElement} button */
export async function copy(text, button) {
  const isCopied = await write(text);
  announce(isCopied ? "Copied." : "The browser does not allow to copy.");
  button.dataset.copied = isCopied ? "yes" : "no";
  setTimeout(() => delete button.dataset.copied, 2000);
}

/** @param {string} text */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeBySelection(text);
  }
}

/** @param {string} text */
function writeBySelection(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  const focused = document.activeElement;
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
