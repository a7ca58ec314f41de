// Receipts for an audit: from this browser, or given by the reader.

import { textLines } from "../base/api.js";
import { html, nothing, saveFile, sentWith } from "../base/dom.js";
import { paths } from "../base/home.js";
import { receiptsOf } from "../base/memory.js";
import { capital } from "../base/words.js";

/** @import { Api } from "../base/api.js" */
/** @import { Line } from "../replay/types.d.ts" */
/** @import { Receipt, Report } from "../verify/types.d.ts" */
/** @import { ReceiptVerdict, ReceiptWords } from "./types.d.ts" */

const KIND = "giornale receipts 1";

/** @type {ReceiptVerdict} */
export const NOTHING_SAID = { kind: "", text: "" };

/** @type {ReceiptVerdict} */
export const NO_RECEIPT = {
  kind: "bad",
  text: "This is no JSON: give the whole answer to a move, or its receipt.",
};

/** @param {ReceiptWords} words @param {(text: string) => void} given @param {() => void} save */
export function receiptPanel({ kept, given: word }, given, save) {
  const submitted = (/** @type {SubmitEvent} */ event) => given(sentWith(event)("receipt"));

  return html`
    <form class="sheet audit-receipts" @submit=${submitted}>
      <h2>Your receipts</h2>
      <p>
        Each answer to a move holds a receipt, signed by the server. If this match has the entry of
        your receipt, nobody has changed it since. This browser keeps those of your moves.
      </p>
      ${kept.text ? drawKept(kept, save) : nothing}
      <div class="field">
        <label for="audit-receipt">Another receipt, the answer to a move, or a file of receipts</label>
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

/** @param {ReceiptVerdict} kept @param {() => void} save */
function drawKept({ kind, text }, save) {
  return html`<p class="audit-word audit-word-${kind}">${text}</p>
    <p><button type="button" @click=${save}>Save these receipts</button></p>`;
}

/** @param {string} text @returns {unknown[] | null} [] for an empty text; null: no JSON */
export function receiptsIn(text) {
  if (text.trim() === "") return [];
  try {
    const value = JSON.parse(text);
    const all = Array.isArray(value?.receipts) ? value.receipts : [value];
    return all.map((/** @type {{ receipt?: unknown } | null} */ one) => one?.receipt ?? one);
  } catch {
    return null;
  }
}

// True if a check ended because a receipt proves nothing. This is no evidence against the match.
/** @param {Report | null} report */
export function isNoProof(report) {
  const wrong = report?.wrong ?? null;
  return wrong?.code === "receipt_bad" && wrong.detail.startsWith("receipt ");
}

/** @param {unknown[]} receipts @param {Report | null} report @returns {ReceiptVerdict} */
export function wordOn(receipts, report) {
  if (receipts.length === 0 || report === null) return NOTHING_SAID;
  if (isNoProof(report)) return { kind: "bad", text: `${capital(report.wrong?.detail ?? "")}.` };
  if (report.wrong !== null) {
    const what = receipts.length > 1 ? "receipts were" : "receipt was";
    return { kind: "bad", text: `This is not the match that the ${what} given for.` };
  }
  const unable = report.unchecked.find((what) => what.startsWith("receipts: "));
  if (unable) return { kind: "", text: `Not checked: ${unable}.` };

  const versions = receipts.map((receipt) => /** @type {Receipt} */ (receipt).version);
  const last = Math.max(...versions);
  const text =
    receipts.length > 1
      ? `${receipts.length} receipts of your moves agree: the match has these entries, and nothing before entry ${last} was changed.`
      : `The match has your entry ${last}, and nothing before it was changed.`;
  return { kind: "good", text };
}

// Save this browser's receipts as a file, each with its move in words.
/** @param {string} match @param {string} game @param {Api} api */
export async function saveReceipts(match, game, api) {
  const said = await storyOf(match, api);
  const receipts = receiptsOf(match).map((receipt) => {
    return { move: said.get(receipt.version) ?? "", receipt };
  });
  const text = JSON.stringify({ kind: KIND, match, game, receipts }, null, 1);
  const name = `${game}-${match}-receipts.json`;
  saveFile(new Blob([text], { type: "application/json" }), name);
}

/** @param {string} match @param {Api} api @returns {Promise<Map<number, string>>} by version */
async function storyOf(match, api) {
  const said = new Map();
  for await (const line of textLines(await api.lines(paths.match(match, "story.ndjson")))) {
    const { version, sentences } = /** @type {Line} */ (JSON.parse(line));
    said.set(version, sentences.map(({ text }) => text).join(" "));
  }
  return said;
}
