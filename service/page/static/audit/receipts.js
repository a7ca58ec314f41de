/** The receipts that a reader kept: the part of the page that takes them. */

import { html } from "../base/dom.js";

/** @typedef {import("../base/dom.js").Template} Template */

/** What is said of a text that holds no receipt. */
export const NO_RECEIPT = "This is no JSON: give the whole answer to a move, or its receipt.";

/**
 * Draw the part that takes a receipt.
 *
 * @param {string} fault what is wrong with the form of what was given; "" if nothing
 * @param {(text: string) => void} given is called with what was given
 * @returns {Template}
 */
export function receiptPanel(fault, given) {
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
          aria-describedby="audit-receipt-fault"
        ></textarea>
      </div>
      <p id="audit-receipt-fault" class="audit-fault" role="status">${fault}</p>
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
