// One match in a list: who plays what, how it stands, and the way to it.

import { serverNow } from "../base/api.js";
import { html, nothing, svg } from "../base/dom.js";
import { addressOf, playerAddress } from "../base/home.js";
import {
  ago,
  counted,
  isAsked,
  isAwaited,
  listed,
  seatNames,
  timeLeft,
  victory,
} from "../base/words.js";
import { seatMark } from "../boards/place.js";

/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Base, Game, Summary } from "./types.d.ts" */

const WAYS = { open: "Look", running: "Watch", ended: "Replay", aborted: "Replay" };

/**
 * @param {Summary} match @param {Game[]} games @param {object} more @param {number[]} [more.own]
 * @param {unknown} [more.controls]
 */
export function drawMatch(match, games, { own = [], controls = nothing }) {
  const seats = seatNames(match.seats);
  const isMine = own.length > 0;
  const title = gameTitle(match.game, games);
  const label = `${title}: ${listed(seats.map(({ name }) => name))}`;

  return html`
    <li class="lobby-match">
      <div class="lobby-match-head">
        <a class="lobby-match-title" href=${addressOf(match.match)} aria-label=${label}>${title}</a>
        ${drawStanding(match, seats, own)}
        <small>${ago(match.updated)}</small>
      </div>
      <ul class="lobby-seats" aria-label="Seats">
        ${seats.map((seat) => drawSeat(seat, own, match.seats[seat.seat]?.key))}
      </ul>
      ${match.forked_from ? drawBase(match.forked_from) : nothing}
      <div class="row lobby-ways">
        <a class="button" href=${addressOf(match.match)} aria-label="${wayOf(match, isMine)}: ${label}">
          ${wayOf(match, isMine)}
        </a>
        ${controls}
      </div>
    </li>
  `;
}

/** @param {Base} base */
function drawBase({ match, version }) {
  return html`<small>
    Forked from <a href=${addressOf(match, version)}>a match at move ${version}</a>, not rated
  </small>`;
}

/** @param {string} key @param {Game[]} games */
export function gameTitle(key, games) {
  return games.find((game) => game.key === key)?.title ?? key;
}

/** @param {Summary} match @param {boolean} isMine */
function wayOf({ status }, isMine) {
  if (isMine && status === "running") return "Play";
  return WAYS[status];
}

/** @param {Summary} match @param {Seat[]} seats @param {number[]} own */
function drawStanding(match, seats, own) {
  const { status, waiting_for: waiting, version } = match;
  if (status === "open") {
    const free = seats.filter(({ kind }) => kind === "open").length;
    const word = match.rematch_of ? "reserved for the earlier players" : "open";
    const text = free > 0 ? `${free} of ${seats.length} seats ${word}` : "about to start";
    return html`<span class="tag">${text}</span>`;
  }
  if (status !== "running") {
    return html`<span class="tag">${ending(match, seats)}, ${counted(version, "move")}</span>`;
  }

  if (isAsked(match, own)) {
    return html`<strong class="tag lobby-turn">your answer is awaited</strong>`;
  }
  if (isAwaited(match, own)) {
    return html`<strong class="tag lobby-turn">your turn${timeIn(match)}</strong>`;
  }
  const awaited = waiting.seats.concat(waiting.bots ?? []).map((seat) => seats[seat]?.name ?? "");
  const text = awaited.length > 0 ? `${listed([...new Set(awaited)])} to move` : "being played";
  return html`<span class="tag">${text}${timeIn(match)}</span>`;
}

/** @param {Summary} match @param {Seat[]} seats */
function ending({ status, outcome }, seats) {
  if (outcome) return victory(outcome, seats);
  return status === "ended" ? "ended" : "ended without a result";
}

// Say how much time there is until the first bank is empty (M15).
/** @param {Summary} match */
function timeIn({ deadline }) {
  return deadline === null ? "" : `, ${timeLeft(Date.parse(deadline) - serverNow())} left`;
}

/** @param {Seat} seat @param {number[]} own @param {string} [key] of the player there */
function drawSeat({ seat, name, kind }, own, key) {
  const isOwn = own.includes(seat);

  return html`
    <li class="lobby-seat ${kind === "open" ? "lobby-free" : ""}">
      <svg class="lobby-mark" viewBox="-11 -11 22 22" aria-hidden="true">
        ${svg`${seatMark(seat, 0, 0, 20)}`}
      </svg>
      ${
        key
          ? html`<a class="lobby-name" href=${playerAddress(key)}>${name}</a>`
          : html`<span class="lobby-name">${name}</span>`
      }
      ${isOwn ? html`<span class="lobby-you">(you)</span>` : nothing}
    </li>`;
}
