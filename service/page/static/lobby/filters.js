// Which of the public matches are shown: of which game, and how they stand.

import { html } from "../base/dom.js";

/** @import { MatchLists } from "./match_lists.js" */
/** @import { Game } from "./types.d.ts" */

/** @param {MatchLists} lists @param {Game[]} games */
export function drawFilters(lists, games) {
  const onGame = (/** @type {Event} */ event) => lists.filter({ game: fieldValue(event) });
  const onStatus = (/** @type {Event} */ event) => lists.filter({ status: fieldValue(event) });

  return html`
    <div class="lobby-filters" role="search" aria-label="Public matches">
      <div class="field">
        <label for="lobby-game">Game</label>
        <select id="lobby-game" @change=${onGame}>
          <option value="">All games</option>
          ${games.map(({ key, title }) => html`<option value=${key}>${title}</option>`)}
        </select>
      </div>
      <div class="field">
        <label for="lobby-status">Matches</label>
        <select id="lobby-status" @change=${onStatus}>
          <option value="">All but those given up</option>
          ${lists.all.map(({ status, title }) => html`<option value=${status}>${title}</option>`)}
        </select>
      </div>
    </div>
  `;
}

/** @param {Event} event */
function fieldValue(event) {
  return /** @type {HTMLSelectElement} */ (event.target).value;
}
