// The page that checks a match in the reader's own browser.

import { announce, copy } from "../base/announce.js";
import { Api } from "../base/api.js";
import { html, nothing, render, sentWith } from "../base/dom.js";
import { addressOf, HOME, place } from "../base/home.js";
import { takeFragment, tokenFor } from "../base/memory.js";
import { dressPage, nameTab, problemBox } from "../base/page.js";
import { replaceLinked } from "../base/tokens.js";
import { capital, worded } from "../base/words.js";
import { verifyAside } from "../verify/client.js";
import { NoCryptography } from "../verify/digests.js";
import {
  exactly,
  explained,
  findings,
  handOut,
  unable,
  verdict,
  verdictOf,
  working,
} from "./parts.js";
import { askServer, fetchAll, otherViewVersion, serversWord } from "./server.js";

/** @import { AuditAnswer, Fetched, ReceiptVerdict } from "./types.d.ts" */
/** @import { Template } from "../base/types.d.ts" */
/** @import { Receipt, Report } from "../verify/types.d.ts" */

// What is shown of a check that does not end with a report.
const CANCELLED = "The check was stopped.";

class AuditPage {
  /** @type {Fetched | null} */
  fetched = null;

  /** @type {Report | null} */
  report = null;

  /** @type {AuditAnswer | null} */
  word = null;

  /** @type {Template | typeof nothing} */
  serverFailed = nothing;

  /** @type {unknown} */
  failure = null;

  doing = "";
  done = 0;
  of = 0;

  receipt = NOTHING_SAID;

  /** @type {AbortController | null} */
  running = null;

  /** @param {HTMLElement} main @param {string} match */
  constructor(main, match) {
    this.main = main;
    this.match = match;
    this.api = new Api(HOME, tokenFor(match));
  }

  async run() {
    this.stop();
    const running = new AbortController();
    this.running = running;
    this.report = null;
    this.failure = null;
    this.word = null;
    this.of = 0;

    try {
      this.fetched = await fetchAll(this.api, this.match, running.signal, (what) => {
        this.doing = what;
        this.draw();
      });
      await this.check(running.signal, []);
      await this.ask(running.signal);
      await this.checkViewsAgain(running.signal);
    } catch (error) {
      if (this.running !== running) return;
      this.failure = running.signal.aborted ? CANCELLED : error;
    }
    if (this.running === running) this.running = null;
    this.draw();
  }

  stop() {
    this.running?.abort(new DOMException(CANCELLED, "AbortError"));
  }

  /** @param {AbortSignal} signal @param {unknown[]} receipts */
  async check(signal, receipts) {
    if (this.fetched === null) return;
    this.doing = "Calculating every fingerprint anew.";
    const { record, beside } = this.fetched;
    this.report = await verifyAside(
      record,
      { ...beside, receipts },
      {
        signal,
        progress: (done, of) => this.progress(done, of),
      },
    );

    const { title, text } = verdictOf(this.report);
    nameTab(`${title} - Audit - Giornale`);
    announce(`${title}. ${text}`);
    this.draw();
  }

  /** @param {AbortSignal} signal */
  async ask(signal) {
    this.serverFailed = nothing;
    try {
      await askServer(this.api, this.match, signal, (word) => {
        this.word = word;
        this.draw();
      });
    } catch (error) {
      if (signal.aborted) throw error;
      this.serverFailed = problemBox(error);
    }
  }

  // Check once more without comparing what is shown, if that is of another version of the views.
  /** @param {AbortSignal} signal */
  async checkViewsAgain(signal) {
    const viewVersion = otherViewVersion(this.word);
    if (viewVersion === undefined || this.fetched === null) return;
    this.fetched.beside.viewVersion = viewVersion;
    await this.check(signal, []);
  }

  // Check the match once more, now with a receipt that the reader kept. A receipt that proves
  // nothing says nothing against the match.
  /** @param {string} text */
  async checkReceipt(text) {
    const receipts = receiptsIn(text);
    const before = this.report;
    this.receipt = receipts === null ? NO_RECEIPT : NOTHING_SAID;
    if (receipts !== null) {
      this.report = null;
      this.of = 0;
      await this.check(new AbortController().signal, receipts);
      this.receipt = wordOn(receipts, this.report);
      if (isNoProof(this.report)) this.report = before;
    }
    announce(this.receipt.text);
    this.draw();
  }

