// The receipts that a reader kept: the part of the page that takes them.

import { html } from "../base/dom.js";
import { capital } from "../base/words.js";

/** @import { ReceiptVerdict } from "./types.d.ts" */
/** @import { Report } from "../verify/types.d.ts" */

/** @type {ReceiptVerdict} */
export const NOTHING_SAID = { kind: "", text: "" };

/** @type {ReceiptVerdict} */
export const NO_RECEIPT = {
  kind: "bad",
  text: "This is no JSON: give the whole answer to a move, or its receipt.",
};

/** @param {ReceiptVerdict} word @param {(text: string) => void} given */
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

/** @param {string} text @returns {unknown[] | null} none of an empty text; null if it is no JSON */
export function receiptsIn(text) {
  if (text.trim() === "") return [];
  try {
    const value = JSON.parse(text);
    return [value?.receipt ?? value];
  } catch {
    return null;
  }
}

/** @param {Report | null} report */
export function isNoProof(report) {
  const wrong = report?.wrong ?? null;
  return wrong?.code === "receipt_bad" && wrong.detail.startsWith("receipt 1");
}

/** @param {any[]} receipts @param {Report | null} report @returns {ReceiptVerdict} */
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
