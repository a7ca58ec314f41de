// The board of Calimala: everything that a reader may see, drawn from the view alone.

import { html } from "../../base/dom.js";
import { drawAgenda } from "./agenda.js";
import { attempt } from "./attempt.js";
import { drawBuildings } from "./buildings.js";
import { drawOpenCards, drawOwn } from "./cards.js";
import { choices, words } from "./choices.js";
import { drawCities } from "./cities.js";
import { drawCouncil } from "./council.js";
import { drawGrid } from "./grid.js";
import { looks } from "./looks.js";
import { drawMats } from "./mats.js";

/** @import { Table } from "./types.d.ts" */
/** @import { Board } from "../types.d.ts" */

/**
 * Draw the whole table. The parts stand in the order in which a player asks for them: what is to be
 * done, the city, what one holds, the council, what lies on the map, the players.
 * @param {Table} scene
 */
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
export const board = { draw, choices, words, attempt, looks, composers: {} };
