// A player: rating and its history game by game, and public matches.

import { html, nothing, svg } from "../base/dom.js";
import { addressOf, ladderAddress, playerAddress } from "../base/home.js";
import { counted, moment, ordinal, seatNames } from "../base/words.js";
import { seatMark } from "../boards/place.js";
import { drawHistory } from "./history.js";
import { BOT, nameOf, ratingInWords } from "./ladder.js";

/** @import { Game, GameRating, PlayedMatch, Player } from "./types.d.ts" */

/** @type {Record<NonNullable<PlayedMatch["why_not_rated"]>, string>} */
const REASONS = {
  fork: "it goes on from another match",
  no_result: "it ended without a result",
  stand_in: "a bot stood in for a human",
  known_seed: "its draws were known from a seed",
  advice: "players could ask for advice",
  take_back: "moves could be taken back",
  no_key: "somebody played without a key",
  no_clock: "it was played without a clock",
  one_player: "one player held all seats",
};

/**
 * @param {Player} player @param {PlayedMatch[]} matches @param {Game[]} games
 * @param {(() => void) | null} more reads older matches; null: there are none
 */
export function drawPlayer(player, matches, games, more) {
  const title = (/** @type {string} */ key) => games.find((game) => game.key === key)?.title ?? key;
  return html`
    <header class="players-head">
      <h1>${nameOf(player)}</h1>
      ${player.player.startsWith(BOT) ? drawAboutBots() : drawAboutKey(player.player)}
    </header>
    <div class="players-ratings">
      ${player.ratings.map((rating) => drawRating(rating, title(rating.game)))}
      ${player.ratings.length === 0 ? html`<p class="muted">No match of this key was rated yet.</p>` : nothing}
    </div>
    <section aria-labelledby="players-matches">
      <h2 id="players-matches">Public matches</h2>
      <ul class="players-matches">
        ${matches.map((one) => drawMatch(one, player.player, title(one.game)))}
      </ul>
      ${more ? html`<button type="button" @click=${more}>Older matches</button>` : nothing}
    </section>
  `;
}

export function drawNewPlayer() {
  return html`<p>No public match of this player has ended yet. Name, ratings and matches follow then.</p>`;
}

function drawAboutBots() {
  return html`<p>A level of bots. It has one rating for each game, wherever it sits.</p>`;
}

/** @param {string} key */
function drawAboutKey(key) {
  return html`
    <details>
      <summary>The moves of this player are signed</summary>
      <p>
        They are signed by the key <code class="players-key">${key}</code>. The name is the one last given with
        it. A key is no person: somebody may have several.
      </p>
    </details>
  `;
}

/** @param {GameRating} of @param {string} title */
function drawRating({ game, place, rating, history }, title) {
  const heading = `players-${game}`;
  return html`
    <section class="sheet" aria-labelledby=${heading}>
      <h2 id=${heading}>${title}</h2>
      <p class="players-rating">
        <b class="numbers">${ratingInWords(rating)}</b>
        <span>
          <a href=${ladderAddress(game)}>${ordinal(place)} on the ladder</a>
          after ${counted(rating.matches, "rated match", "rated matches")}
        </span>
      </p>
      ${drawHistory(history)}
    </section>
  `;
}

/** @param {PlayedMatch} match @param {string} player @param {string} title */
function drawMatch(match, player, title) {
  const { seat: own, ended, why_not_rated: reason } = match;
  const names = seatNames(match.seats);
  const rank = match.outcome?.ranks[own];
  const result = rank ? `${ordinal(rank)} of ${match.seats.length}` : "no result";
  const label = `${title}, ${moment(ended)}: ${result}`;
  return html`
    <li class="players-match">
      <p class="row">
        <a class="players-match-title" href=${addressOf(match.match)} aria-label=${label}>${title}</a>
        <span class="tag">${result}</span>
        <small>${moment(ended)}</small>
        ${reason ? html`<small>Not rated: ${REASONS[reason]}</small>` : nothing}
      </p>
      <ul class="players-seats" aria-label="Seats">
        ${match.seats.map(({ seat, kind, key, level }) => {
          const other = kind === "bot" && level ? `${BOT}${level}` : (key ?? "");
          const name = names[seat]?.name ?? "";
          const isLink = other !== "" && other !== player;
          return html`<li>
            <svg class="players-mark" viewBox="-11 -11 22 22" aria-hidden="true">${svg`${seatMark(seat, 0, 0, 20)}`}</svg>
            ${isLink ? html`<a href=${playerAddress(other)}>${name}</a>` : html`<span>${name}</span>`}
          </li>`;
        })}
      </ul>
    </li>
  `;
}
