// The form that opens a match, made of what the service says of its games.

import { html, nothing } from "../base/dom.js";
import { problemBox } from "../base/page.js";
import { counted } from "../base/words.js";
import { otherErrors } from "./field_errors.js";
import { drawOptions } from "./option_fields.js";
import { drawSeats } from "./seat_fields.js";

/** @import { Opening } from "./opening.js" */
/** @import { Game } from "./types.d.ts" */

/** @param {Opening} opening */
export function drawOpening(opening) {
  return html`
    <section aria-labelledby="lobby-open" class="lobby-opening">
      <h2 id="lobby-open">A new match</h2>
      ${drawName(opening)}
      <div class="lobby-quick">
        ${opening.games.map((game) => drawQuick(game, opening))}
      </div>
      ${opening.problem ? drawProblem(opening) : nothing}
      <details class="sheet lobby-custom">
        <summary>Choose seats and options</summary>
        ${drawForm(opening)}
      </details>
    </section>
  `;
}

/** @param {Opening} opening */
function drawName(opening) {
  const onChange = (/** @type {Event} */ event) => opening.setName(fieldValue(event));

  return html`
    <div class="field lobby-myself">
      <label for="lobby-myself">Your name (may stay empty)</label>
      <input
        id="lobby-myself"
        maxlength="60"
        autocomplete="nickname"
        .value=${opening.name}
        @change=${onChange}
      />
    </div>`;
}

/** @param {Game} game @param {Opening} opening */
function drawQuick(game, opening) {
  const fewest = Math.min(...game.seats);
  const most = Math.max(...game.seats);

  return html`
    <button
      type="button"
      class="lobby-start"
      ?disabled=${opening.isSent}
      @click=${() => opening.playBots(game)}
    >
      <span class="lobby-start-title">Play ${game.title}</span>
      <small>against ${counted(fewest - 1, "bot")}; for ${fewest} to ${most} players</small>
    </button>
  `;
}

/** @param {Opening} opening */
function drawProblem(opening) {
  const pointers = opening.game.options.map(({ name }) => `/options/${name}`);
  opening.seats.forEach((_, seat) => {
    pointers.push(`/seats/${seat}`);
  });

  const isShown = opening.errors.size > 0 && otherErrors(opening.errors, pointers).length === 0;
  if (!isShown) return problemBox(opening.problem, opening.game.key);
  return html`<p class="box box-bad" role="alert">Some fields below are not right yet.</p>`;
}

/** @param {Opening} opening */
function drawForm(opening) {
  const onSubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    opening.open();
  };

  return html`
    <form class="lobby-form" novalidate @submit=${onSubmit}>
      <div class="lobby-pair">${drawGame(opening)} ${drawNumber(opening)}</div>
      ${drawSeats(opening)}
      ${drawOptions(opening)}
      ${drawAdvice(opening)}
      ${drawVisibility(opening)}
      <button type="submit" class="primary" ?disabled=${opening.isSent}>Open this match</button>
    </form>
  `;
}

/** @param {Opening} opening */
function drawGame(opening) {
  const games = opening.games.map(({ key, title }) => {
    return html`<option value=${key} .selected=${key === opening.game.key}>${title}</option>`;
  });

  return html`
    <div class="field">
      <label for="lobby-open-game">Game</label>
      <select
        id="lobby-open-game"
        @change=${(/** @type {Event} */ event) => opening.choose(fieldValue(event))}
      >
        ${games}
      </select>
    </div>`;
}

/** @param {Opening} opening */
function drawNumber(opening) {
  const numbers = opening.game.seats.map((number) => {
    return html`
      <option value=${number} .selected=${number === opening.seats.length}>${number}</option>`;
  });
  const onChange = (/** @type {Event} */ event) => opening.setNumber(Number(fieldValue(event)));

  return html`
    <div class="field">
      <label for="lobby-number">Seats</label>
      <select id="lobby-number" @change=${onChange}>${numbers}</select>
    </div>`;
}

/** @param {Opening} opening */
function drawAdvice(opening) {
  if (!opening.hasAdviser) return nothing;

  const onChange = (/** @type {Event} */ event) => {
    const { checked } = /** @type {HTMLInputElement} */ (event.target);
    opening.setAdvice(checked);
  };

  return html`
    <p class="lobby-check">
      <input
        id="lobby-advice"
        type="checkbox"
        aria-describedby="lobby-about-advice"
        .checked=${opening.advice}
        @change=${onChange}
      />
      <label for="lobby-advice">Advice</label>
      <small id="lobby-about-advice">
        Players may ask what the strong bot would do; everybody sees that it is allowed.
      </small>
    </p>`;
}

/** @param {Opening} opening */
function drawVisibility(opening) {
  const isPrivate = opening.visibility === "private";
  const onChange = (/** @type {Event} */ event) => {
    const { checked } = /** @type {HTMLInputElement} */ (event.target);
    opening.setVisibility(checked ? "private" : "public");
  };

  return html`
    <p class="lobby-check">
      <input id="lobby-private" type="checkbox" .checked=${isPrivate} @change=${onChange} />
      <label for="lobby-private">Private: only those with a link see it</label>
    </p>`;
}

/** @param {Event} event */
function fieldValue(event) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value;
}
