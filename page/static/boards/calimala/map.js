// The three buildings under construction and Palazzo Vecchio, with what was given to them.

import { html } from "../../base/dom.js";
import { listed } from "../../base/words.js";
import { named, placeBox } from "../place.js";
import { builtPieces, icon, markInline, ownersOf, slots, tally } from "./icons.js";
import {
  amountsInWords,
  BUILDINGS,
  BUILDINGS_UNDER_CONSTRUCTION,
  CITIES,
  nameOf,
  PORT_CITIES,
  RESOURCES,
  TRADE_CITIES,
} from "./names.js";

/** @import { Cubes, Table, View } from "./types.d.ts" */

const SORTS = [...RESOURCES, "artwork"];

/** @param {Table} scene */
export function drawBuildings(scene) {
  const buildings = BUILDINGS.map((building) => drawBuilding(building, scene));
  return html`<section class="calimala-part calimala-buildings" aria-label="Buildings">
    <h2>${named("Buildings", "C8", scene)}</h2>
    <div class="calimala-sites">${buildings}</div>
  </section>`;
}

/** @param {string} building @param {Table} scene */
function drawBuilding(building, scene) {
  const rows = [];
  for (const sort of SORTS) {
    const cubes = scene.view.buildings[building]?.[sort];
    if (cubes !== undefined) rows.push(drawRow(building, sort, cubes, scene));
  }
  const note =
    building === "palazzo_vecchio"
      ? html`<p class="calimala-quiet">Artworks here count with seats in ties.</p>`
      : "";
  return html`<div class="calimala-panel calimala-${building}" role="group" aria-label=${nameOf(building)}>
    <h3>${icon(building, "calimala-medium")}${nameOf(building)}</h3>
    ${rows}${note}
  </div>`;
}

/** @param {string} building @param {string} sort @param {Cubes} cubes @param {Table} scene */
function drawRow(building, sort, cubes, scene) {
  const isPalazzo = building === "palazzo_vecchio";
  const owners = isPalazzo ? scene.view.palazzo_patrons : ownersOf(cubes.cubes);
  const given = isPalazzo ? patrons(scene) : amountsInWords(cubes.cubes, scene.seats);
  const label = `${nameOf(building)}, ${sort}: ${given}; ${cubes.room} free`;
  const content = html`${icon(sort)}<span class="calimala-sort">${nameOf(sort)}</span>
    ${slots(owners, cubes.room)}`;
  return placeBox(`building:${building}:${sort}`, label, scene, content, "img", "calimala-row");
}

/** @param {Table} scene */
function patrons({ view, seats }) {
  const names = view.palazzo_patrons.map((seat) => seats[seat]?.name);
  return names.length ? `first to last ${names.join(", ")}` : "nobody";
}

// ---- the six cities -----------------------------------------------------------------------------

/** @param {Table} scene */
export function drawCities(scene) {
  return html`<section class="calimala-part calimala-cities" aria-label="Cities">
    <h2>${named("Cities", "C7", scene)}</h2>
    <div class="calimala-groups">
      ${drawGroup("Port cities", "ship", PORT_CITIES, scene)}
      ${drawGroup("Trade cities", "transport", TRADE_CITIES, scene)}
    </div>
  </section>`;
}

/** @param {string} title @param {string} action @param {string[]} cities @param {Table} scene */
function drawGroup(title, action, cities, scene) {
  return html`<div>
    <h3>${icon(action, "calimala-medium")}${title}</h3>
    <div class="calimala-cards-of-three">${cities.map((city) => drawCity(city, scene))}</div>
  </div>`;
}

/** @param {string} city @param {Table} scene */
function drawCity(city, scene) {
  const { view } = scene;
  const cloth = view.cities[city]?.cloth ?? [];
  const room = view.cities[city]?.room ?? 0;
  const houses = housesIn(city, scene);
  const content = html`
    <span class="calimala-title">${icon(city, "calimala-medium")}${nameOf(city)}</span>
    ${slots(ownersOf(cloth), room)}
    ${TRADE_CITIES.includes(city) ? drawHouses(houses) : ""}`;
  const label = cityLabel(city, cloth, room, houses, scene);
  return placeBox(`city:${city}`, label, scene, content, "img", "calimala-panel");
}

/** @param {string} city @param {Table} scene */
function housesIn(city, { view }) {
  const seats = [...view.players.keys()];
  return seats.filter((seat) => view.players[seat]?.trade_houses.includes(city));
}

/** @param {number[]} owners */
function drawHouses(owners) {
  if (owners.length === 0) return builtPieces("trade_house", 0, 1);
  const houses = owners.map(
    (seat) => html`<span class="calimala-house">${icon("trade_house")}${markInline(seat)}</span>`,
  );
  return html`<span class="calimala-houses">${houses}</span>`;
}

