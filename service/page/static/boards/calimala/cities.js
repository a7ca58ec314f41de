// The six cities: their cloth, and the trade houses.

import { html } from "../../base/dom.js";
import { listed } from "../../base/words.js";
import { placeBox } from "../place.js";
import { icon } from "./icons.js";
import { amountsInWords, nameOf, PORT_CITIES, TRADE_CITIES } from "./names.js";
import { builtPieces, markInline, ownersOf, slots } from "./pieces.js";

/** @import { Table } from "./types.d.ts" */

/** @param {Table} scene */
export function drawCities(scene) {
  return html`<section class="calimala-part calimala-cities" aria-label="Cities">
    <h2>Cities</h2>
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
