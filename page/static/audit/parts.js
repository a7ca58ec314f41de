// Parts of the audit page. The file of a whole match uses them, too.

import { html, nothing, saveFile } from "../base/dom.js";
import { counted } from "../base/words.js";
import { seal } from "./seal.js";
import { signerFindings, togetherFindings } from "./signers.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Finding, Standing } from "./types.d.ts" */
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
        ${of > 0 ? html`<p class="muted numbers">${done} of ${of} entries</p>` : nothing}
      </div>
    </div>`;
}

/** @param {string} reason @param {Template | string} [more] */
export function unable(reason, more = "") {
  return html`
    <div class="audit-verdict audit-unable">
      ${seal("unable")}
      <div>
        <h2 class="audit-title">Not checked</h2>
        <p>${reason}</p>
        ${more}
      </div>
    </div>`;
}

// Draw the findings about a record and its signers, and further ones, unless the record is wrong.
/** @param {Report} report @param {Match["seats"]} seats @param {Finding[]} [beside] */
export function findings(report, seats, beside = []) {
  if (report.wrong !== null) return nothing;
  const all = [...findingsOf(report), ...signerFindings(report, seats), ...beside];
  const found = all.map(
    ({ kind, title, text, more = nothing }) =>
      html`<li class="audit-${kind}"><strong>${title}.</strong> ${text} ${more}</li>`,
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
        <dt>Fingerprint of the whole history (SHA-256 of the last entry)</dt>
        <dd><code>${report.hash}</code></dd>
      </dl>
      ${seeds.length > 0 ? seedTable(seeds) : nothing}
    </details>`;
}

/** @param {Template[]} rows */
function seedTable(rows) {
  return html`
    <details>
      <summary>The seed of the draws of each entry</summary>
      <p>
        Calculated in your browser from the match's secret, the number of moves before the entry
        (in older matches, the commit's own number) and the players' own bytes. With it
        anybody can draw the same again.
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
          A match is a list of entries: everything that happened, in order. Each entry has a
          fingerprint, a number that no other text has. Each also holds the fingerprint of the
          entry before it. Change one letter anywhere, and every later fingerprint is another. Your
          browser has calculated all of them anew.
        </p>
      </details>
      <details>
        <summary>Could the server have chosen the dice, cards or draws?</summary>
        <p>
          All draws follow from one secret and from the players' own bytes, given when they took their
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

// ---- the findings of an audit, in words for people who are no cryptographers --------------------

/** @param {Report} report @returns {Standing} */
export function standingOf(report) {
  if (report.verdict === "wrong") return "broken";
  return report.verdict === "right" ? "proven" : "so_far";
}

/** @param {Report} report */
export function verdictOf(report) {
  const { wrong, counts } = report;
  if (wrong !== null) return { title: brokenTitle(wrong.commit), text: sentence(wrong.detail) };
  if (report.verdict === "right") {
    return {
      title: "Proven",
      text: `This is the match as it was written down, ${counted(counts.commits, "entry", "entries")} long. Nothing in it was changed afterwards.`,
    };
  }
  if (!report.ended) {
    return {
      title: "Right so far",
      text: "Nothing is wrong. The match is not over, so some of it is still sealed and cannot be checked by anybody yet.",
    };
  }
  return {
    title: "Right as far as checked",
    text: "Nothing is wrong, but not all could be checked.",
  };
}

/** @param {Report} report @returns {Finding[]} */
function findingsOf(report) {
  const found = [chainFinding(report), commitmentFinding(report), ...partFindings(report)];
  found.push(...togetherFindings(report));
  if (report.base?.compared) found.push(baseFinding(report.base));
  const { receipts, vouched, views, commits } = report.counts;
  if (views > 0) {
    found.push(
      right(
        "The table shows what happened",
        `The table that is shown at ${views === commits ? "each" : views} of ${counted(commits, "moment")} is the one that its entry was sealed with.`,
      ),
    );
  }
  if (receipts > 0) {
    found.push(
      right(
        "The server has signed for it",
        `${counted(receipts, "receipt")} with a right signature, up to entry ${vouched}: the server cannot deny that history any more.`,
      ),
    );
  }
  return found;
}

/** @param {Report} report */
function unknownsOf(report) {
  return report.unchecked.map(sentence);
}

/** @param {Report} report */
function notesOf(report) {
  return report.notes.map(sentence);
}

/** @param {Report} report @returns {Finding} */
function chainFinding({ counts }) {
  return right(
    "Nothing was changed, left out, added or moved",
    `Each of ${counted(counts.commits, "entry", "entries")} fits its own fingerprint and names the fingerprint of the one before it, back to the opening. Times never run back.`,
  );
}

/** @param {Report} report @returns {Finding} */
function commitmentFinding({ ended, bound }) {
  const binding = bound ? " It is bound to this match alone." : "";
  if (!ended) {
    return right(
      "The server has tied its hands",
      `It published a fingerprint of its secret in the first entry, so it can choose no other secret later.${binding}`,
    );
  }
  return right(
    "The server's secret stood from the first entry on",
    `The secret behind all draws fits the fingerprint that was published before anybody moved. So it was not chosen to suit the play.${binding}`,
  );
}

/** @param {{ match: string, version: number }} base @returns {Finding} */
function baseFinding({ match, version }) {
  return right(
    "It goes on from the match that it names",
    `This is a fork. Entry ${version} of match ${match} has the fingerprint in the first entry, and the public saw the same table then. The hidden parts can be checked only by playing that match again.`,
  );
}

// Return the findings about hands and the like: the sealed parts beside the match's own secret.
/** @param {Report} report @returns {Finding[]} */
function partFindings({ counts, ended }) {
  const hidden = counts.sealed - 1;
  const opened = ended ? hidden : counts.opened;
  if (opened === 0) return [];

  const which = opened === hidden ? "Each" : `${opened}`;
  const salts = ended
    ? " The salts, which make the seals hard to guess, follow from the match's secret."
    : "";
  return [
    right(
      "No hidden thing was exchanged",
      `${which} of ${counted(hidden, "sealed secret")}, such as hands, is the very one that was sealed when it came into play.${salts}`,
    ),
  ];
}

/** @param {number} commit */
function brokenTitle(commit) {
  return commit > 0 ? `Broken at entry ${commit}` : "Broken";
}

/** @param {string} title @param {string} text @returns {Finding} */
function right(title, text) {
  return { kind: "right", title, text };
}

/** @param {string} text */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

// ---- a record as a file for the reader ----------------------------------------------------------

const MEDIA_TYPE = "application/x-ndjson";

/** @param {string} match @param {ArrayBuffer} record */
export function handOut(match, record) {
  saveFile(new Blob([record], { type: MEDIA_TYPE }), `${match}.ndjson`);
}
