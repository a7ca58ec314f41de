// The score sheet of a match: who got what from where, from the events that scored.

import { html, nothing } from "../base/dom.js";
import { capital, worded } from "../base/words.js";

/** @import { Gain, Seat, SheetCommit, SheetEvent, SheetPart, SheetRow } from "./types.d.ts" */

// The types of events that score, in the games that have a board of their own.
export const SCORING_EVENTS = {
  calimala: ["tile_scored", "final_card_scored"],
  firenze: ["commission_fulfilled", "end_tile_taken", "final_scored"],
};

// The parts of a sheet in their order.
const PARTS = [
  "Before",
  "Cities",
  "Buildings and artworks",
  "Contributions",
  "Final scoring cards",
  "Commissions",
  "Tiles and privileges",
  "Majorities",
  "Celebrations",
];

const CITIES = ["barcelona", "lisbon", "london", "troyes", "bruges", "hamburg"];
const CITY_GROUPS = ["port_cities", "trade_cities"];

/**
 * Return what a match's points came from. Points from before the first event, such as those of the
 * match that it was forked from, are a part of their own.
 * @param {SheetEvent[]} events @param {number[]} totals the points of each seat at the end
 * @returns {SheetPart[]}
 */
export function sheetOf(events, totals) {
  /** @type {Map<string, Map<string, number[]>>} */
  const parts = new Map();
  const before = [...totals];
  for (const { part, source, seat, points } of events.flatMap(gainsOf)) {
    const rows = parts.get(part) ?? new Map();
    const row = rows.get(source) ?? totals.map(() => 0);
    row[seat] += points;
    before[seat] = (before[seat] ?? 0) - points;
    parts.set(part, rows.set(source, row));
  }

  if (before.some((points) => points !== 0)) {
    parts.set("Before", new Map([["When the match began", before]]));
  }
  const found = [...parts].map(([title, rows]) => partOf(title, rows));
  return found.sort((one, other) => PARTS.indexOf(one.title) - PARTS.indexOf(other.title));
}

/** @param {string} title @param {Map<string, number[]>} rows @returns {SheetPart} */
function partOf(title, rows) {
  const listed = [...rows].map(([source, points]) => ({ source, points }));
  const [first, ...others] = listed.map(({ points }) => points);
  const sums = others.reduce(
    (sum, points) => sum.map((sumOfSeat, seat) => sumOfSeat + (points[seat] ?? 0)),
    first ?? [],
  );
  return { title, rows: listed, sums };
}

/** @param {SheetEvent} event @returns {Gain[]} */
function gainsOf(event) {
  switch (event.type) {
    case "tile_scored":
      return bySeat(tilePart(event.category), worded(event.category), event.points);
    case "final_card_scored":
      return bySeat("Final scoring cards", worded(event.category), event.points);
    case "commission_fulfilled":
      return ofCommission(event);
    case "end_tile_taken":
      return [
        {
          part: "Tiles and privileges",
          source: "end tile",
          seat: event.seat,
          points: event.points,
        },
      ];
    case "final_scored":
      return ofTheEnd(event);
    default:
      return [];
  }
}

/** @param {string} category */
function tilePart(category) {
  if (CITIES.includes(category) || CITY_GROUPS.includes(category)) return "Cities";
  return category.startsWith("contributed") ? "Contributions" : "Buildings and artworks";
}

/** @param {string} part @param {string} source @param {number[]} points @returns {Gain[]} */
function bySeat(part, source, points) {
  return points.map((gained, seat) => ({ part, source, seat, points: gained }));
}

/** @param {Extract<SheetEvent, { type: "commission_fulfilled" }>} event @returns {Gain[]} */
function ofCommission({ seat, colour, points, level, privilege }) {
  const gains = [{ part: "Commissions", source: worded(colour), seat, points }];
  const part = "Tiles and privileges";
  if (level > 0) gains.push({ part, source: "level tiles", seat, points: level });
  if (privilege > 0) gains.push({ part, source: "privileges", seat, points: privilege });
  return gains;
}

/** @param {Extract<SheetEvent, { type: "final_scored" }>} event @returns {Gain[]} */
function ofTheEnd({ majorities, celebrations }) {
  const won = majorities.flatMap(({ colour, seat, points }) => {
    const winner = seat ?? null;
    return winner === null
      ? []
      : [{ part: "Majorities", source: worded(colour), seat: winner, points }];
  });
  const shown = celebrations.map(({ card, seat, points }) => {
    return { part: "Celebrations", source: worded(card), seat, points };
  });
  return [...won, ...shown];
}

/**
 * Return the events of commits that were not taken back (M17).
 * @param {SheetCommit[]} commits @returns {SheetEvent[]}
 */
export function eventsThatStand(commits) {
  /** @type {SheetCommit[]} */
  let standing = [];
  for (const commit of commits) {
    for (const event of commit.events) {
      if (event.type !== "taken_back") continue;
      standing = standing.filter(({ version }) => version <= event.to);
    }
    standing.push(commit);
  }
  return standing.flatMap(({ events }) => events);
}

// ---- how it is drawn ----------------------------------------------------------------------------

/** @param {SheetPart[]} parts @param {number[]} totals @param {Seat[]} seats */
export function drawSheet(parts, totals, seats) {
  const names = seats.map(({ name }) => name);
  const overview = parts.map(({ title, sums }) => ({ source: title, points: sums }));
  const tables = parts.map(({ title, rows }) => drawTable(title, rows, names));
  return html`<div class="sheet-scores">
    ${drawTable("Points", overview, names, totals)}
    <details>
      <summary>What each of them is made of</summary>
      <div class="sheet-parts">${tables}</div>
    </details>
  </div>`;
}

/**
 * @param {string} title @param {SheetRow[]} rows @param {string[]} names
 * @param {number[] | null} [totals]
 */
function drawTable(title, rows, names, totals = null) {
  const best = Math.max(...(totals ?? [0]));
  const total = totals?.map((points) => {
    return html`<td class=${points === best ? "sheet-best" : ""}>${points}</td>`;
  });
  return html`<div class="sheet-part" tabindex="0" role="group" aria-label="Points: ${title}">
    <table>
      <caption>${title}</caption>
      <thead>
        <tr><td></td>${names.map((name) => html`<th scope="col" title=${name}>${name}</th>`)}</tr>
      </thead>
      <tbody>${rows.map(drawRow)}</tbody>
      ${total ? html`<tfoot><tr><th scope="row">Altogether</th>${total}</tr></tfoot>` : nothing}
    </table>
  </div>`;
}

/** @param {SheetRow} row */
function drawRow({ source, points }) {
  const cells = points.map((gained) => {
    return html`<td class=${gained === 0 ? "sheet-none" : ""}>${gained}</td>`;
  });
  return html`<tr><th scope="row">${capital(source)}</th>${cells}</tr>`;
}
