/** Links that hand a match on: to who is to join, to watch, or to play a seat. */

import { copy } from "../base/copy.js";
import { html } from "../base/dom.js";
import { addressOf, linkWithToken } from "../base/home.js";
import { tokens } from "../base/memory.js";
import { holderName } from "./head.js";

/** @typedef {import("../base/dom.js").Template} Template */
/** @typedef {import("../boards/board.js").Seat} Seat */

/**
 * Draw the links that this browser can give away.
 *
 * @param {any} match the answer of GET /matches/{id}
 * @param {Seat[]} seats
 * @param {number | null} reader
 * @returns {Template}
 */
export function drawLinks(match, seats, reader) {
  const rows = [];
  const known = tokens(match.id);
  const isPrivate = match.visibility === "private";
  const isOpen = match.status === "open";

  if (!isPrivate) {
    const address = window.location.origin + addressOf(match.id);
    rows.push(linkRow(isOpen ? "To join or to watch" : "To watch", address));
  }
  if (isOpen && known.invitation) {
    rows.push(linkRow("To join", linkWithToken(match.id, known.invitation)));
  }
  if (known.spectator) {
    rows.push(linkRow("To watch", linkWithToken(match.id, known.spectator)));
  }
  for (const [holder, token] of Object.entries(known)) {
    if (!holder.startsWith("seat:")) continue;
    const name = holderName(holder, seats);
    const isOwn = holder === `seat:${reader}`;
    const label = isOwn ? `To play ${name} (you) on another device` : `To play ${name}`;
    rows.push(linkRow(label, linkWithToken(match.id, token)));
  }
  return html`<ul class="table-links">${rows}</ul>`;
}

/**
 * @param {string} label
 * @param {string} address
 */
function linkRow(label, address) {
  /** @param {Event} event */
  const onCopy = (event) => copy(address, /** @type {HTMLElement} */ (event.currentTarget));
  return html`<li>
    <span>${label}</span>
    <button type="button" aria-label="Copy the link: ${label}" @click=${onCopy}>Copy link</button>
  </li>`;
}
