// The table after the end: the winners, the score sheet, and files to save.

import { saveReceipts } from "../audit/receipts.js";
import { counting, textLines } from "../base/api.js";
import { html, nothing, saveFile } from "../base/dom.js";
import { auditAddress, paths } from "../base/home.js";
import { receiptsOf } from "../base/memory.js";
import { drawRematch, problemBox } from "../base/page.js";
import { colourOf, counted, listed, victory } from "../base/words.js";
import { drawSheet, SCORING_EVENTS, sheetOf } from "../boards/sheet.js";
import { SaveButton } from "../single/save_button.js";
import { isRevealed } from "./head.js";

/** @import { Commit, Match } from "../../api.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { Template } from "../base/types.d.ts" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Ending } from "./types.d.ts" */

export class Ended {
  /** @type {Template | typeof nothing} */ #sheet = nothing;
  #isAsked = false;

  /** @param {() => void} changed called when the section must be drawn again */
  constructor(changed) {
    this.changed = changed;
    this.button = new SaveButton(changed);
  }

  /** @param {Ending} ending */
  draw(ending) {
    const { match, seats, actions, isPast } = ending;
    if (!this.#isAsked) counting(this.#ask(ending));
    return html`<section class="table-outcome sheet" aria-labelledby="table-outcome-title">
      <h2 id="table-outcome-title">${isPast ? "The match is over." : result(match, seats)}</h2>
      ${isPast ? nothing : standIns(match, seats)}
      ${actions.problem ? problemBox(actions.problem, match.game) : nothing}
      <div class="row unprinted">
        ${drawRematch(match, actions.isBusy, () => actions.rematch())}
        <a class="button" href=${auditAddress(match.match)}>Check the match</a>
        ${this.#drawSaving(ending)}
      </div>
      ${isPast ? nothing : this.#sheet}
    </section>`;
  }

  /** @param {Ending} ending */
  #drawSaving({ match, api, failed }) {
    const receipts = receiptsOf(match.match);
    return html`
      <button type="button" @click=${() => saveRecord(match, api).catch(failed)}>
        Save the record
      </button>
      ${isRevealed(match) ? this.button.draw(match) : nothing}
      ${
        receipts.length > 0
          ? html`<button
              type="button"
              title="Signed by the server: each proves that it had accepted your move."
              @click=${() => saveReceipts(match.match, match.game, api).catch(failed)}
            >
              Save ${counted(receipts.length, "receipt")}
            </button>`
          : nothing
      }`;
  }

  // Request the events for the score sheet. After a failure the next draw requests them again.
  /** @param {Ending} ending */
  async #ask({ match, seats, api }) {
    const { outcome } = match;
    const types = /** @type {Record<string, string[]>} */ (SCORING_EVENTS)[match.game] ?? [];
    if (!outcome || types.length === 0) return;

    this.#isAsked = true;
    try {
      const gone = new Set(match.take_back?.taken_back ?? []);
      const asked = types.map((type) => eventsOf(api, match.match, type, gone));
      const events = (await Promise.all(asked)).flat();
      this.#sheet = drawSheet(sheetOf(events, outcome.points), outcome.points, seats);
      this.changed();
    } catch {
      this.#isAsked = false;
    }
  }
}

// Return the events of a type in commits that were not taken back (M17).
/** @param {Api} api @param {string} match @param {string} type @param {Set<number>} gone */
async function eventsOf(api, match, type, gone) {
  const answer = await api.lines(paths.match(match, "commits.ndjson"), { query: { type } });
  const events = [];
  for await (const line of textLines(answer)) {
    const commit = /** @type {Commit} */ (JSON.parse(line));
    if (!gone.has(commit.version)) events.push(...commit.events);
  }
  return events.filter((event) => event.type === type);
}

/** @param {Match} match @param {Seat[]} seats */
function result({ outcome }, seats) {
  return outcome ? `${victory(outcome, seats)}.` : "The match ended without a result.";
}

// Name the humans with stand-ins at the end (M8, M15, M16), and resigned seats. These rank last.
/** @param {Match} match @param {Seat[]} seats */
function standIns({ outcome }, seats) {
  const called = (/** @type {number} */ seat) => seats[seat]?.name ?? colourOf(seat);
  const names = (outcome?.stood_in_for ?? []).map(called);
  const resigned = (outcome?.resigned ?? []).map(called);
  if (names.length === 0) return nothing;
  return html`<p>
    A bot played for ${listed(names)} at the end.
    ${resigned.length > 0 ? `${listed(resigned)} resigned, and a seat that resigns ranks below all others.` : nothing}
  </p>`;
}

// Save a match's record as a file. The request has the reader's token. A link could not send it.
/** @param {Match} match @param {Api} api */
async function saveRecord(match, api) {
  const answer = await api.lines(paths.match(match.match, "record"));
  saveFile(await answer.blob(), `${match.game}-${match.match}.ndjson`);
}
