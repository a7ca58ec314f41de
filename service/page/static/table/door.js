// What the page says when it cannot show a match, and what the reader can do then.

import { Problem } from "../base/api.js";
import { html, nothing } from "../base/dom.js";
import { HOME } from "../base/home.js";
import { tokenIn } from "../base/memory.js";
import { problemBox } from "../base/page.js";

/** @import { Door } from "./types.d.ts" */

/** @param {unknown} failure @param {Door} door */
export function drawDoor(failure, door) {
  if (!(failure instanceof Problem)) return elsewhere(failure, door);
  if (failure.status === 410) return deleted();
  if (failure.status === 404) return notFound(door);
  if (failure.status === 401 || failure.status === 403) return refused(failure, door);
  return elsewhere(failure, door);
}

function deleted() {
  return html`<section class="table-door sheet">
    <h1>This match was deleted</h1>
    <p>The operator of this server has deleted it for ever. Nothing of it is kept.</p>
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
    ${tokenForm(door)}
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
      A link to a seat counts once: the seat is played where it was opened. There, under Links, is a
      link that brings it here.
    </p>
    ${tokenForm(door)} ${door.hadToken ? without : nothing}
  </section>`;
}

/** @param {Door} door */
function tokenForm({ enter }) {
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

  /** @param {Event} event */
  function onInput(event) {
    /** @type {HTMLInputElement} */ (event.target).setCustomValidity("");
  }

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

/** @param {unknown} failure @param {Door} door */
function elsewhere(failure, { again }) {
  return html`<section class="table-door">
    ${problemBox(failure)}
    <p><button type="button" class="primary" @click=${again}>Try again</button></p>
  </section>`;
}
