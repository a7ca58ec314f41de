// Links to a match or to one of its seats.

import { copy } from "../base/announce.js";
import { html, nothing } from "../base/dom.js";
import { addressOf, linkWithToken } from "../base/home.js";
import { tokens } from "../base/memory.js";
import { confirm } from "../base/page.js";
import { heldSeats } from "../base/tokens.js";
import { holderName } from "./head.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Actions } from "./actions.js" */

// The hint at a link to a seat: the browser that opens it replaces the token.
const SEAT_HINT =
  "It counts once: the browser that opens it plays the seat then, and this one no longer does.";

const SENT_HINT =
  "Send it to them, and do not open it yourself. It is shown until you leave this page.";

/**
 * @param {Match} match @param {Seat[]} seats @param {number | null} reader @param {Actions} actions
 */
export function drawLinks(match, seats, reader, actions) {
  const rows = [];
  const known = tokens(match.match);
  const isPrivate = match.visibility === "private";
  const isOpen = match.status === "open";

  if (!isPrivate) {
    const address = window.location.origin + addressOf(match.match);
    rows.push(linkRow(isOpen ? "For players and spectators" : "For spectators", address));
  }
  if (isPrivate && isOpen)
    rows.push(guestRow("For a new player", "invitation", match.match, actions));
  if (isPrivate) rows.push(guestRow("For a spectator", "spectator", match.match, actions));
  for (const [holder, token] of Object.entries(known)) {
    if (!holder.startsWith("seat:")) continue;
    const name = holderName(holder, seats);
    const isOwn = holder === `seat:${reader}`;
    const label = isOwn ? `To play ${name} (you) on another device` : `To play ${name}`;
    rows.push(linkRow(label, linkWithToken(match.match, token), SEAT_HINT));
  }
  if (known.owner) rows.push(...newSeatRows(match, seats, actions));
  return html`<ul class="table-links">${rows}</ul>`;
}

// Draw the ways to a new link for each seat that is played elsewhere, in case it is lost (M13).
/** @param {Match} match @param {Seat[]} seats @param {Actions} actions */
function newSeatRows(match, seats, actions) {
  const held = heldSeats(match.match);
  const others = match.seats.filter(({ seat, kind, absent }) => {
    return (kind === "human" || absent) && !held.includes(seat);
  });
  return others.map(({ seat }) => {
    const name = seats[seat]?.name ?? "";
    const token = actions.made.get(`seat:${seat}`);
    if (token)
      return linkRow(`The new link for ${name}`, linkWithToken(match.match, token), SENT_HINT);
    return html`<li>
      <span>${name} has lost the link?</span>
      <button
        type="button"
        aria-label="Make a new link for ${name}"
        ?disabled=${actions.isBusy}
        @click=${() => confirmNewLink(seat, name, actions)}
      >
        Make a new link …
      </button>
    </li>`;
  });
}

/** @param {number} seat @param {string} name @param {Actions} actions */
function confirmNewLink(seat, name, actions) {
  confirm({
    title: `Make a new link for ${name}?`,
    text: `The browser of ${name} can then no longer play the seat. Everybody reads in the story that you did it.`,
    yes: "Make the link",
    no: "Leave it",
    act: () => actions.renewToken(`seat:${seat}`),
  });
}

/**
 * Draw a link for guests. Without its token, an owner gets a button for a new one.
 * @param {string} label @param {"invitation" | "spectator"} holder @param {string} match
 * @param {Actions} actions
 */
function guestRow(label, holder, match, actions) {
  const known = tokens(match);
  const token = known[holder];
  if (token) return linkRow(label, linkWithToken(match, token));
  if (!known.owner) return nothing;
  return html`<li>
    <span>${label}</span>
    <button
      type="button"
      aria-label="Make a new link: ${label}"
      title="The earlier link no longer works then."
      ?disabled=${actions.isBusy}
      @click=${() => actions.renewToken(holder)}
    >
      Make a new link
    </button>
  </li>`;
}

/** @param {string} label @param {string} address @param {string} [hint] */
function linkRow(label, address, hint = "") {
  /** @param {Event} event */
  const onCopy = (event) => copy(address, /** @type {HTMLElement} */ (event.currentTarget));
  return html`<li>
    <span>${label}${hint ? html` <small>${hint}</small>` : nothing}</span>
    <button type="button" aria-label="Copy link: ${label}" @click=${onCopy}>Copy link</button>
  </li>`;
}
