// The three buildings under construction and Palazzo Vecchio, with what was given to them.

import { html } from "../../base/dom.js";
import { placeBox } from "../place.js";
import { icon } from "./icons.js";
import { amountsInWords, BUILDINGS, nameOf, RESOURCES } from "./names.js";
import { ownersOf, slots } from "./pieces.js";

/** @import { Cubes, Table } from "./types.d.ts" */

const SORTS = [...RESOURCES, "artwork"];

/** @param {Table} scene */
export function drawBuildings(scene) {
  const buildings = BUILDINGS.map((building) => drawBuilding(building, scene));
  return html`<section class="calimala-part calimala-buildings" aria-label="Buildings">
    <h2>Buildings</h2>
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
