// After the end: who has won, and what can be done with a match that is over.

import { html } from "../base/dom.js";
import { auditAddress, paths } from "../base/home.js";
import { victory } from "./standing.js";

/** @import { Api } from "../base/api.js" */
/** @import { Seat } from "../boards/types.d.ts" */

/**
 * @param {any} match @param {Seat[]} seats @param {(failure: unknown) => void} failed
 * @param {Api} api
 * @param {boolean} isPast whether the reader looks at an earlier moment: who wins is not told then
 */
export function drawOutcome(match, seats, api, failed, isPast) {
  return html`<section class="table-outcome sheet" aria-labelledby="table-outcome-title">
    <h2 id="table-outcome-title">${isPast ? "The match is over." : result(match, seats)}</h2>
    <p class="row unprinted">
      <a class="button" href=${auditAddress(match.id)}>Check the match</a>
      <button type="button" @click=${() => saveRecord(match, api).catch(failed)}>
        Save the record
      </button>
    </p>
  </section>`;
}

/** @param {any} match @param {Seat[]} seats */
function result({ outcome }, seats) {
  return outcome ? `${victory(outcome, seats)}.` : "The match ended without a result.";
}

/**
 * Save a match's record as a file. It is read with the reader's token, which a link could not
 * carry.
 * @param {any} match @param {Api} api
 */
async function saveRecord(match, api) {
  const headers = { Accept: "application/x-ndjson" };
  const response = await api.send("GET", paths.match(match.id, "record"), { headers });
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = `${match.game}-${match.id}.ndjson`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
