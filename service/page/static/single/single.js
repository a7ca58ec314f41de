// A whole match in one file: the viewer over what is in the file, and the check of it.

import { announce } from "../base/announce.js";
import { html, nothing, render } from "../base/dom.js";
import { seatNames } from "../base/names.js";
import { counted, listed, moment } from "../base/words.js";
import { EmbeddedSource } from "../replay/embedded_source.js";
import { Viewer } from "../replay/viewer.js";
import { check } from "./checking.js";
import { unpacked, unpackedJson } from "./unpacking.js";

/** @import { Board } from "../boards/types.d.ts" */

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
    return showMatch(table, board, data, reader, shown.signal);
  };

  const { table, audit } = layOut(data, show);
  await show(null);
  await check(audit, data, record);
}

/** @param {any} data @param {(reader: number | null) => void} show */
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
          ${listed(names)}, ${moment(data.frames[0].time)}
          <a class="single-chip" href="#single-audit">Checking</a>
        </p>
        <p class="muted">A whole match in one file: nothing is loaded from anywhere.</p>
        ${data.seat_states.length > 0 ? readerChoice(names, show) : nothing}
      </header>
      ${
        missing > 0
          ? html`<p class="box" role="status">
              The last ${counted(missing, "commit")} cannot be shown: the secrets that they need
              are still sealed.
            </p>`
          : nothing
      }
      <h2 class="unseen">The match</h2>
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
 * Draw the choice with whose eyes to look. All hands are open once the match is over.
 * @param {string[]} names @param {(reader: number | null) => void} show
 */
function readerChoice(names, show) {
  /** @param {Event} event */
  function chosen(event) {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
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
 * @param {HTMLElement} table @param {Board} board @param {any} data @param {number | null} reader
 * @param {AbortSignal} signal
 */
async function showMatch(table, board, data, reader, signal) {
  const root = document.createElement("div");
  table.replaceChildren(root);
  const frames = data.frames.map((/** @type {any} */ frame, /** @type {number} */ index) => {
    return reader === null ? frame : { ...frame, state: data.seat_states[reader][index] };
  });
  const source = new EmbeddedSource(data.seats, frames, data.lines);
  const viewer = new Viewer({
    root,
    source,
    board,
    seats: await source.seats(),
    reader,
    isOver: true,
    versionAddress: (version) => `#${version}`,
    ruleAddress: () => null,
    moved: (version) => history.replaceState(null, "", `#${version}`),
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