/**
 * @param {string} city @param {number[]} cloth @param {number} room @param {number[]} houses
 * @param {Table} scene
 */
function cityLabel(city, cloth, room, houses, { seats }) {
  const isTrade = TRADE_CITIES.includes(city);
  const sort = isTrade ? "trade city" : "port city";
  const owners = listed(houses.map((seat) => seats[seat]?.name ?? ""));
  const built = isTrade ? `; trade houses: ${owners || "none"}` : "";
  const brought = amountsInWords(cloth, seats);
  return `${nameOf(city)}, ${sort}; cloth: ${brought}; room for ${room}${built}`;
}

// ---- the council --------------------------------------------------------------------------------

/** @param {Table} scene */
export function drawCouncil(scene) {
  const tiles = scene.view.council.map((category, index) => drawTile(category, index, scene));
  const content = tiles.length
    ? html`<ol class="calimala-tiles">${tiles}</ol>`
    : html`<p class="calimala-quiet">The tiles are not laid out yet.</p>`;
  return html`<section class="calimala-part calimala-council" aria-label="Council">
    <h2>${named("Council", "C31", scene)}</h2>
    ${content}
  </section>`;
}

/** @param {string} category @param {number} index @param {Table} scene */
function drawTile(category, index, scene) {
  const scored = scene.view.tiles_scored;
  const state = index < scored ? "scored" : index === scored ? "next" : "waiting";
  const content = html`
    <span class="calimala-number">${index + 1}${state === "next" ? html`<b>next</b>` : ""}</span>
    ${icon(category, "calimala-large")}
    <span class="calimala-name">${nameOf(category)}</span>
    <span class="calimala-below">${belowTile(category, index, scene)}</span>`;
  const label = tileLabel(category, index, scene);
  const box = placeBox(`tile:${index}`, label, scene, content, "img", `calimala-tile ${state}`);
  return html`<li>${box}</li>`;
}

/** @param {string} category @param {number} index @param {Table} scene */
function belowTile(category, index, { view }) {
  const held = view.council_seats[index];
  if (held !== undefined && held !== null) {
    return html`<span class="calimala-held">${markInline(held)}</span>`;
  }
  if (index < view.tiles_scored) return html`<span class="calimala-quiet">no seat</span>`;
  return tally(standing(view, category));
}

/** @param {string} category @param {number} index @param {Table} scene */
function tileLabel(category, index, { view, seats }) {
  const name = `${index + 1}, ${nameOf(category)}`;
  const held = view.council_seats[index] ?? null;
  const holder = held === null ? "" : `; ${seats[held]?.name} sits here`;
  if (index < view.tiles_scored) return `${name}: scored${holder || "; no seat"}`;

  const when = index === view.tiles_scored ? "scored next" : "not scored yet";
  const cubes = amountsInWords(standing(view, category), seats);
  return `${name}: ${when}${holder}; cubes so far: ${cubes}`;
}

// ---- how many cubes each seat has in what a tile or a card counts (c35, c41) --------------------

// Return the cubes of each seat in a category. Palazzo Vecchio counts the seats of the council and
// its artworks (C41).
/** @param {View} view @param {string} category */
function standing(view, category) {
  const heaps = heapsOf(view, category);
  const amounts = view.players.map(() => 0);
  for (const heap of heaps) {
    for (const [seat, amount] of heap.entries()) amounts[seat] = (amounts[seat] ?? 0) + amount;
  }
  return amounts;
}

/** @param {View} view */
export function councilSeats(view) {
  return view.players.map((_, seat) => view.council_seats.filter((held) => held === seat).length);
}

/** @param {View} view @param {string} category */
function heapsOf(view, category) {
  if (category === "port_cities") return PORT_CITIES.map((city) => cloth(view, city));
  if (category === "trade_cities") return TRADE_CITIES.map((city) => cloth(view, city));
  if (category === "artwork") return BUILDINGS.map((building) => row(view, building, "artwork"));
  if (CITIES.includes(category)) return [cloth(view, category)];

  if (category.startsWith("contributed_")) {
    const resource = category.replace("contributed_", "");
    return BUILDINGS_UNDER_CONSTRUCTION.map((building) => row(view, building, resource));
  }

  const given = Object.values(view.buildings[category] ?? {}).map((cubes) => cubes.cubes);
  return category === "palazzo_vecchio" ? [...given, councilSeats(view)] : given;
}

/** @param {View} view @param {string} city */
function cloth(view, city) {
  return view.cities[city]?.cloth ?? [];
}

/** @param {View} view @param {string} building @param {string} sort */
function row(view, building, sort) {
  return view.buildings[building]?.[sort]?.cubes ?? [];
}
