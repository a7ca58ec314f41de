// The council: the fifteen scoring tiles in order, and who sits at those that were scored.

import { html } from "../../base/dom.js";
import { placeBox } from "../place.js";
import { icon } from "./icons.js";
import { amountsInWords, nameOf } from "./names.js";
import { markInline, tally } from "./pieces.js";
import { standing } from "./standings.js";

/** @import { Table } from "./types.d.ts" */

/** @param {Table} scene */
export function drawCouncil(scene) {
  const tiles = scene.view.council.map((category, index) => drawTile(category, index, scene));
  const content = tiles.length
    ? html`<ol class="calimala-tiles">${tiles}</ol>`
    : html`<p class="calimala-quiet">The tiles are not laid out yet.</p>`;
  return html`<section class="calimala-part calimala-council" aria-label="Council">
    <h2>Council</h2>
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
