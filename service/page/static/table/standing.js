// Where a match stands, in words: whom it waits for, and who has won.

import { capital, listed, STATUSES } from "../base/words.js";

/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Frame } from "../replay/types.d.ts" */

/** @param {Pick<Frame, "status" | "waiting_for">} frame @param {number | null} seat */
export function waitsFor(frame, seat) {
  return seat !== null && frame.status === "running" && frame.waiting_for.seats.includes(seat);
}

/** @param {{ status: string }} match */
export function isOver({ status }) {
  return status === "finished" || status === "aborted";
}

/**
 * Whether nothing of a match is secret any more: the house has nothing left to do (M9).
 * @param {Pick<Frame, "status" | "waiting_for">} match
 */
export function isRevealed(match) {
  return isOver(match) && !match.waiting_for.house;
}

/**
 * @param {Pick<Frame, "status" | "waiting_for">} frame @param {Seat[]} seats
 * @param {number | null} reader
 */
export function turnText(frame, seats, reader) {
  if (frame.status !== "running") return STATUSES[frame.status];
  if (waitsFor(frame, reader)) return "Your turn";

  const names = frame.waiting_for.seats.map((seat) => seats[seat]?.name ?? `Seat ${seat}`);
  if (names.length === 1) return `${possessive(names[0] ?? "")} turn`;
  if (names.length > 1) return `Waiting for ${listed(names)}`;
  return "The house is at work";
}

/** @param {string} name */
function possessive(name) {
  return name.endsWith("s") ? `${name}'` : `${name}'s`;
}

/** @param {{ ranks: number[] }} outcome @param {Seat[]} seats */
export function victory(outcome, seats) {
  const winners = seats.filter(({ seat }) => outcome.ranks[seat] === 1).map(({ name }) => name);
  return `${listed(winners)} ${winners.length === 1 ? "wins" : "share the victory"}`;
}

/**
 * @param {any} match @param {Pick<Frame, "status" | "waiting_for">} present @param {Seat[]} seats
 * @param {number | null} reader
 */
export function tabTitle(match, present, seats, reader) {
  const standing = match.outcome ? victory(match.outcome, seats) : turnText(present, seats, reader);
  return `${standing} - ${capital(match.game)}`;
}
