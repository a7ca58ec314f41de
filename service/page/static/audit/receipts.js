/** The receipts that a reader kept: the part of the page that takes them. */

import { html } from "../base/dom.js";
import { capital } from "../base/words.js";

/** @typedef {import("../base/dom.js").Template} Template */

/** @typedef {import("../verify/report.js").Report} Report */

/**
 * What is said of a receipt.
 *
 * @typedef {object} Word
 * @property {"" | "good" | "bad"} kind
 * @property {string} text
 */

/** @type {Word} */
export const NOTHING_SAID = { kind: "", text: "" };

/** @type {Word} */
export const NO_RECEIPT = {
  kind: "bad",
  text: "This is no JSON: give the whole answer to a move, or its receipt.",
};

/**
 * Draw the part that takes a receipt.
 *
 * @param {Word} word on what was given last
 * @param {(text: string) => void} given is called with what was given
 * @returns {Template}
 */
export function receiptPanel(word, given) {
  /** @param {SubmitEvent} event */
  function submitted(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    given(String(new FormData(form).get("receipt")));
  }

  return html`
    <form class="sheet audit-receipts" @submit=${submitted}>
      <h2>A receipt that you kept</h2>
      <p>
        Each answer to a move holds a receipt, signed by the server. If this match has the commit of
        your receipt, nobody has changed it since.
      </p>
      <div class="field">
        <label for="audit-receipt">Receipt, or the whole answer to your move</label>
        <textarea
          id="audit-receipt"
          name="receipt"
          rows="4"
          spellcheck="false"
          aria-describedby="audit-receipt-word"
        ></textarea>
      </div>
      <p id="audit-receipt-word" class="audit-word audit-word-${word.kind}">${word.text}</p>
      <button type="submit">Check with this receipt</button>
    </form>`;
}

/**
 * Return the receipts in a text: one, or that of a whole answer.
 *
 * @param {string} text
 * @returns {unknown[] | null} none of an empty text; null if it is no JSON
 */
export function receiptsIn(text) {
  if (text.trim() === "") return [];
  try {
    const value = JSON.parse(text);
    return [value?.receipt ?? value];
  } catch {
    return null;
  }
}

/**
 * Return whether a check has only found that a receipt itself proves nothing.
 *
 * @param {Report | null} report
 * @returns {boolean}
 */
export function isNoProof(report) {
  const wrong = report?.wrong ?? null;
  return wrong?.code === "receipt_bad" && wrong.detail.startsWith("receipt 1");
}

/**
 * Return what is to be said of a receipt after the match was checked with it.
 *
 * @param {any[]} receipts one, or none
 * @param {Report | null} report
 * @returns {Word}
 */
export function wordOn(receipts, report) {
  if (receipts.length === 0 || report === null) return NOTHING_SAID;
  if (isNoProof(report)) return { kind: "bad", text: `${capital(report.wrong?.detail ?? "")}.` };
  if (report.wrong !== null) {
    return { kind: "bad", text: "This match is not the one that the receipt was given for." };
  }
  return {
    kind: "good",
    text: `The match has your commit ${receipts[0].version}, and nothing before it was changed.`,
  };
}
