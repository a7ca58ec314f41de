// The parts of the table page around the board, each drawn by itself.

import { html, nothing, render } from "../base/dom.js";
import { paths } from "../base/home.js";
import { tokens } from "../base/memory.js";
import { Later, problemBox } from "../base/page.js";
import { drawOwnSeat, drawTakeBack, standingOf } from "./actions.js";
import { isOver, isRevealed } from "./head.js";

/** @import { Template } from "../base/types.d.ts" */
/** @import { Ended } from "./ending.js" */
/** @import { Sitting } from "./sitting.js" */
/** @import { Around, Standing } from "./types.d.ts" */

export class Panes {
  /** @type {Ended | null} */
  #ended = null;

  /** @param {HTMLElement} root @param {() => void} changed called when more can be drawn */
  constructor(root, changed) {
    this.root = root;
    layOut(root);
    this.view = this.#pane("view");
    this.steps = this.#pane("pace");
    this.gathering = new Later(() => import("./gathering.js"), changed);
    this.managing = new Folded(() => import("./managing.js"), changed);
    this.ending = new Later(() => import("./ending.js"), changed);
    this.changed = changed;
  }

  /** @param {Template} head */
  drawHead(head) {
    render(head, this.#pane("head"));
  }

  /** @param {Around} around */
  draw(around) {
    const { match, problem } = around;
    this.root.classList.toggle("table-open", match.status === "open");
    render(problem ? problemBox(problem, match.game) : nothing, this.#pane("problem"));
    render(this.#top(around), this.#pane("top"));
    this.drawFoot(around);
  }

  /** @param {Around} around */
  #top(around) {
    const { match, seats, reader, actions } = around;
    if (isOver(match)) return this.#ending(around);
    if (match.status === "open") return this.gathering.module?.drawGathering(around) ?? nothing;
    return reader === null ? nothing : drawOwnSeat({ match, seats, reader, actions });
  }

  /** @param {Around} around */
  #ending(around) {
    const { module } = this.ending;
    if (module === null) return nothing;
    this.#ended ??= new module.Ended(this.changed);
    return this.#ended.draw(around);
  }

  /** @param {Around} around */
  drawFoot(around) {
    const isPlayed = around.match.status === "running";
    render(isPlayed ? this.#foot(around) : nothing, this.#pane("foot"));
  }

  /** @param {Around} around */
  #foot(around) {
    const { match, reader, actions } = around;
    const problem = actions.isOfSeat ? null : actions.problem;
    if (problem !== null) this.managing.isOpen = true;
    return this.managing.draw(
      "table-managing sheet",
      summary(match.match, reader),
      ({ drawManaging }) => html`
        ${problem ? problemBox(problem, match.game) : nothing} ${drawManaging(around)}`,
    );
  }

  /** @param {string} name @returns {HTMLElement} */
  #pane(name) {
    return /** @type {HTMLElement} */ (this.root.querySelector(`.table-${name}`));
  }
}

/** @param {string} match @param {number | null} reader */
function summary(match, reader) {
  if (tokens(match).owner) return "Links, stand-ins and an early end";
  return reader === null ? "Links" : "Links and resigning";
}

/** @param {HTMLElement} root */
function layOut(root) {
  const frame = html`
    <header class="table-head"></header>
    <div class="table-problem"></div>
    <div class="table-top"></div>
    <div class="table-pace"></div>
    <div class="table-view"></div>
    <div class="table-foot"></div>`;
  root.className = "table";
  render(frame, root);
}

// ---- beside the board -----------------------------------------------------------------------------

const MOST_STANDING = 200; // commits that may be taken back

// The parts beside the shown version: the way back to it, the settings of the table, and the analysis
// of a revealed match.
export class Beside {
  /** @type {Standing[]} */
  #standing = [];

  /** @param {Sitting} sitting */
  constructor(sitting) {
    const changed = () => sitting.viewer.draw();
    this.sitting = sitting;
    this.aside = new Later(() => this.#makeAside(), changed);
    this.since = new Later(() => this.#makeSince(), changed);
    this.settings = new Folded(() => import("./settings.js"), changed);
  }

  /** @param {number} version */
  draw(version) {
    const { match, seats, reader, viewer } = this.sitting;
    if (isRevealed(match)) return this.aside.module?.draw(version, seats) ?? nothing;
    if (match.status !== "running") return nothing;
    const settings = this.settings.draw("table-settings sheet", "Pace and calls", (module) =>
      module.drawSettings(reader !== null, () => viewer.draw()),
    );
    return html`${this.#drawTakeBack(version)} ${settings}`;
  }

  /** @param {number} version */
  #drawTakeBack(version) {
    const { match, seats, reader, actions, viewer } = this.sitting;
    const { last, isBehind } = viewer.position;
    if (reader === null || isBehind) return nothing;
    return drawTakeBack({ match, seats, reader, actions }, this.#standing, { version, last });
  }

  // Read the commits that can be taken back, if the reader may ask for it.
  async readStanding() {
    const { match, parts, reader } = this.sitting;
    const { api, signal } = parts;
    const takeBack = match.take_back;
    if (reader === null || !takeBack) return;
    const query = { after: takeBack.earliest, limit: MOST_STANDING };
    const { value } = await api.get(paths.match(match.match, "commits"), { query, signal });
    this.#standing = [{ version: takeBack.earliest, mover: null }, ...standingOf(value.commits)];
  }

  async #makeAside() {
    const { api, match, board, eyes, look } = this.sitting.parts;
    const { Aside } = await import("./aside.js");
    const { viewer, reader } = this.sitting;
    return new Aside({
      api,
      match: match.match,
      board,
      frameAt: (version) => viewer.frames.load(version),
      present: () => viewer.frames.load(viewer.position.last),
      last: () => viewer.position.last,
      frame: (version) => viewer.frames.get(version),
      eyes,
      reader,
      look,
      open: (version) => viewer.show(version, "jump"),
      changed: () => viewer.draw(),
    });
  }

  async #makeSince() {
    const { Since } = await import("./since.js");
    const { viewer, reader, parts, panes } = this.sitting;
    return new Since({ viewer, reader, pane: panes.steps, signal: parts.signal });
  }
}

// A folded part of the page, loaded when it is first opened.
/** @template Module */
class Folded {
  isOpen = false;

  #later;
  #changed;

  /** @param {() => Promise<Module>} load @param {() => void} changed called when it is to be drawn */
  constructor(load, changed) {
    this.#later = new Later(load, changed);
    this.#changed = changed;
  }

  /** @param {string} classes @param {string} summary @param {(module: Module) => Template} body */
  draw(classes, summary, body) {
    /** @param {Event} event */
    const onToggle = ({ target }) => {
      this.isOpen = /** @type {HTMLDetailsElement} */ (target).open;
      this.#changed();
    };
    const module = this.isOpen ? this.#later.module : null;
    return html`<details class=${classes} ?open=${this.isOpen} @toggle=${onToggle}>
      <summary>${summary}</summary>
      ${module ? body(module) : nothing}
    </details>`;
  }
}
