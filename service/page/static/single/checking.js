// The check of the file's own record, and of what the file shows.

import { standingOf, verdictOf } from "../audit/findings.js";
import { handOut } from "../audit/handing_out.js";
import { exactly, explained, findings, verdict, working } from "../audit/parts.js";
import { seal } from "../audit/seal.js";
import { announce } from "../base/announce.js";
import { html, nothing, render } from "../base/dom.js";
import { counted } from "../base/words.js";
import { verifyRecord } from "../verify/record.js";

/** @import { Progress, Report } from "../verify/types.d.ts" */

/**
 * Check the record and what is shown, here on the page: a file from a disk has no workers.
 * @param {HTMLElement} root @param {any} data @param {ArrayBuffer} record
 */
export async function check(root, data, record) {
  const beside = { shown: data.frames, viewVersion: data.view_version };
  /** @type {Progress} */
  const progress = (done, of) => {
    render(
      html`<div class="sheet">${working("Calculating every fingerprint anew.", done, of)}</div>`,
      root,
    );
  };

  try {
    const report = await verifyRecord(new Uint8Array(record), beside, { progress });
    render(checked(report, data, record), root);
    const { title, text } = verdictOf(report);
    mark(title, `audit-${standingOf(report)}`);
    announce(`${title}. ${text}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    render(unable(reason), root);
    mark("Not checked", "audit-unable");
  }
}

/** @param {string} title @param {string} standing */
function mark(title, standing) {
  const chip = /** @type {HTMLElement} */ (document.querySelector(".single-chip"));
  chip.textContent = title;
  chip.classList.add(standing);
}

/** @param {Report} report @param {any} data @param {ArrayBuffer} record */
function checked(report, data, record) {
  const commit = report.wrong?.commit ?? 0;
  const buttons = html`
    <p class="row">
      ${commit > 0 ? html`<a class="button" href="#${commit}">Look at that moment</a>` : nothing}
      <button type="button" @click=${() => handOut(data.match, record)}>
        Take the record out of this file
      </button>
    </p>`;
  return html`
    <div class="sheet">${verdict(report, buttons)}</div>
    ${findings(report)}
    ${report.wrong === null ? saidByMaker(data) : nothing}
    ${explained()}
    ${report.wrong === null ? exactly(report) : nothing}`;
}

/**
 * Say what the program that made the file has found, apart from what the browser has.
 * @param {any} data
 */
function saidByMaker(data) {
  return html`
    <section class="sheet audit-server">
      <h2>Said by whoever made this file, not by your browser</h2>
      ${
        data.decided > 0
          ? html`<p class="audit-said audit-said-good">
              ${data.decided} of ${counted(data.commits, "commit")} were played again when the file
              was made: each keeps the rules and has the draws of its seed.
            </p>`
          : html`<p class="audit-said">
              No commit could be played again when the file was made: the secrets that this needs
              were still sealed.
            </p>`
      }
      <p>
        The sentences of the story were told then, too, and what each seat saw was worked out. To see for yourself, take the record out of
        this file and play it again:
      </p>
      <p class="audit-command"><code>giornale verify ${data.match}.ndjson</code></p>
    </section>`;
}

/** @param {string} reason */
function unable(reason) {
  return html`
    <div class="sheet audit-verdict audit-unable">
      ${seal("unable")}
      <div>
        <h2 class="audit-title">Not checked</h2>
        <p>${reason}</p>
      </div>
    </div>`;
}
