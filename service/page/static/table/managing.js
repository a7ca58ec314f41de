// What the owner of a match can do while it is played: stand-ins for the absent, and an early end.

import { html, nothing, render } from "../base/dom.js";
import { tokens } from "../base/memory.js";
import { problemBox } from "../base/page.js";
import { capital } from "../base/words.js";
import { drawLinks } from "./links.js";

/** @import { Actions } from "./actions.js" */
/** @import { Gathering as Managing } from "./types.d.ts" */

/** @param {Managing} managing */
export function drawManaging({ match, seats, reader, levels, actions }) {
  const isOwner = Boolean(tokens(match.id).owner);
  return html`<details class="table-managing sheet" ?open=${actions.problem !== null}>
    <summary>${isOwner ? "Links, stand-ins and an early end" : "Links"}</summary>
    ${actions.problem ? problemBox(actions.problem, match.game) : nothing}
    ${drawLinks(match, seats, reader, actions)}
    ${isOwner ? ownerRows({ match, seats, reader, levels, actions }) : nothing}
  </details>`;
}

/** @param {Managing} managing */
function ownerRows({ match, seats, levels, actions }) {
  const rows = match.seats.map((/** @type {any} */ { seat, kind, absent }) => {
    const name = seats[seat]?.name;
    if (absent)
      return html`<li><span>A bot stands in for ${name}.</span> ${backButton(seat, actions)}</li>`;
    if (kind !== "human") return nothing;
    return html`<li><span>${name} is away?</span> ${botForm(seat, levels, actions)}</li>`;
  });
  return html`
    <ul class="table-links">${rows}</ul>
    <p>
      <button type="button" class="danger" @click=${() => confirmAbort(match, actions)}>
        End the match without a result
      </button>
    </p>`;
}

/** @param {number} seat @param {Actions} actions */
function backButton(seat, actions) {
  return html`<button
    type="button"
    ?disabled=${actions.isBusy}
    @click=${() => actions.dismissBot(seat)}
  >
    Give the seat back
  </button>`;
}

/** @param {number} seat @param {string[]} levels @param {Actions} actions */
export function botForm(seat, levels, actions) {
  /** @param {SubmitEvent} event */
  function onSubmit(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    actions.putBot(seat, String(form.get("level")));
  }

  const options = levels.map(
    (level) =>
      html`<option value=${level} ?selected=${level === "greedy"}>${capital(level)}</option>`,
  );
  return html`<form class="row" @submit=${onSubmit}>
    <select name="level" aria-label="How the bot for seat ${seat} plays">${options}</select>
    <button ?disabled=${actions.isBusy} aria-label="Put a bot on seat ${seat}">Put a bot</button>
  </form>`;
}

/** @param {any} match @param {Actions} actions */
export function confirmAbort(match, actions) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "table-abort-title");
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "end") actions.abort();
    dialog.remove();
  });

  const consequence =
    match.status === "open"
      ? "Nobody can join it any more."
      : "Nobody wins it, and it cannot be taken up again. Its secrets are revealed.";
  const question = html`<form method="dialog">
    <h2 id="table-abort-title">End this match without a result?</h2>
    <p>${consequence}</p>
    <p class="row">
      <button value="end" class="danger">End the match</button>
      <button value="" class="primary" autofocus>Go on</button>
    </p>
  </form>`;
  render(question, dialog);
  document.body.append(dialog);
  dialog.showModal();
}
