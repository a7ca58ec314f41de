/** The page that checks a match in the reader's own browser. */

import { Api } from "../base/api.js";
import { copy } from "../base/copy.js";
import { html, nothing, render } from "../base/dom.js";
import { addressOf, HOME, place } from "../base/home.js";
import { takeFragment, tokenFor } from "../base/memory.js";
import { announce, dressPage, nameTab, problemBox } from "../base/page.js";
import { worded } from "../base/words.js";
import { verifyAside } from "../verify/client.js";
import { NoCryptography } from "../verify/digests.js";
import { askServer, fetchAll } from "./fetching.js";
import { verdictOf } from "./findings.js";
import { exactly, explained, findings, verdict, working } from "./parts.js";
import { seal } from "./seal.js";
import { serversWord } from "./server.js";

/** @typedef {import("../base/dom.js").Template} Template */
/** @typedef {import("../verify/record.js").Report} Report */
/** @typedef {import("./fetching.js").Fetched} Fetched */
/** @typedef {import("./fetching.js").Word} Word */

/** What is shown of a check that does not end with a report. */
const CANCELLED = "The check was stopped.";

/** The audit of one match. */
class AuditPage {
  /** @type {Fetched | null} */
  fetched = null;

  /** @type {Report | null} */
  report = null;

  /** @type {Word | null} */
  word = null;

  /** @type {Template | typeof nothing} */
  serverFailed = nothing;

  /** @type {unknown} */
  failure = null;

  doing = "";
  done = 0;
  of = 0;

  /** What the reader gave as receipts, and what is wrong with its form. */
  receiptText = "";
  receiptFault = "";

  /** @type {AbortController | null} */
  running = null;

  /**
   * @param {HTMLElement} main
   * @param {string} match
   */
  constructor(main, match) {
    this.main = main;
    this.match = match;
    this.api = new Api(HOME, tokenFor(match));
  }

  /** Fetch everything, check it, and ask the server what it says. */
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
    } catch (error) {
      if (this.running !== running) return;
      this.failure = running.signal.aborted ? CANCELLED : error;
    }
    if (this.running === running) this.running = null;
    this.draw();
  }

  /** End what goes on. */
  stop() {
    this.running?.abort(new DOMException(CANCELLED, "AbortError"));
  }

  /**
   * Check what was fetched.
   *
   * @param {AbortSignal} signal
   * @param {unknown[]} receipts
   */
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

  /** Check the match once more, now with the receipts that the reader gave. */
  async checkReceipts() {
    this.receiptFault = "";
    /** @type {unknown[]} */
    let receipts;
    try {
      receipts = receiptsIn(this.receiptText);
    } catch {
      this.receiptFault = "This is no JSON: copy the whole answer to a move, or its receipt.";
      this.draw();
      return;
    }

    this.report = null;
    this.of = 0;
    await this.check(new AbortController().signal, receipts);
  }

  /**
   * @param {number} done
   * @param {number} of
   */
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
          ${fetched === null ? nothing : this.receipts()}
          ${explained()}
          ${this.report === null || this.report.wrong !== null ? nothing : exactly(this.report)}
        </div>`,
      this.main,
    );
  }

  /** @returns {Template} */
  standing() {
    if (this.report !== null) return verdict(this.report, this.buttons());
    if (this.failure instanceof NoCryptography) return this.unable(this.failure.message);
    if (this.failure === CANCELLED) return this.unable(CANCELLED);
    if (this.failure !== null) return problemBox(this.failure);
    return html`
      ${working(this.doing, this.done, this.of)}
      <p class="row"><button type="button" @click=${() => this.stop()}>Stop</button></p>`;
  }

  /**
   * @param {string} reason
   * @returns {Template}
   */
  unable(reason) {
    return html`
      <div class="audit-verdict audit-unable">
        ${seal("unable")}
        <div>
          <h2 class="audit-title">Not checked</h2>
          <p>${reason}</p>
          ${this.buttons()}
        </div>
      </div>`;
  }

  /** @returns {Template} */
  buttons() {
    const commit = this.report?.wrong?.commit ?? 0;
    return html`
      <p class="row">
        ${commit > 0 ? html`<a class="button" href=${addressOf(this.match, commit)}>Look at that moment</a>` : nothing}
        <button type="button" ?disabled=${this.fetched === null} @click=${() => this.download()}>
          Download the record
        </button>
        <button type="button" @click=${() => this.run()}>Check again</button>
      </p>`;
  }

  /** @returns {Template} */
  receipts() {
    /** @param {Event} event */
    const typed = (event) => {
      this.receiptText = /** @type {HTMLTextAreaElement} */ (event.target).value;
    };
    return html`
      <section class="sheet audit-receipts">
        <h2>A receipt that you kept</h2>
        <p>
          Each answer to a move holds a receipt, signed by the server. If this match has the commit
          of your receipt, nobody has changed it since.
        </p>
        <div class="field">
          <label for="audit-receipt">Receipt, or the whole answer to your move</label>
          <textarea
            id="audit-receipt"
            rows="4"
            spellcheck="false"
            aria-describedby="audit-receipt-fault"
            @input=${typed}
          ></textarea>
        </div>
        <p id="audit-receipt-fault" class="audit-fault" role="status">${this.receiptFault}</p>
        <button type="button" @click=${() => this.checkReceipts()}>Check with this receipt</button>
      </section>`;
  }

  /** Hand the record to the reader as a file, to the byte as it was checked. */
  download() {
    if (this.fetched === null) return;
    const file = new Blob([this.fetched.record], { type: "application/x-ndjson" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = `${this.match}.ndjson`;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

/**
 * Return the receipts in a text: one, or that of a whole answer.
 *
 * @param {string} text
 * @returns {unknown[]} none of an empty text
 * @throws {SyntaxError}
 */
function receiptsIn(text) {
  if (text.trim() === "") return [];
  const value = JSON.parse(text);
  return [value?.receipt ?? value];
}

/** @param {string} title */
function capitalised(title) {
  return title.replace(/: (.)/, (_, letter) => `: ${letter.toUpperCase()}`);
}

const { match } = place();
if (match !== null) {
  takeFragment(match);
  new AuditPage(dressPage(), match).run();
}
