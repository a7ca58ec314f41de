// The head of the table page: the game, the state of the match, and its seats.

import { serverNow } from "../base/api.js";
import { fieldOf, html, nothing, svg } from "../base/dom.js";
import { addressOf, playerAddress, rulesAddress } from "../base/home.js";
import { turnsInWords } from "../base/page.js";
import {
  capital,
  colourOf,
  counted,
  isAsked,
  isAwaited,
  listed,
  ordinal,
  possessive,
  STATUSES,
  shortKey,
  timeLeft,
  victory,
} from "../base/words.js";
import { seatMark } from "../boards/place.js";

/** @import { Clock, ForkedFrom, Match } from "../../api.d.ts" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Frame } from "../replay/types.d.ts" */
/** @import { Head } from "./types.d.ts" */

const TAKE_BACKS = { own: "Own moves can be taken back", consent: "Moves can be taken back" };

/** @param {Head} head */
export function drawHead(head) {
  const { match, seats, reader, frame, follows } = head;
  const standing = frame ?? match;
  const isTurn = follows && isTurnOf(standing, reader);
  return html`
    <div class="table-line">
      <h1>${capital(match.game)}</h1>
      <p class="table-standing ${isTurn ? "table-yours" : ""}">
        ${turnText(standing, seats, follows ? reader : null)}
      </p>
      ${follows ? drawConnection(head) : html`<span class="tag">Move ${frame?.version}</span>`}
      <p class="table-ways">
        ${match.advice ? html`<span class="tag">Advice allowed</span>` : nothing}
        ${match.clock ? html`<span class="tag">${clockInWords(match.clock)}</span>` : nothing}
        ${match.take_back ? html`<span class="tag">${TAKE_BACKS[match.take_back.option]}</span>` : nothing}
        ${match.visibility === "private" ? html`<span class="tag">Private</span>` : nothing}
        ${
          match.rematch_of
            ? html`<a href=${addressOf(match.rematch_of)}>The match before</a>`
            : nothing
        }
        ${match.forked_from ? drawBase(match.forked_from) : nothing}
        ${reader === null && !isOver(match) ? drawClaim(head) : nothing}
        <a href=${rulesAddress(match.game)}>Rules</a>
      </p>
      ${drawReaders(head)}
    </div>
    <ul class="table-seats" aria-label="Seats">
      ${match.seats.map((seat) => drawSeat(seat, head))}
    </ul>
    ${match.seats.some(({ key }) => key) ? drawSigners(head) : nothing}`;
}

// List the players who sign their moves, with their keys (M18), and those who do not.
/** @param {Head} head */
function drawSigners({ match, seats }) {
  const lines = match.seats.map(({ seat, kind, key, absent }) => {
    const name = seats[seat]?.name;
    if (!key)
      return kind !== "human" ? nothing : html`<li>${name} has no key, and signs nothing.</li>`;
    const bot = absent ? "A bot stands in. Its moves are not signed." : "";
    return html`<li>${name} signs every move with the key <code>${key}</code>. ${bot}</li>`;
  });
  return html`<details class="table-signers unprinted">
    <summary>Signatures: keys of the players</summary>
    <ul>${lines}</ul>
  </details>`;
}

/** @param {ForkedFrom} base */
function drawBase({ match, version }) {
  return html`<span class="tag">Not rated</span>
    <a href=${addressOf(match, version)}>Forked at move ${version}</a>`;
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
  // It takes its place before the state is known, so that nothing moves.
  return html`<span class="table-unknown" aria-hidden="true">\u25cf Live</span>`;
}

/** @param {Head} head */
function drawClaim({ claim }) {
  return html`<button type="button" class="quiet" @click=${claim}>This is my seat …</button>`;
}

/** @param {Head} head */
function drawReaders({ holder, holders, seats, look }) {
  const readable = holders.filter((name) => name !== "owner" && name !== "invitation");
  if (readable.length < 2) return nothing;

  /** @param {Event} event */
  const onChange = (event) => look(fieldOf(event).value);
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
  return seats[seat]?.name ?? colourOf(seat);
}

/** @param {object | null} view @param {number} seat */
function pointsIn(view, seat) {
  const { players } = /** @type {{ players?: { points?: number }[] }} */ (view ?? {});
  return players?.[seat]?.points;
}

/**
 * @param {Match["seats"][number]} seat @param {Head} head
 */
function drawSeat(
  { seat, kind, level, absent, key },
  { match, seats, reader, frame, follows, isHere },
) {
  const standing = frame ?? match;
  const isAwaited = waitsFor(standing, seat);
  const points = pointsIn(frame?.state ?? null, seat);
  const rank = frame?.version === match.version ? match.outcome?.ranks[seat] : null;
  const isOther = kind === "human" && seat !== reader && reader !== null;
  const here = isOther && !absent && isPlayed(match) ? isHere(seat) : null;
  const away = here === null ? nothing : presence(here);
  const role = absent ? "a bot stands in" : seat === reader ? "you" : (level ?? "");
  const clock = kind === "human" ? frame?.clock : undefined;
  return html`<li class="table-seat seat-${seat} ${isAwaited ? "table-awaited" : ""}">
    <svg class="table-mark" viewBox="-12 -12 24 24" aria-hidden="true">${markOf(seat, kind)}</svg>
    <span class="table-name">${drawName(seats[seat]?.name ?? "", key)}</span>
    <b class="table-points numbers">
      ${Number.isInteger(points) ? html`${points} <span>${points === 1 ? "point" : "points"}</span>` : nothing}
    </b>
    <small class="table-role"
      >${clock ? drawClock(clock, seat, follows ? serverNow() : null) : nothing}${
        role ? html`<span>${role}</span>` : nothing
      }${key && !absent ? html`<span title="Key ${shortKey(key)}">signs</span>` : nothing}${away}</small
    >
    ${rank ? html`<span class="tag numbers">${ordinal(rank)}</span>` : nothing}
    ${isAwaited ? html`<span class="table-turn">to play</span>` : nothing}
  </li>`;
}