  /** @param {number} done @param {number} of */
  progress(done, of) {
    this.done = done;
    this.of = of;
    this.draw();
  }

  draw() {
    const { fetched } = this;
    const title = fetched === null ? "Audit" : `Audit: ${worded(fetched.match.game)}`;
    render(
      html`
        <div class="audit">
          <p class="audit-back"><a href=${addressOf(this.match)}>Back to the table</a></p>
          <h1>${capitalised(title)}</h1>
          <p class="audit-lead">
            Your browser checks this match itself. You need not believe the server.
          </p>
          <div class="sheet">${this.standing()}</div>
          ${this.report === null ? nothing : findings(this.report)}
          ${fetched === null ? nothing : serversWord(this.word, this.serverFailed, this.match, copy)}
          ${fetched === null ? nothing : receiptPanel(this.receipt, (text) => this.checkReceipt(text))}
          ${explained()}
          ${this.report === null || this.report.wrong !== null ? nothing : exactly(this.report)}
        </div>`,
      this.main,
    );
  }

  standing() {
    if (this.report !== null) return verdict(this.report, this.buttons());
    if (this.failure instanceof NoCryptography) return unable(this.failure.message, this.buttons());
    if (this.failure === CANCELLED) return unable(CANCELLED, this.buttons());
    if (this.failure !== null) return problemBox(this.failure);
    return html`
      ${working(this.doing, this.done, this.of)}
      <p class="row"><button type="button" @click=${() => this.stop()}>Stop</button></p>`;
  }

  handOut = () => {
    if (this.fetched !== null) handOut(this.match, this.fetched.record);
  };

  buttons() {
    const commit = this.report?.wrong?.commit ?? 0;
    return html`
      <p class="row">
        ${commit > 0 ? html`<a class="button" href=${addressOf(this.match, commit)}>Look at that moment</a>` : nothing}
        <button type="button" ?disabled=${this.fetched === null} @click=${this.handOut}>
          Download the record
        </button>
        <button type="button" @click=${() => this.run()}>Check again</button>
      </p>`;
  }
}

/** @param {string} title */
function capitalised(title) {
  return title.replace(/: (.)/, (_, letter) => `: ${letter.toUpperCase()}`);
}

// ---- the receipts that a reader kept ------------------------------------------------------------

/** @type {ReceiptVerdict} */
const NOTHING_SAID = { kind: "", text: "" };

/** @type {ReceiptVerdict} */
const NO_RECEIPT = {
  kind: "bad",
  text: "This is no JSON: give the whole answer to a move, or its receipt.",
};

/** @param {ReceiptVerdict} word @param {(text: string) => void} given */
function receiptPanel(word, given) {
  const submitted = (/** @type {SubmitEvent} */ event) => given(sentWith(event)("receipt"));

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
function receiptsIn(text) {
  if (text.trim() === "") return [];
  try {
    const value = JSON.parse(text);
    return [value?.receipt ?? value];
  } catch {
    return null;
  }
}

/** @param {Report | null} report */
function isNoProof(report) {
  const wrong = report?.wrong ?? null;
  return wrong?.code === "receipt_bad" && wrong.detail.startsWith("receipt 1");
}

/** @param {unknown[]} receipts @param {Report | null} report @returns {ReceiptVerdict} */
function wordOn(receipts, report) {
  if (receipts.length === 0 || report === null) return NOTHING_SAID;
  if (isNoProof(report)) return { kind: "bad", text: `${capital(report.wrong?.detail ?? "")}.` };
  if (report.wrong !== null) {
    return { kind: "bad", text: "This match is not the one that the receipt was given for." };
  }
  return {
    kind: "good",
    text: `The match has your commit ${/** @type {Receipt} */ (receipts[0]).version}, and nothing before it was changed.`,
  };
}

// ---- the start ----------------------------------------------------------------------------------

const { match } = place();
if (match !== null) {
  const main = dressPage();
  takeFragment(match);
  replaceLinked(match).then(() => new AuditPage(main, match).run());
}
