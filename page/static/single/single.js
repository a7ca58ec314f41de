// A whole match in one file: the viewer and the check of the file's own data.

import {
  exactly,
  explained,
  findings,
  handOut,
  standingOf,
  unable,
  verdict,
  verdictOf,
  working,
} from "../audit/parts.js";
import { announce } from "../base/announce.js";
import { fieldOf, html, nothing, render } from "../base/dom.js";
import { counted, listed, moment, seatNames, straightLines } from "../base/words.js";
import { drawSheet, eventsThatStand, sheetOf } from "../boards/sheet.js";
import { drawCurve } from "../replay/curve.js";
import { Viewer } from "../replay/viewer.js";
import { verifyRecord } from "../verify/record.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Board, Seat } from "../boards/types.d.ts" */
/** @import { Frame, Line } from "../replay/types.d.ts" */
/** @import { SingleMatch } from "./types.d.ts" */
/** @import { Template } from "../base/types.d.ts" */
/** @import { Progress, Report } from "../verify/types.d.ts" */

const HASH = /^#([0-9]{1,9})$/;

/** @param {Board} board */
export async function open(board) {
  const data = await unpackedJson("single-match");
  const record = await unpacked("single-record");
  let shown = new AbortController();

  /** @param {number | null} reader */
  const show = (reader) => {
    shown.abort();
    shown = new AbortController();
    return showMatch({ table, board, data, reader, shown: atVersion, signal: shown.signal });
  };

  const { table, sheet, audit } = layOut(data, show);
  const scores = scoreSheet(data, record);
  const atVersion = (/** @type {number} */ version) => {
    render(version === data.commits ? scores : nothing, sheet);
  };
  await show(null);
  await check(audit, data, record);
}

/** @param {SingleMatch} data @param {(reader: number | null) => void} show */
function layOut(data, show) {
  const main = /** @type {HTMLElement} */ (document.querySelector("#page"));
  main.replaceChildren();
  const missing = data.commits - data.frames.length;
  const names = seatNames(data.seats).map(({ name }) => name);
  render(
    html`
      <header class="single-head">
        <h1>${data.title}</h1>
        <p>
          ${listed(names)}, ${moment(data.frames[0]?.time ?? "")}
          <a class="single-chip" href="#single-audit">Checking</a>
        </p>
        <p class="muted">A whole match in one file: nothing is loaded from anywhere.</p>
        ${data.seat_states.length > 0 ? readerChoice(names, show) : nothing}
      </header>
      ${
        missing > 0
          ? html`<p class="box" role="status">
              The last ${counted(missing, "entry", "entries")} cannot be shown: the secrets that they need
              are still sealed.
            </p>`
          : nothing
      }
      <h2 class="unseen">The match</h2>
      <div id="single-table"></div>
      <div id="single-sheet"></div>
      <div id="single-audit" class="audit" tabindex="-1"></div>`,
    main,
  );
  return {
    table: /** @type {HTMLElement} */ (main.querySelector("#single-table")),
    sheet: /** @type {HTMLElement} */ (main.querySelector("#single-sheet")),
    audit: /** @type {HTMLElement} */ (main.querySelector("#single-audit")),
  };
}

// Draw the choice of the viewing seat. All hands are open once the match is over.
/** @param {string[]} names @param {(reader: number | null) => void} show */
function readerChoice(names, show) {
  /** @param {Event} event */
  function chosen(event) {
    const { value } = fieldOf(event);
    show(value === "" ? null : Number(value));
  }

  const seats = names.map((name, seat) => html`<option value=${seat}>${name}</option>`);
  return html`
    <label class="row single-reader">
      Seen by
      <select @change=${chosen}>
        <option value="">everybody</option>
        ${seats}
      </select>
    </label>`;
}

/**
 * @param {{ table: HTMLElement, board: Board, data: SingleMatch, reader: number | null,
 *   shown: (version: number) => void, signal: AbortSignal }} parts
 */
