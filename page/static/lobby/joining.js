// The dialog in which one takes an open seat.

import { html, nothing, sentWith } from "../base/dom.js";
import { addressOf } from "../base/home.js";
import { remember } from "../base/memory.js";
import { problemBox } from "../base/page.js";
import { SeatTaking } from "../base/tokens.js";
import { listed, seatNames } from "../base/words.js";
import { chosenKey, drawSigning } from "../keys/choice.js";
import { gameTitle } from "./match_card.js";
import { lastName } from "./opening.js";

/** @import { Api } from "../base/api.js" */
/** @import { Game, Summary } from "./types.d.ts" */

export class Joining {
  #api;
  #changed;
  /** @type {Summary | null} */ #match = null;
  /** @type {unknown} */ #problem = null;
  #isSent = false;
  #taking = new SeatTaking();

  /** @param {Api} api @param {() => void} changed */
  constructor(api, changed) {
    this.#api = api;
    this.#changed = changed;
  }

  /** @param {Summary} match */
  ask(match) {
    this.#match = match;
    this.#problem = null;
    this.#changed();
  }

  show() {
    const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector("#lobby-join"));
    if (dialog && !dialog.open) dialog.showModal();
  }

  /** @param {Game[]} games */
  draw(games) {
    const match = this.#match;
    if (!match) return nothing;

    return html`
      <dialog id="lobby-join" aria-labelledby="lobby-join-title" @close=${() => this.#leave()}>
        <form @submit=${(/** @type {SubmitEvent} */ event) => this.#join(event, match)}>
          <h2 id="lobby-join-title">Take a seat: ${gameTitle(match.game, games)}</h2>
          <p class="muted">With ${listed(othersAt(match))}.</p>
          ${drawSeats(match)}
          <div class="field">
            <label for="lobby-join-name">Your name (may stay empty)</label>
            <input id="lobby-join-name" name="name" maxlength="60" autocomplete="nickname"
              value=${lastName()} />
          </div>
          ${drawSigning("lobby-join-signs", this.#changed)}
          ${this.#problem ? problemBox(this.#problem, match.game) : nothing}
          <div class="row">
            <button type="submit" class="primary" ?disabled=${this.#isSent}>Take the seat</button>
            <button type="button" @click=${() => this.#leave()}>Not now</button>
          </div>
        </form>
      </dialog>
    `;
  }

  #leave() {
    this.#match = null;
    this.#changed();
  }

  /** @param {SubmitEvent} event @param {Summary} match */
  async #join(event, match) {
    const sent = sentWith(event);
    this.#isSent = true;
    this.#changed();

    try {
      const seat = Number(sent("seat"));
      await this.#taking.take(this.#api, match, seat, sent("name"), await chosenKey());
      remember(match.match, { game: match.game });
      window.location.assign(addressOf(match.match));
    } catch (failure) {
      this.#problem = failure;
    }
    this.#isSent = false;
    this.#changed();
  }
}

/** @param {Summary} match */
function othersAt({ seats }) {
  const others = seatNames(seats).filter(({ kind }) => kind !== "open");
  return others.length > 0 ? others.map(({ name }) => name) : ["nobody yet"];
}

/** @param {Summary} match */
function drawSeats({ seats }) {
  const free = seatNames(seats).filter(({ kind }) => kind === "open");
  const options = free.map(({ seat, name }) => html`<option value=${seat}>${name}</option>`);

  return html`
    <div class="field">
      <label for="lobby-join-seat">Seat</label>
      <select id="lobby-join-seat" name="seat">${options}</select>
    </div>`;
}
