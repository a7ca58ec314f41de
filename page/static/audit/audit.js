// The page for checking a match in the reader's own browser.

import { announce, copy } from "../base/announce.js";
import { Api } from "../base/api.js";
import { html, nothing, render } from "../base/dom.js";
import { addressOf, HOME, place } from "../base/home.js";
import { receiptsOf, takeFragment, tokenFor } from "../base/memory.js";
import { dressPage, nameTab, problemBox } from "../base/page.js";
import { replaceLinked } from "../base/tokens.js";
import { worded } from "../base/words.js";
import { SaveButton } from "../single/save_button.js";
import { verifyAside } from "../verify/client.js";
import { NoCryptography } from "../verify/digests.js";
import { askLog, policyPanel } from "./in_log.js";
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
import {
  isNoProof,
  NO_RECEIPT,
  NOTHING_SAID,
  receiptPanel,
  receiptsIn,
  saveReceipts,
  wordOn,
} from "./receipts.js";
import { askServer, fetchAll, otherViewVersion, serversWord } from "./server.js";

/** @import { AuditAnswer, Fetched, Finding, ReceiptWords } from "./types.d.ts" */
/** @import { Template } from "../base/types.d.ts" */
/** @import { Report } from "../verify/types.d.ts" */

// Shown in place of the report of a stopped check.
const CANCELLED = "The check was stopped.";

class AuditPage {
  /** @type {Fetched | null} */
  fetched = null;

  /** @type {Report | null} */
  report = null;

  /** @type {AuditAnswer | null} */
  word = null;

  /** The finding about the last commit in the log. []: none yet. @type {Finding[]} */
  inLog = [];

  /** The fault of the reader's policy. "": none. */
  policyTrouble = "";

  /** @type {Template | typeof nothing} */
  serverFailed = nothing;

  /** @type {unknown} */
  failure = null;

  doing = "";
  done = 0;
  of = 0;

  /** @type {ReceiptWords} */
  receipts = { kept: NOTHING_SAID, given: NOTHING_SAID };

  /** @type {AbortController | null} */
  running = null;

  /** @param {HTMLElement} main @param {string} match */
  constructor(main, match) {
    this.main = main;
    this.match = match;
    this.api = new Api(HOME, tokenFor(match));
    this.saveButton = new SaveButton(() => this.draw());
  }

  async run() {
    this.stop();
    const running = new AbortController();
    this.running = running;
    this.report = null;
    this.failure = null;
    this.word = null;
    this.inLog = [];
    this.of = 0;

    try {
      this.fetched = await fetchAll(this.api, this.match, running.signal, (what) => {
        this.doing = what;
        this.draw();
      });
      await this.checkWithKept(running.signal);
      await this.ask(running.signal);
      await this.checkViewsAgain(running.signal);
      await this.lookIntoLog(running.signal);
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
    if (this.fetched === null) return;
    try {
      await askServer(this.api, this.fetched.match, signal, (word) => {
        this.word = word;
        this.draw();
      });
    } catch (error) {
      if (signal.aborted) throw error;
      this.serverFailed = problemBox(error);
    }
  }

  /** @param {AbortSignal} signal */
  async lookIntoLog(signal) {
    if (this.fetched === null || this.report === null || this.report.wrong !== null) return;
    const isPrivate = this.fetched.match.visibility === "private";
    this.inLog = [await askLog(this.api, this.report, isPrivate, signal)];
  }

  // Check the log again, after a change of the policy.
  /** @param {string} trouble the fault of the new policy. "": none */
  async lookAgain(trouble) {
    this.policyTrouble = trouble;
    if (trouble === "" && this.running === null) {
      await this.lookIntoLog(new AbortController().signal);
      announce(this.inLog.map(({ title, text }) => `${title}. ${text}`).join(" "));
    }
    this.draw();
  }

  // Check again without comparing the shown states, if they are of another version of the views.
  /** @param {AbortSignal} signal */
  async checkViewsAgain(signal) {
    const viewVersion = otherViewVersion(this.word);
    if (viewVersion === undefined || this.fetched === null) return;
    this.fetched.beside.viewVersion = viewVersion;
    await this.checkWithKept(signal);
  }

  // Check the match with this browser's receipts, and without them if one proves nothing.
  /** @param {AbortSignal} signal */
  async checkWithKept(signal) {
    const kept = receiptsOf(this.match);
    await this.check(signal, kept);
    this.receipts.kept = wordOn(kept, this.report);
    if (isNoProof(this.report)) await this.check(signal, []);
  }

  // Check the match again, with receipts from the reader. A receipt that proves nothing is no
  // evidence against the match.
  /** @param {string} text */
  async checkReceipt(text) {
    const receipts = receiptsIn(text);
    const before = this.report;
    this.receipts.given = receipts === null ? NO_RECEIPT : NOTHING_SAID;
    if (receipts !== null) {
      this.report = null;
      this.of = 0;
      await this.check(new AbortController().signal, receipts);
      this.receipts.given = wordOn(receipts, this.report);
      if (isNoProof(this.report)) this.report = before;
    }
    announce(this.receipts.given.text);
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
          ${this.report === null ? nothing : findings(this.report, fetched?.match.seats ?? [], this.inLog)}
          ${fetched === null ? nothing : serversWord(this.word, this.serverFailed, fetched.match, copy)}
          ${fetched === null ? nothing : policyPanel(this.policyTrouble, (trouble) => this.lookAgain(trouble))}
          ${fetched === null ? nothing : this.receiptPanel(fetched.match.game)}
          ${explained()}
          ${this.report === null || this.report.wrong !== null ? nothing : exactly(this.report)}
        </div>`,
      this.main,
    );
  }

  /** @param {string} game */
  receiptPanel(game) {
    const given = (/** @type {string} */ text) => this.checkReceipt(text);
    const failed = () => announce("The story cannot be reached: nothing was saved.");
    const save = () => saveReceipts(this.match, game, this.api).catch(failed);
    return receiptPanel(this.receipts, given, save);
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
    const match = this.fetched?.match;
    return html`
      <div class="row">
        ${commit > 0 ? html`<a class="button" href=${addressOf(this.match, commit)}>Look at that moment</a>` : nothing}
        <button type="button" ?disabled=${this.fetched === null} @click=${this.handOut}>
          Download the record
        </button>
        ${match && this.report?.ended ? this.saveButton.draw(match) : nothing}
        <button type="button" @click=${() => this.run()}>Check again</button>
      </div>`;
  }
}

/** @param {string} title */
function capitalised(title) {
  return title.replace(/: (.)/, (_, letter) => `: ${letter.toUpperCase()}`);
}

// ---- the start ----------------------------------------------------------------------------------

const { match } = place();
if (match !== null) {
  const main = dressPage();
  takeFragment(match);
  replaceLinked(match).then(() => new AuditPage(main, match).run());
}
