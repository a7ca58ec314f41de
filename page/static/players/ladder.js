// The ladder of a game: the best players, with the certainty of their ratings.

import { fieldOf, html, nothing, svg } from "../base/dom.js";
import { playerAddress } from "../base/home.js";
import { isolated, shortKey } from "../base/words.js";

/** @import { Asked, Game, LadderPlace, Rating } from "./types.d.ts" */

export const PAGE = 50;
export const BOT = "bot:";

const TOP = 50; // least end of the scale. A beginner is at 25

/** Return the filters in the query of an address. @param {string} search @returns {Asked} */
export function askedIn(search) {
  const query = new URLSearchParams(search);
  const after = Number(query.get("after"));
  return {
    game: query.get("game") ?? "",
    humans: query.get("humans") === "true",
    after: Number.isInteger(after) && after > 0 ? after : 0,
  };
}

/**
 * @param {{ asked: Asked, places: LadderPlace[] | null, hasMore: boolean }} ladder
 * @param {Game[]} games @param {(changed: Partial<Asked>) => void} change
 */
export function drawLadder({ asked, places, hasMore }, games, change) {
  return html`
    <header class="players-head">
      <h1>Ladder</h1>
      <p>
        The best players, as far as matches tell. A player is a key that signs its moves, or a level of
        bots. A match is rated if it is public, has a clock, no advice, no take-back, no known seed and
        no bot that its owner let stand in, every human in it signed, and it came to its end. Anybody can work the ladder out from the records.
      </p>
    </header>
    ${drawFilters(asked, games, change)}
    ${places === null ? nothing : drawPlaces(places, asked)}
    ${places === null ? nothing : drawPager(asked, hasMore, change)}
  `;
}

/** @param {Asked} asked @param {Game[]} games @param {(changed: Partial<Asked>) => void} change */
function drawFilters({ game, humans }, games, change) {
  const onGame = (/** @type {Event} */ event) => change({ game: fieldOf(event).value });
  const onHumans = (/** @type {Event} */ event) => change({ humans: fieldOf(event).checked });
  return html`
    <div class="players-filters" role="search" aria-label="Ladder">
      <div class="field">
        <label for="players-game">Game</label>
        <select id="players-game" @change=${onGame}>
          ${games.map(
            ({ key, title }) =>
              html`<option value=${key} ?selected=${key === game}>${title}</option>`,
          )}
        </select>
      </div>
      <label class="row"><input type="checkbox" .checked=${humans} @change=${onHumans} /> Humans only</label>
    </div>
  `;
}

/** @param {LadderPlace[]} places @param {Asked} asked */
function drawPlaces(places, { after }) {
  if (places.length === 0) {
    const text = after > 0 ? "Nobody stands so far down." : "No match of this game was rated yet.";
    return html`<p class="muted">${text}</p>`;
  }
  const ends = places.map(({ rating }) => rating.mean + 3 * rating.uncertainty);
  const top = Math.max(TOP, ...ends);
  return html`
    <table class="players-ladder">
      <caption class="unseen">Players, ordered by a rating that they reach with near certainty</caption>
      <thead>
        <tr>
          <th scope="col">Place</th>
          <th scope="col">Player</th>
          <th scope="col" class="players-wide"><span class="unseen">Mean and uncertainty as a picture</span></th>
          <th scope="col">Rating</th>
          <th scope="col" class="players-figure">Matches</th>
        </tr>
      </thead>
      <tbody>
        ${places.map((line) => drawPlace(line, top))}
      </tbody>
    </table>
    <p class="players-note muted">
      A rating is a mean and, behind ±, its standard deviation. The ladder is ordered by the mean less
      three of these: with few matches a player stands low, until more is known.
    </p>
  `;
}

// Draw a line. Anybody may take any name, even a bot's, so the key is shown beside it.
/** @param {LadderPlace} line @param {number} top of the scale */
function drawPlace({ place, player, name, rating }, top) {
  return html`
    <tr>
      <td class="numbers">${place}</td>
      <th scope="row">
        <a href=${playerAddress(player)}>${nameOf({ player, name })}</a>
        ${name === null ? nothing : html`<small class="muted">${shortKey(player)}</small>`}
      </th>
      <td class="players-wide">${drawInterval(rating, top)}</td>
      <td class="numbers">${ratingInWords(rating)}</td>
      <td class="players-figure numbers">${rating.matches}</td>
    </tr>
  `;
}

/** @param {Pick<LadderPlace, "player" | "name">} player @returns {string} */
export function nameOf({ player, name }) {
  if (player.startsWith(BOT)) return `Bot, ${player.slice(BOT.length)}`;
  return isolated((name ?? "").trim()) || `Key ${shortKey(player)}`;
}

/** @param {Pick<Rating, "mean" | "uncertainty">} rating */
export function ratingInWords({ mean, uncertainty }) {
  return `${mean.toFixed(1)}\u00a0±\u00a0${uncertainty.toFixed(1)}`;
}

// Draw a mean as a dot, one and three standard deviations around it, and the place of beginners.
/** @param {Rating} rating @param {number} top of the scale */
function drawInterval({ mean, uncertainty }, top) {
  const at = (/** @type {number} */ value) => ((200 * Math.max(0, value)) / top).toFixed(1);
  const line = (/** @type {number} */ times) =>
    svg`<path class="players-deviation-${times}"
      d="M${at(mean - times * uncertainty)} 8H${at(mean + times * uncertainty)}"></path>`;
  return html`
    <svg class="players-interval" viewBox="-4 0 208 16" aria-hidden="true">
      ${svg`<path class="players-middle" d="M${at(25)} 1V15"></path>`} ${line(3)} ${line(1)}
      ${svg`<circle cx=${at(mean)} cy="8" r="4"></circle>`}
    </svg>
  `;
}

/** @param {Asked} asked @param {boolean} hasMore @param {(changed: Partial<Asked>) => void} change */
function drawPager({ after }, hasMore, change) {
  if (after === 0 && !hasMore) return nothing;
  return html`
    <nav class="row" aria-label="Pages of the ladder">
      <button type="button" ?disabled=${after === 0} @click=${() => change({ after: Math.max(0, after - PAGE) })}>
        Better
      </button>
      <button type="button" ?disabled=${!hasMore} @click=${() => change({ after: after + PAGE })}>Further down</button>
    </nav>
  `;
}
