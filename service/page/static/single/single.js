/** A whole match in one file: the viewer over what is in the file, and the check of it. */

import { standingOf, verdictOf } from "../audit/findings.js";
import { exactly, explained, findings, verdict, working } from "../audit/parts.js";
import { seal } from "../audit/seal.js";
import { announce } from "../base/announce.js";
import { html, nothing, render } from "../base/dom.js";
import { seatNames } from "../base/names.js";
import { counted, listed, moment } from "../base/words.js";
import { EmbeddedSource } from "../replay/embedded_source.js";
import { Viewer } from "../replay/viewer.js";
import { verifyRecord } from "../verify/record.js";
import { unpacked, unpackedJson } from "./unpacking.js";

/** @typedef {import("../base/dom.js").Template} Template */
/** @typedef {import("../boards/board.js").Board} Board */
/** @typedef {import("../verify/record.js").Report} Report */

const HASH = /^#([0-9]{1,9})$/;

/**
 * Show the match of this file, and check it meanwhile.
 *
 * @param {Board} board
 * @returns {Promise<void>}
 */
export async function open(board) {
  const data = await unpackedJson("single-match");
  const record = await unpacked("single-record");
  const { table, audit } = layOut(data);

  await showMatch(table, board, data);
  await check(audit, data, record);
}

/** @param {any} data */
function layOut(data) {
  const main = /** @type {HTMLElement} */ (document.querySelector("#page"));
  main.replaceChildren();
  const missing = data.commits - data.frames.length;
  const players = listed(seatNames(data.seats).map(({ name }) => name));
  render(
    html`
      <header class="single-head">
        <h1>${data.title}</h1>
        <p>
          ${players}, ${moment(data.frames[0].time)}
          <a class="single-chip" href="#single-audit">Checking</a>
        </p>
        <p class="muted">A whole match in one file: nothing is loaded from anywhere.</p>
      </header>
      ${
        missing > 0
          ? html`<p class="box" role="status">
              The last ${counted(missing, "commit")} cannot be shown: the secrets that they need
              are still sealed.
            </p>`
          : nothing
      }
      <div id="single-table"></div>
      <div id="single-audit" class="audit" tabindex="-1"></div>`,
    main,
  );
  return {
    table: /** @type {HTMLElement} */ (main.querySelector("#single-table")),
    audit: /** @type {HTMLElement} */ (main.querySelector("#single-audit")),
  };
}

/**
 * @param {HTMLElement} root
 * @param {Board} board
 * @param {any} data
 */
async function showMatch(root, board, data) {
  const source = new EmbeddedSource(data.seats, data.frames, data.lines);
  const viewer = new Viewer({
    root,
    source,
    board,
    seats: await source.seats(),
    reader: null,
    isOver: true,
    versionAddress: (version) => `#${version}`,
    ruleAddress: () => null,
    moved: (version) => history.replaceState(null, "", `#${version}`),
    failed: (problem) => announce(String(problem)),
    signal: new AbortController().signal,
  });

  window.addEventListener("hashchange", () => {
    const version = versionOf(window.location.hash);
    if (version !== null) viewer.revisit(version);
  });
  await viewer.start(versionOf(window.location.hash) ?? 1);
}

/** @param {string} hash */
function versionOf(hash) {
  const found = HASH.exec(hash);
  return found === null ? null : Number(found[1]);
}

/**
 * Check the record and what is shown, here on the page: a file from a disk has no workers.
 *
 * @param {HTMLElement} root
 * @param {any} data
 * @param {ArrayBuffer} record
 */
async function check(root, data, record) {
  const beside = { shown: data.frames, viewVersion: data.view_version };
  /** @type {import("../verify/chain.js").Progress} */
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

/**
 * Let the head of the page say what was found.
 *
 * @param {string} title
 * @param {string} standing a class
 */
function mark(title, standing) {
  const chip = /** @type {HTMLElement} */ (document.querySelector(".single-chip"));
  chip.textContent = title;
  chip.classList.add(standing);
}

/**
 * @param {Report} report
 * @param {any} data
 * @param {ArrayBuffer} record
 * @returns {Template}
 */
function checked(report, data, record) {
  const commit = report.wrong?.commit ?? 0;
  const buttons = html`
    <p class="row">
      ${commit > 0 ? html`<a class="button" href="#${commit}">Look at that moment</a>` : nothing}
      <button type="button" @click=${() => download(data.match, record)}>
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
 *
 * @param {any} data
 * @returns {Template}
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
        The sentences of the story were told then, too. To see for yourself, take the record out of
        this file and play it again:
      </p>
      <p class="audit-command"><code>giornale verify ${data.match}.ndjson</code></p>
    </section>`;
}

/** @param {string} reason @returns {Template} */
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

/**
 * @param {string} match
 * @param {ArrayBuffer} record
 */
function download(match, record) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([record], { type: "application/x-ndjson" }));
  link.download = `${match}.ndjson`;
  link.click();
  URL.revokeObjectURL(link.href);
}