// A name leads to all public matches of its key.
/** @param {string} name @param {string} [key] */
function drawName(name, key) {
  return key ? html`<a href=${playerAddress(key)}>${name}</a>` : name;
}

/** @param {Match} match */
function isPlayed({ status }) {
  return status === "running" || status === "open";
}

// Draw the presence of another player: a page of this server is open there, or was lately.
/** @param {boolean} isHere */
function presence(isHere) {
  return isHere
    ? html`<span class="table-here"><span aria-hidden="true">\u25cf</span> here</span>`
    : html`<span class="table-away" title="No page of theirs was open in the last three minutes."
        ><span aria-hidden="true">\u25cb</span> not here</span
      >`;
}

// ---- time left of a seat (M15) ------------------------------------------------------------------

/**
 * @param {Clock} clock @param {number} seat
 * @param {number | null} now the server's time; null: time stands still, since this is the past
 * @returns {number} in milliseconds
 */
export function leftOf({ left_ms: banks, paying, due }, seat, now) {
  const own = banks[seat] ?? 0;
  if (now === null || due === null || !paying.includes(seat)) return own;

  // The time of all paying seats runs since one moment, and the smallest bank is empty at `due`.
  const first = Math.min(...paying.map((one) => banks[one] ?? 0));
  const left = own - first + Date.parse(due) - now;

  // The clocks of server and browser may differ: never show more than the bank.
  return Math.min(own, Math.max(0, left));
}

/** @param {Clock} clock */
function clockInWords({ bank_s: bank, move_s: move }) {
  const added = move > 0 ? `, ${timeLeft(1000 * move)} more a turn` : "";
  return `Clock ${timeLeft(1000 * bank)}${added}`;
}

/** @param {Clock} clock @param {number} seat @param {number | null} now */
function drawClock(clock, seat, now) {
  const left = leftOf(clock, seat, now);
  const isLow = left < clock.bank_s * 200;
  const runs = now !== null && clock.paying.includes(seat);
  return html`<span class="table-clock numbers ${isLow ? "table-low" : ""} ${runs ? "table-runs" : ""}">
    <span class="unseen">Time left: </span>${timeLeft(left)}${isLow ? html`<span aria-hidden="true">!</span>` : nothing}
  </span>`;
}

/** @param {number} seat @param {string} kind */
function markOf(seat, kind) {
  return kind === "open"
    ? svg`<circle class="table-free" r="9"></circle>`
    : seatMark(seat, 0, 0, 21);
}

// ---- the state of a match, in words -------------------------------------------------------------

/** @param {Pick<Frame, "status" | "waiting_for">} frame @param {number | null} seat */
function waitsFor(frame, seat) {
  return seat !== null && frame.status === "running" && frame.waiting_for.seats.includes(seat);
}

// True if the match waits for the reader, and not for a bot in their place.
/** @param {Pick<Frame, "status" | "waiting_for">} frame @param {number | null} reader */
export function isTurnOf(frame, reader) {
  return reader !== null && isAwaited(frame, [reader]);
}

/** @param {{ status: string }} match */
export function isOver({ status }) {
  return status === "ended" || status === "aborted";
}

// True if no secret of a match is left: the house has nothing left to do (M9).
/** @param {Pick<Frame, "status" | "waiting_for">} match */
export function isRevealed(match) {
  return isOver(match) && !match.waiting_for.house;
}

/**
 * @param {Pick<Frame, "status" | "waiting_for">} frame @param {Seat[]} seats
 * @param {number | null} reader
 */
function turnText(frame, seats, reader) {
  if (frame.status !== "running") return STATUSES[frame.status];
  if (isTurnOf(frame, reader)) return "Your turn";

  const names = frame.waiting_for.seats.map((seat) => seats[seat]?.name ?? colourOf(seat));
  if (names.length === 1) return `${possessive(names[0] ?? "")} turn`;
  if (names.length > 1) return `Waiting for ${listed(names)}`;
  return "The next step is on its way";
}

/**
 * @param {Match} match @param {Pick<Frame, "status" | "waiting_for">} present @param {Seat[]} seats
 * @param {number | null} reader @param {number} elsewhere number of other matches with their turn
 */
export function tabTitle(match, present, seats, reader, elsewhere) {
  const game = capital(match.game);
  if (reader !== null && isAsked(match, [reader])) return `Your answer is awaited - ${game}`;
  if (isTurnOf(present, reader)) return `${turnsInWords(1 + elsewhere)} - ${game}`;

  const standing = match.outcome ? victory(match.outcome, seats) : turnText(present, seats, reader);
  const yours = elsewhere > 0 ? `, yours in ${counted(elsewhere, "other match", "others")}` : "";
  return `${standing}${yours} - ${game}`;
}