async function showMatch({ table, board, data, reader, shown, signal }) {
  const root = document.createElement("div");
  table.replaceChildren(root);
  const frames = data.frames.map((frame, index) => {
    return reader === null ? frame : { ...frame, state: data.seat_states[reader]?.[index] ?? null };
  });
  const source = new EmbeddedSource(data.seats, frames, data.lines);
  const seats = await source.seats();
  const last = source.lastVersion;
  const open = (/** @type {number} */ version) => viewer.show(version, "jump");
  const viewer = new Viewer({
    root,
    source,
    board,
    seats,
    reader,
    isOver: true,
    aside: (version) => {
      return data.curve ? drawCurve(data.curve, seats, { version, last, open }) : nothing;
    },
    versionAddress: (version) => `#${version}`,
    ruleAddress: () => null,
    moved: (version) => history.replaceState(null, "", `#${version}`),
    shown: ({ version }) => shown(version),
    failed: (problem) => announce(String(problem)),
    signal,
  });

  const visited = () => {
    const version = versionOf(window.location.hash);
    if (version !== null) viewer.revisit(version);
  };
  window.addEventListener("hashchange", visited, { signal });
  await viewer.start(versionOf(window.location.hash) ?? 1);
}

/** @param {string} hash */
function versionOf(hash) {
  const found = HASH.exec(hash);
  return found === null ? null : Number(found[1]);
}

// Return the score sheet of a match that has ended, from the events of the record.
/** @param {SingleMatch} data @param {ArrayBuffer} record @returns {Template | typeof nothing} */
function scoreSheet({ frames, seats }, record) {
  const { players = [] } = /** @type {{ players?: { points?: number }[] }} */ (
    frames.at(-1)?.state ?? {}
  );
  const totals = players.map(({ points = 0 }) => points);
  const lines = new TextDecoder().decode(record).split("\n");
  const commits = lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line).data.commit]));
  const parts = sheetOf(eventsThatStand(commits), totals);
  if (frames.at(-1)?.status !== "ended" || parts.length === 0) return nothing;
  return html`<section class="sheet">${drawSheet(parts, totals, seatNames(seats))}</section>`;
}

// ---- the check of the file's own record and states ----------------------------------------------

// Check the record and the shown states, here on the page: a file from a disk has no workers.
/** @param {HTMLElement} root @param {SingleMatch} data @param {ArrayBuffer} record */
async function check(root, data, record) {
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
    render(html`<div class="sheet">${unable(reason)}</div>`, root);
    mark("Not checked", "audit-unable");
  }
}

/** @param {string} title @param {string} standing */
function mark(title, standing) {
  const chip = /** @type {HTMLElement} */ (document.querySelector(".single-chip"));
  chip.textContent = title;
  chip.classList.add(standing);
}

/** @param {Report} report @param {SingleMatch} data @param {ArrayBuffer} record */
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
    ${findings(report, data.seats)}
    ${report.wrong === null ? saidByMaker(data) : nothing}
    ${explained()}
    ${report.wrong === null ? exactly(report) : nothing}`;
}

// Draw the findings of the program that made the file, apart from those of the browser.
/** @param {SingleMatch} data */
function saidByMaker(data) {
  return html`
    <section class="sheet audit-server">
      <h2>Said by the maker of this file, not by your browser</h2>
      ${
        data.decided > 0
          ? html`<p class="audit-said audit-said-good">
              ${data.decided} of ${counted(data.commits, "entry", "entries")} were played again when the file
              was made: each keeps the rules and has the draws of its seed.
            </p>`
          : html`<p class="audit-said">
              No entry could be played again when the file was made: the secrets that this needs
              were still sealed.
            </p>`
      }
      <p>
        The sentences of the story and the views of the seats were made then, too. To see for yourself, take the record out of
        this file and play it again:
      </p>
      <p class="audit-command"><code>giornale verify ${data.match}.ndjson</code></p>
    </section>`;
}

// ---- the packed data of the file ----------------------------------------------------------------

/** @param {string} id @returns {Promise<ArrayBuffer>} */
async function unpacked(id) {
  const text = document.getElementById(id)?.textContent ?? "";
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** @param {string} id @returns {Promise<SingleMatch>} */
async function unpackedJson(id) {
  return JSON.parse(new TextDecoder().decode(await unpacked(id)));
}

// ---- the match in the file ----------------------------------------------------------------------

class EmbeddedSource {
  /** @param {Match["seats"]} seats @param {Frame[]} frames @param {Line[]} lines */
  constructor(seats, frames, lines) {
    this.given = seats;
    this.frames = frames;
    this.lines = lines;
    this.lastVersion = frames.length;
  }

  /** @returns {Promise<Seat[]>} */
  async seats() {
    return seatNames(this.given);
  }

  /** @param {number} after @param {number} limit @returns {Promise<Frame[]>} */
  async states(after, limit) {
    return this.frames.slice(after, after + limit);
  }

  /** @param {number} after @param {number} limit @returns {Promise<Line[]>} */
  async story(after, limit) {
    return straightLines(this.lines.slice(after, after + limit));
  }
}
