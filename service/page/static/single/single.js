/** A whole match in one file: the viewer over what is in the file, and the check of it. */

import { announce } from "../base/announce.js";
import { html, nothing, render } from "../base/dom.js";
import { seatNames } from "../base/names.js";
import { counted, listed, moment } from "../base/words.js";
import { EmbeddedSource } from "../replay/embedded_source.js";
import { Viewer } from "../replay/viewer.js";
import { check } from "./checking.js";
import { unpacked, unpackedJson } from "./unpacking.js";

/** @typedef {import("../boards/board.js").Board} Board */

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
