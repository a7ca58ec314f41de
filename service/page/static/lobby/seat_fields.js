// The fields for the seats of a match: who begins there, and what they are called.

import { html, nothing } from "../base/dom.js";
import { worded } from "../base/words.js";
import { drawError, errorId, hasError } from "./field_errors.js";

/** @import { Opening } from "./opening.js" */
/** @import { SeatDraft } from "./types.d.ts" */

/** @param {Opening} opening */
export function drawSeats(opening) {
  return html`
    <fieldset>
      <legend>Seats</legend>
      ${opening.seats.map((seat, index) => drawSeat(seat, index, opening))}
      <small>
        The key to every seat of a person stays in this browser; at the table you can hand it on as
        a link. An open seat is for whoever takes it.
      </small>
    </fieldset>
  `;
}

/** @param {SeatDraft} seat @param {number} index @param {Opening} opening */
function drawSeat(seat, index, opening) {
  const pointer = `/seats/${index}`;
  const { errors } = opening;
  const onName = (/** @type {Event} */ event) =>
    opening.setSeat(index, { name: fieldValue(event) });

  return html`
    <div class="lobby-plan">
      <label for="lobby-kind-${index}">Seat ${index}</label>
      ${drawKind(seat, index, opening)}
      <input
        aria-label="Name at seat ${index}"
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
  const bots = opening.game.levels.map((level) => {
    const value = `bot:${level}`;
    return html`<option value=${value} .selected=${chosen === value}>Bot, ${worded(level)}</option>`;
  });

  const onChange = (/** @type {Event} */ event) => {
    const [kind, level = seat.level] = fieldValue(event).split(":");
    opening.setSeat(index, { kind: /** @type {SeatDraft["kind"]} */ (kind), level });
  };

  return html`
    <select
      id="lobby-kind-${index}"
      aria-describedby=${seat.kind === "bot" ? `lobby-bot-${index}` : nothing}
      @change=${onChange}
    >
      <option value="human" .selected=${chosen === "human"}>Person</option>
      ${bots}
      <option value="open" .selected=${chosen === "open"}>Open</option>
    </select>`;
}

/** @param {SeatDraft} seat @param {number} index @param {Opening} opening */
function drawAbout({ kind, level }, index, { game }) {
  if (kind !== "bot") return nothing;
  const about = game.bots.find((bot) => bot.level === level)?.about;
  return html`<small id="lobby-bot-${index}" class="lobby-bot">${about}</small>`;
}

/** @param {Event} event */
function fieldValue(event) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value;
}
