// The parts of the table page around the board, each drawn by itself.

import { html, nothing, render } from "../base/dom.js";
import { tokens } from "../base/memory.js";
import { Later, problemBox } from "../base/page.js";
import { drawOwnSeat } from "./actions.js";
import { isOver } from "./head.js";

/** @import { Template } from "../base/types.d.ts" */
/** @import { Ended } from "./ending.js" */
/** @import { Around } from "./types.d.ts" */

export class Panes {
  #isManaging = false;

  /** @type {Ended | null} */
  #ended = null;

  /** @param {HTMLElement} root @param {() => void} changed called when more can be drawn */
  constructor(root, changed) {
    this.root = root;
    this.view = layOut(root);
    this.gathering = new Later(() => import("./gathering.js"), changed);
    this.managing = new Later(() => import("./managing.js"), changed);
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

  // Draw links, stand-ins and the rest, which are loaded when they are first looked at.
  /** @param {Around} around */
  #foot(around) {
    const { match, reader, actions } = around;
    const problem = actions.isOfSeat ? null : actions.problem;
    const isOpen = this.#isManaging || problem !== null;
    /** @param {Event} event */
    const onToggle = ({ target }) => {
      this.#isManaging = /** @type {HTMLDetailsElement} */ (target).open;
      this.changed();
    };

    return html`<details class="table-managing sheet" ?open=${isOpen} @toggle=${onToggle}>
      <summary>${summary(match.id, reader)}</summary>
      ${problem ? problemBox(problem, match.game) : nothing}
      ${isOpen ? (this.managing.module?.drawManaging(around) ?? nothing) : nothing}
    </details>`;
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

/** @param {HTMLElement} root @returns {HTMLElement} where the board and its replay are drawn */
function layOut(root) {
  const frame = html`
    <header class="table-head"></header>
    <div class="table-problem"></div>
    <div class="table-top"></div>
    <div class="table-view"></div>
    <div class="table-foot"></div>`;
  root.className = "table";
  render(frame, root);
  return /** @type {HTMLElement} */ (root.querySelector(".table-view"));
}
