// The form that opens a match, made of what the service says of its games.

import { fieldOf, html, nothing } from "../base/dom.js";
import { addressOf, HOME, rulesAddress } from "../base/home.js";
import { problemBox } from "../base/page.js";
import { colourOf, counted, seatInWords, worded } from "../base/words.js";
import { drawSigning } from "../keys/choice.js";
import {
  drawError,
  drawOptions,
  drawTerms,
  errorId,
  hasError,
  otherErrors,
} from "./option_fields.js";

/** @import { Opening } from "./opening.js" */
/** @import { Base, Game, SeatDraft } from "./types.d.ts" */

/** @param {Opening} opening */
export function drawOpening(opening) {
  if (opening.base !== null) return drawForking(opening, opening.base);
  return html`
    <section aria-labelledby="lobby-open" class="lobby-opening">
      <h2 id="lobby-open">A new match</h2>
      ${drawName(opening)}
      ${drawSigning("lobby-signs", () => opening.signingChanged())}
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

/** @param {Opening} opening @param {Base} base */
function drawForking(opening, { match, version }) {
  return html`
    <section aria-labelledby="lobby-open" class="lobby-opening">
      <h2 id="lobby-open">A fork</h2>
      <p>
        It goes on from <a href=${addressOf(match, version)}>move ${version} of a match</a> of
        ${opening.game.title}, with chance of its own and the same options. Everybody sees where it
        comes from, and what was hidden then. It is not rated.
        <a href=${rulesAddress("match", "M21")}>M21</a>
      </p>
      ${opening.problem ? drawProblem(opening) : nothing}
      ${drawSigning("lobby-signs", () => opening.signingChanged())}
      <div class="sheet">${drawForm(opening)}</div>
      <p><a href="${HOME}/">Open a new match instead</a></p>
    </section>
  `;
}

/** @param {Opening} opening */
function drawName(opening) {
  const onChange = (/** @type {Event} */ event) => opening.setName(fieldOf(event).value);

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
  const isFork = opening.base !== null;

  return html`
    <form class="lobby-form" novalidate @submit=${onSubmit}>
      ${isFork ? nothing : drawChoice(opening)}
      ${drawSeats(opening)}
      ${isFork ? nothing : drawOptions(opening)}
      ${drawTerms(opening)}
      <button type="submit" class="primary" ?disabled=${opening.isSent}>
        ${isFork ? "Open this fork" : "Open this match"}
      </button>
    </form>
  `;
}

/** @param {Opening} opening */
function drawChoice(opening) {
  return html`<div class="lobby-pair">${drawGame(opening)} ${drawNumber(opening)}</div>`;
}

/** @param {Opening} opening */
function drawGame(opening) {
  const games = opening.games.map(({ key, title }) => {
    return html`<option value=${key} .selected=${key === opening.game.key}>${title}</option>`;
  });

  const onChange = (/** @type {Event} */ event) => opening.choose(fieldOf(event).value);

  return html`
    <div class="field">
      <label for="lobby-open-game">Game</label>
      <select id="lobby-open-game" @change=${onChange}>${games}</select>
    </div>`;
}

/** @param {Opening} opening */
function drawNumber(opening) {
  const numbers = opening.game.seats.map((number) => {
    return html`
      <option value=${number} .selected=${number === opening.seats.length}>${number}</option>`;
  });
  const onChange = (/** @type {Event} */ event) => opening.setNumber(Number(fieldOf(event).value));

  return html`
    <div class="field">
      <label for="lobby-number">Seats</label>
      <select id="lobby-number" @change=${onChange}>${numbers}</select>
    </div>`;
}

// ---- the fields for the seats of a match --------------------------------------------------------

/** @param {Opening} opening */
function drawSeats(opening) {
  return html`
    <fieldset>
      <legend>Seats</legend>
      ${opening.seats.map((seat, index) => drawSeat(seat, index, opening))}
      <small>
        A friend opens the link that you find at the table, takes the seat, and sets their own name.
        In a match that is not private anybody may take it. The seat of another person at this
        screen is yours to open, too.
      </small>
    </fieldset>
  `;
}

/** @param {SeatDraft} seat @param {number} index @param {Opening} opening */
function drawSeat(seat, index, opening) {
  const pointer = `/seats/${index}`;
  const { errors } = opening;
  const onName = (/** @type {Event} */ event) =>
    opening.setSeat(index, { name: fieldOf(event).value });

  return html`
    <div class="lobby-plan">
      <label for="lobby-kind-${index}">${colourOf(index)}</label>
      ${drawKind(seat, index, opening)}
      <input
        aria-label="Name at the ${seatInWords(index)}"
        placeholder="Name"
        maxlength="60"
        autocomplete=${index === 0 ? "nickname" : "off"}
        ?hidden=${seat.kind === "open"}
        aria-invalid=${hasError(errors, pointer) ? "true" : nothing}
        aria-describedby=${errorId(pointer)}
        .value=${seat.name}
        @change=${onName}
      />
      ${drawAbout(seat, index, opening)}
      ${drawError(errors, pointer)}
    </div>`;
}

/** @param {SeatDraft} seat @param {number} index @param {Opening} opening */
function drawKind(seat, index, opening) {
  const chosen = seat.kind === "bot" ? `bot:${seat.level}` : seat.kind;
  const me = opening.seats.findIndex(({ kind }) => kind === "human");
  const isOther = me >= 0 && me < index;
  const bots = opening.game.levels.map((level) => {
    const value = `bot:${level}`;
    return html`<option value=${value} .selected=${chosen === value}>Bot, ${worded(level)}</option>`;
  });

  const onChange = (/** @type {Event} */ event) => {
    const [kind, level = seat.level] = fieldOf(event).value.split(":");
    opening.setSeat(index, { kind: /** @type {SeatDraft["kind"]} */ (kind), level });
  };

  return html`
    <select
      id="lobby-kind-${index}"
      aria-describedby=${seat.kind === "bot" ? `lobby-bot-${index}` : nothing}
      @change=${onChange}
    >
      <option value="open" .selected=${chosen === "open"}>A friend, by link</option>
      ${bots}
      <option value="human" .selected=${chosen === "human"}>
        ${isOther ? "Another person at this screen" : "You"}
      </option>
    </select>`;
}

/** @param {SeatDraft} seat @param {number} index @param {Opening} opening */
function drawAbout({ kind, level }, index, { game }) {
  if (kind !== "bot") return nothing;
  const about = game.bots.find((bot) => bot.level === level)?.about;
  return html`<small id="lobby-bot-${index}" class="lobby-bot">${about}</small>`;
}
