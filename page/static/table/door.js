// The ways in: a page for a match that cannot be shown, and the form for a token.

import { fieldOf, html, nothing, render } from "../base/dom.js";
import { HOME } from "../base/home.js";
import { tokenIn } from "../base/memory.js";

/** @import { Problem } from "../base/api.js" */
/** @import { Door } from "./types.d.ts" */

// Return the page for a match hidden by the service. null: the problem is another one.
/** @param {Problem} problem @param {Door} door */
export function drawDoor(problem, door) {
  if (problem.status === 410) return deleted();
  if (problem.status === 404) return notFound(door);
  if (problem.status === 401 || problem.status === 403) return refused(problem, door);
  return null;
}

function deleted() {
  return html`<section class="table-door sheet">
    <h1>This match was deleted</h1>
    <p>The operator of this server has deleted it for ever. Nobody can read it any more.</p>
    <p><a class="button" href="${HOME}/">See other matches</a></p>
  </section>`;
}

/** @param {Door} door */
function notFound(door) {
  return html`<section class="table-door sheet">
    <h1>No match is to be seen here</h1>
    <p>
      The address may be wrong. Or the match is private: then you need the link with the token that
      its owner has sent you, or the token itself.
    </p>
    ${drawTokenForm(door.enter)}
    <p><a class="button" href="${HOME}/">See public matches</a></p>
  </section>`;
}

/** @param {Problem} problem @param {Door} door */
function refused(problem, door) {
  const without = html`<p class="row">
    <button type="button" @click=${door.withoutToken}>Look without a token</button>
  </p>`;
  return html`<section class="table-door sheet">
    <h1>The token does not open this match</h1>
    <p>
      It may have been replaced or revoked, or it is of another match. The service says:
      ${problem.detail}
    </p>
    <p>
      A link to a seat counts once: only the browser that opened it plays the seat. There, under
      Links, is a link that brings it here.
    </p>
    ${drawTokenForm(door.enter)} ${door.hadToken ? without : nothing}
  </section>`;
}

// ---- the way back to a seat ---------------------------------------------------------------------

// Ask the reader, in a dialog, for the token of a seat.
/** @param {(token: string) => void} enter */
export function askForSeat(enter) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "table-claim");
  dialog.addEventListener("close", () => dialog.remove());
  const given = (/** @type {string} */ token) => {
    dialog.close();
    enter(token);
  };

  const question = html`<h2 id="table-claim">This is my seat</h2>
    <p>
      Paste the link to your seat, or its token. The device that you play on now shows it under Links. If you
      have lost it, the owner of the match can make a new one.
    </p>
    ${drawTokenForm(given)}
    <button type="button" @click=${() => dialog.close()}>Not now</button>`;
  render(question, dialog);
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {(token: string) => void} enter */
function drawTokenForm(enter) {
  /** @param {SubmitEvent} event */
  function onSubmit(event) {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (
      /** @type {HTMLFormElement} */ (event.target).elements.namedItem("token")
    );
    const token = tokenIn(field.value);
    if (token !== null) {
      enter(token);
      return;
    }
    field.setCustomValidity(
      "This holds no token. A token begins with gio_ and is 74 letters long.",
    );
    field.reportValidity();
  }

  const onInput = (/** @type {Event} */ event) => fieldOf(event).setCustomValidity("");

  return html`<form class="table-token" @submit=${onSubmit}>
    <div class="field">
      <label for="table-token">Your token, or the link with it</label>
      <input
        id="table-token"
        name="token"
        required
        autocomplete="off"
        spellcheck="false"
        @input=${onInput}
      />
    </div>
    <button class="primary">Open the match</button>
  </form>`;
}
