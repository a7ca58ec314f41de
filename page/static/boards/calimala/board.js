// The board of Calimala: everything that a reader may see, drawn from the view alone.

import { html } from "../../base/dom.js";
import { drawAgenda } from "./agenda.js";
import { drawOpenCards, drawOwn, held } from "./cards.js";
import { attempt, choices, words } from "./choices.js";
import { drawGrid } from "./grid.js";
import { councilSeats, drawBuildings, drawCities, drawCouncil } from "./map.js";
import { drawMats } from "./mats.js";
import { STREETS, streetName } from "./names.js";

/** @import { Facts, Player, Table, View } from "./types.d.ts" */
/** @import { Board } from "../types.d.ts" */

// Draw the whole table. The parts stand in the order in which a player asks for them: what is to be
// done, the city, what one holds, the council, what lies on the map, the players.
/** @param {Table} scene */
function draw(scene) {
  return html`<div class="calimala-board">
    <div class="calimala-table">
      ${drawAgenda(scene)}
      <div class="calimala-column">${drawGrid(scene)}${drawOwn(scene)}</div>
      <div class="calimala-column">${drawCouncil(scene)}${drawOpenCards(scene)}</div>
      <div class="calimala-column calimala-map">${drawBuildings(scene)}${drawCities(scene)}</div>
      ${drawMats(scene)}
    </div>
  </div>`;
}

/** @type {Board} */
export const board = { draw, choices, words, attempt, looks, spoken, held, composers: {} };

// What refusals call by other words than the buttons and the story do.
const SPOKEN = [
  [
    "perform, compensate or skip an activated action",
    "carry out an activated action, draw a card instead or give it up",
  ],
  ["take one of its discs from a street", "give up one of its discs on a street"],
];

/** @param {string} text @param {Table} scene */
function spoken(text, { view }) {
  let told = text;
  for (const [theirs = "", ours = ""] of SPOKEN) told = told.replace(theirs, ours);
  return told.replace(/\b[0-8]-[0-8]\b/g, (street) => {
    return STREETS.includes(street) ? streetName(view, street) : street;
  });
}

// ---- what each place of the board shows, as a text ----------------------------------------------

/** @param {View} view */
function looks(view) {
  const facts = [
    ["agenda", [view.actors, view.agenda]],
    ["deck", view.deck_size],
    ["discards", view.discards],
    ["face_up", [view.face_up_card, view.face_up_card !== null && view.final_cards_scored > 0]],
    ["cards", view.final_cards_scored],
    ...factsOfGrid(view),
    ...factsOfCouncil(view),
    ...factsOfMap(view),
    ...view.players.flatMap((player, seat) => factsOfPlayer(player, seat, view)),
    ...factsOfCards(view),
  ];

  const shown = new Map();
  for (const [place, fact] of facts) shown.set(place, JSON.stringify(fact));
  return shown;
}

/** @param {View} view @returns {Facts} */
function factsOfGrid(view) {
  const left = view.agenda[0]?.left ?? {};
  /** @type {Facts} */
  const cells = view.grid.map((action, cell) => [`action:${action}`, [cell, left[action] ?? null]]);
  /** @type {Facts} */
  const streets = Object.entries(view.streets).map(([name, discs]) => [`street:${name}`, discs]);
  return [...cells, ...streets];
}

/** @param {View} view @returns {Facts} */
function factsOfCouncil(view) {
  return view.council.map((category, index) => {
    const state = [index < view.tiles_scored, index === view.tiles_scored];
    return [`tile:${index}`, [category, state, view.council_seats[index]]];
  });
}

/** @param {View} view @returns {Facts} */
function factsOfMap(view) {
  /** @type {Facts} */
  const facts = [];
  for (const [city, shown] of Object.entries(view.cities)) {
    facts.push([
      `city:${city}`,
      [shown, view.players.map(({ trade_houses }) => trade_houses.includes(city))],
    ]);
  }
  for (const [building, rows] of Object.entries(view.buildings)) {
    for (const [sort, cubes] of Object.entries(rows)) {
      const patrons = building === "palazzo_vecchio" ? view.palazzo_patrons : null;
      facts.push([`building:${building}:${sort}`, [cubes, patrons]]);
    }
  }
  return facts;
}

/** @param {Player} player @param {number} seat @param {View} view @returns {Facts} */
function factsOfPlayer(player, seat, view) {
  const mat = `mat:${seat}`;
  const artworks = view.buildings.palazzo_vecchio?.artwork?.cubes[seat];
  return [
    [`${mat}:points`, [player.points, view.ranks?.[seat] ?? null]],
    [`${mat}:coloured`, player.coloured_discs],
    [`${mat}:white`, player.white_discs],
    [`${mat}:reserve`, player.reserve],
    [`${mat}:hand`, player.hand_size],
    [`${mat}:council`, [councilSeats(view)[seat], artworks]],
    [`${mat}:wood`, player.wood],
    [`${mat}:brick`, player.brick],
    [`${mat}:marble`, player.marble],
    [`${mat}:workshop:0`, player.workshops[0] ?? null],
    [`${mat}:workshop:1`, player.workshops[1] ?? null],
    [`${mat}:workshop:2`, player.workshops[2] ?? null],
    [`${mat}:ships`, player.ships],
    [`${mat}:houses`, player.trade_houses],
  ];
}

/** @param {View} view @returns {Facts} */
function factsOfCards(view) {
  /** @type {Facts} */
  const facts = view.open_cards.map((action) => [`open:${action}`, true]);
  const first = view.face_up_card === null ? 0 : 1;
  for (const [seat, category] of (view.final_cards ?? []).entries()) {
    facts.push([`final:${seat}`, [category, seat + first < view.final_cards_scored]]);
  }
  for (const [action, amount] of Object.entries(view.own?.hand ?? {})) {
    facts.push([`card:${action}`, amount]);
  }
  for (const category of view.own?.scoring_cards_dealt ?? []) {
    const kept = view.own?.scoring_card_kept ?? null;
    facts.push([`scoring:${category}`, [kept === category, kept === null]]);
  }
  return facts;
}
