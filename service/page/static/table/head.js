// The head of the table page: the game, where the match stands, and who sits at it.

import { html, nothing, svg } from "../base/dom.js";
import { rulesAddress } from "../base/home.js";
import { seatMark } from "../base/seat_marks.js";
import { capital, ordinal } from "../base/words.js";
import { turnText, waitsFor } from "./standing.js";

/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Head } from "./types.d.ts" */

/** @param {Head} head */
export function drawHead(head) {
  const { match, seats, reader, frame, follows } = head;
  const standing = frame ?? match;
  const isTurn = follows && waitsFor(standing, reader);
  return html`
    <div class="table-line">
      <h1>${capital(match.game)}</h1>
      <p class="table-standing ${isTurn ? "table-yours" : ""}">
        ${turnText(standing, seats, follows ? reader : null)}
      </p>
      ${follows ? drawConnection(head) : html`<span class="tag">Version ${frame?.version}</span>`}
      <p class="table-ways">
        ${match.advice ? html`<span class="tag">Advice allowed</span>` : nothing}
        ${match.visibility === "private" ? html`<span class="tag">Private</span>` : nothing}
        <a href=${rulesAddress(match.game)}>Rules</a>
      </p>
      ${drawReaders(head)}
    </div>
    <ul class="table-seats" aria-label="Seats">
      ${match.seats.map((/** @type {any} */ seat) => drawSeat(seat, head))}
    </ul>`;
}

/** @param {Head} head */
function drawConnection({ connection, match }) {
  if (match.status !== "running" && match.status !== "open") return nothing;
  if (connection === "live") {
    return html`<span class="table-live"><span aria-hidden="true">\u25cf</span> Live</span>`;
  }
  if (connection === "reconnecting") {
    return html`<span class="table-lost" role="status">
      <span aria-hidden="true">\u25cb</span> Connection lost, trying again
    </span>`;
  }
  return nothing;
}

/** @param {Head} head */
function drawReaders({ holder, holders, seats, look }) {
  const readable = holders.filter((name) => name !== "owner" && name !== "invitation");
  if (readable.length < 2) return nothing;

  /** @param {Event} event */
  const onChange = (event) => look(/** @type {HTMLSelectElement} */ (event.target).value);
  return html`<label class="table-reader">
    Look as
    <select @change=${onChange}>
      ${readable.map(
        (name) => html`<option value=${name} ?selected=${name === holder}>
          ${holderName(name, seats)}
        </option>`,
      )}
    </select>
  </label>`;
}

/** @param {string} holder @param {Seat[]} seats */
export function holderName(holder, seats) {
  if (!holder.startsWith("seat:")) return capital(holder);
  const seat = Number(holder.slice("seat:".length));
  return seats[seat]?.name ?? `Seat ${seat}`;
}

/**
 * @param {{ seat: number, kind: string, level?: string, absent?: boolean }} seat @param {Head} head
 */
function drawSeat({ seat, kind, level, absent }, { match, seats, reader, frame }) {
  const standing = frame ?? match;
  const isAwaited = waitsFor(standing, seat);
  const points = frame?.state?.players?.[seat]?.points;
  const rank = frame?.version === match.version ? match.outcome?.ranks[seat] : null;
  const role = absent ? "a bot stands in" : seat === reader ? "you" : (level ?? "");
  return html`<li class="table-seat seat-${seat} ${isAwaited ? "table-awaited" : ""}">
    <svg class="table-mark" viewBox="-12 -12 24 24" aria-hidden="true">${markOf(seat, kind)}</svg>
    <span class="table-name">
      ${seats[seat]?.name}
    </span>
    <b class="table-points numbers">
      ${Number.isInteger(points) ? html`${points} <span>${points === 1 ? "point" : "points"}</span>` : nothing}
    </b>
    <small class="table-role">${role}</small>
    ${rank ? html`<span class="tag numbers">${ordinal(rank)}</span>` : nothing}
    ${isAwaited ? html`<span class="table-turn">to play</span>` : nothing}
  </li>`;
}

/** @param {number} seat @param {string} kind */
function markOf(seat, kind) {
  return kind === "open"
    ? svg`<circle class="table-free" r="9"></circle>`
    : seatMark(seat, 0, 0, 21);
}
