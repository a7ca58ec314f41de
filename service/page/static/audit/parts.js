// The parts of the audit: drawn alike by the audit page and by the file that holds a whole match.

import { html, nothing } from "../base/dom.js";
import { findingsOf, notesOf, standingOf, unknownsOf, verdictOf } from "./findings.js";
import { seal } from "./seal.js";

/** @import { Template } from "../base/types.d.ts" */
/** @import { Report } from "../verify/types.d.ts" */

/** @param {Report} report @param {Template | string} [more] */
export function verdict(report, more = "") {
  const { title, text } = verdictOf(report);
  const standing = standingOf(report);
  return html`
    <div class="audit-verdict audit-${standing}">
      ${seal(standing)}
      <div>
        <h2 class="audit-title">${title}</h2>
        <p>${text}</p>
        ${more}
      </div>
    </div>`;
}

/** @param {string} what @param {number} done @param {number} of */
export function working(what, done, of) {
  const share = of > 0 ? done / of : 0;
  const bar =
    of > 0
      ? html`<progress class="audit-progress" max=${of} value=${done} aria-label="Checked"></progress>`
      : html`<progress class="audit-progress" aria-label="Fetching"></progress>`;
  return html`
    <div class="audit-verdict audit-working">
      ${seal("working", share)}
      <div>
        <h2 class="audit-title">Checking</h2>
        <p>${what}</p>
        ${bar}
        ${of > 0 ? html`<p class="muted numbers">${done} of ${of} commits</p>` : nothing}
      </div>
    </div>`;
}

/** @param {Report} report */
export function findings(report) {
  if (report.wrong !== null) return nothing;
  const found = findingsOf(report).map(
    ({ title, text }) => html`<li class="audit-right"><strong>${title}.</strong> ${text}</li>`,
  );
  return html`
    <section class="sheet audit-findings">
      <h2>What your browser has checked</h2>
      <ul class="audit-list">${found}</ul>
      ${leftOpen("What cannot be known yet", unknownsOf(report))}
      ${leftOpen("What no check can tell", notesOf(report))}
    </section>`;
}

/** @param {string} title @param {string[]} sentences */
function leftOpen(title, sentences) {
  if (sentences.length === 0) return nothing;
  const lines = sentences.map((text) => html`<li class="audit-unknown">${text}</li>`);
  return html`<h3>${title}</h3><ul class="audit-list">${lines}</ul>`;
}

/** @param {Report} report */
export function exactly(report) {
  const seeds = report.seeds.map(
    (seed, index) => html`<tr><td>${index + 1}</td><td><code>${seed}</code></td></tr>`,
  );
  return html`
    <details class="audit-exactly">
      <summary>The exact figures</summary>
      <dl class="audit-figures">
        <dt>Match</dt>
        <dd><code>${report.match}</code></dd>
        <dt>Rules</dt>
        <dd><code>${report.rules}</code></dd>
        <dt>Fingerprint of the whole history (SHA-256 of the last commit)</dt>
        <dd><code>${report.hash}</code></dd>
      </dl>
      ${seeds.length > 0 ? seedTable(seeds) : nothing}
    </details>`;
}

/** @param {Template[]} rows */
function seedTable(rows) {
  return html`
    <details>
      <summary>The seed of the draws of each commit</summary>
      <p>
        Calculated in your browser from the match's secret, the commit's number and what the players
        gave to chance. With it anybody can draw the same again.
      </p>
      <div class="audit-seeds" tabindex="0" role="region" aria-label="Seeds">
        <table>
          <thead><tr><th scope="col">Commit</th><th scope="col">Seed</th></tr></thead>
          <tbody>${rows}</tbody>
        </table>
      </div>
    </details>`;
}

export function explained() {
  return html`
    <section class="sheet audit-explained">
      <h2>What this means</h2>
      <details>
        <summary>How can a browser prove anything?</summary>
        <p>
          A match is a list of commits: everything that happened, in order. Each commit has a
          fingerprint, a number that no other text has. Each also holds the fingerprint of the
          commit before it. Change one letter anywhere, and every later fingerprint is another. Your
          browser has calculated all of them anew.
        </p>
      </details>
      <details>
        <summary>Could the server have chosen the dice, cards or draws?</summary>
        <p>
          All draws follow from one secret and from what the players added when they took their
          seats. Before anybody moves, the server publishes the fingerprint of its secret. So it
          cannot take another secret later. When the match is over, the secret is shown to all.
        </p>
      </details>
      <details>
        <summary>What does it not prove?</summary>
        <p>
          No record can prove that the server showed hidden cards to nobody. And once a match is over
          its secret is known, so somebody could write another history that fits together just as
          well. Your receipts protect you: each answer to a move holds one, signed by the server.
          Keep the one of your last move. If the record is another, the receipt shows it.
        </p>
      </details>
    </section>`;
}
