// The events since the reader's last move: others' moves are shown step by step, at a pace that eyes
// can follow, before the present. Enter, Escape, a digit, or a click outside ELSEWHERE shows the
// present at once.

import { html, nothing, render } from "../base/dom.js";
import { HOME } from "../base/home.js";
import { read, write } from "../base/storage.js";
import { FIELDS } from "../play/choices.js";
import { isMove } from "./actions.js";

/** @import { SinceParts } from "./types.d.ts" */

const PACED = `giornale${HOME}/paced`; // "yes": others' moves are shown step by step

// In milliseconds.
const STEP = 700; // for each step
const SHORTEST = 100; // for each of many steps
const LONGEST = 8000; // for all of them, at most
const BRIEF = 2000; // for all of them, soon after the tab was hidden
const BACK = 10_000; // so long after the tab is shown again, BRIEF is the limit
const FLIGHT = 450; // from a seat to its change

const STILL = window.matchMedia("(prefers-reduced-motion: reduce)");

// A press here has its own use: it does not ask for the present.
const ELSEWHERE = ".replay-controls, .replay-aside, .story, .table-foot, dialog, a";

// The places on the table, not before a player.
const LYING = /^(?!mat|player)[a-z_]+:/;
const MOST_FLIGHTS = 3;

export class Since {
  #isOn = false;
  #pause = STEP;

  /** The time of the first display of the shown version. */
  #shownAt = Number.NEGATIVE_INFINITY;

  /** The time of the tab's last return. */
  #backAt = Number.NEGATIVE_INFINITY;

  /** The version before the steps. */
  #start = 0;

  /** The last version that was requested, to compare the present with it. */
  #asked = 0;

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {SinceParts} parts */
  constructor(parts) {
    this.parts = parts;
    const { signal } = parts;
    const first = { signal, capture: true };
    window.addEventListener("click", (event) => this.#onClick(event), first);
    window.addEventListener("keydown", (event) => this.#onKey(event), first);
    document.addEventListener("visibilitychange", () => this.#onShown(), { signal });
    signal.addEventListener("abort", () => this.#stop());
  }

  // Return the version of the reader's last move, if others have moved since.
  version() {
    const { viewer, reader } = this.parts;
    const { lines, gone } = viewer.told;
    const own = lines.findLast(({ version, actor, command }) => {
      return actor === `seat:${reader}` && isMove(command) && !gone.has(version);
    });
    if (!own || viewer.isOver || own.version >= viewer.position.last) return null;
    this.#load(own.version);
    return own.version;
  }

  // Show new versions step by step, if others have moved. The shown version stays long enough, too.
  // The reader's own move comes at once.
  /** @param {number} seen the shown version at the arrival */
  arrived(seen) {
    const { viewer } = this.parts;
    const { last } = viewer.position;
    const time = performance.now() - this.#backAt < BACK ? BRIEF : LONGEST;
    let first = Math.max(seen, last - time / SHORTEST);
    while (first < last && this.#isOwn(first + 1)) first += 1;
    if (first > seen) this.#shownAt = performance.now();
    if (document.hidden || !isPaced() || first === last) {
      this.#stop();
      return;
    }

    this.#pause = Math.max(SHORTEST, Math.min(STEP, time / (last - first)));
    this.#begin(first, this.#shownAt + this.#pause - performance.now());
  }

  // Repeat the events since the reader's last move.
  again() {
    const since = this.version();
    if (since === null) return;
    const { viewer } = this.parts;
    viewer.show(viewer.position.last, "jump");
    this.#stop();
    this.#pause = STEP;
    this.#begin(since, STEP);
  }

  // Show the present at once.
  skip() {
    const { viewer } = this.parts;
    this.#stop();
    if (viewer.position.isBehind) viewer.pass(viewer.position.last);
  }

  /** @param {number} first the version to begin with @param {number} wait milliseconds */
  #begin(first, wait) {
    this.parts.viewer.pass(first);
    if (!this.#isOn) this.#start = first;
    this.#isOn = true;
    if (wait <= 0) this.#step();
    else this.#wait(wait);
  }

  /** @param {number} pause */
  #wait(pause) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#step(), pause);
    this.#drawBar();
  }

  #step() {
    const { viewer } = this.parts;
    const { position } = viewer;
    if (position.isBehind) {
      viewer.pass(position.version + 1);
      this.#fly(position.version);
    }
    this.#shownAt = performance.now();
    if (position.isBehind) this.#wait(this.#pause);
    else this.#stop();
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#isOn = false;
    this.#drawBar();
  }

  // Load the version to compare the present with, if the page was opened after it.
  /** @param {number} version */
  async #load(version) {
    const { viewer } = this.parts;
    if (this.#asked === version || viewer.frames.get(version)) return;
    this.#asked = version;
    try {
      await viewer.frames.first(version);
      viewer.draw();
    } catch {
      // Without it less is outlined.
    }
  }

  /** @param {number} version */
  #isOwn(version) {
    const { reader } = this.parts;
    return reader !== null && this.#mover(version) === reader;
  }

  // Return the seat of a version's move: the only seat that was awaited. null: unknown.
  /** @param {number} version */
  #mover(version) {
    const { house, seats = [] } = this.parts.viewer.frames.get(version - 1)?.waiting_for ?? {};
    return !house && seats.length === 1 ? (seats[0] ?? null) : null;
  }

  // Let the mark of a version's seat fly to the changes, once they are drawn.
  /** @param {number} version */
  #fly(version) {
    const mover = this.#mover(version);
    const mark = document.querySelector(`.table-seat.seat-${mover} .table-mark`);
    if (mark === null || STILL.matches) return;
    requestAnimationFrame(() => {
      const changed = [...document.querySelectorAll(".replay-board .place.changed")];
      const lying = changed.filter((place) => LYING.test(place.getAttribute("data-place") ?? ""));
      for (const place of lying.slice(0, MOST_FLIGHTS)) fly(mark, place, `seat-${mover}`);
    });
  }

  #drawBar() {
    const { viewer, pane } = this.parts;
    const { version, last } = viewer.position;
    const bar = html`<p class="table-steps">
      <span>Others move: <span class="numbers">${version - this.#start} of ${last - this.#start}</span></span>
      <button type="button" @click=${() => this.skip()}>Skip</button>
    </p>`;
    const isShown = this.#isOn && viewer.position.isBehind;
    pane.dataset.step = version % 2 === 0 ? "even" : "odd";
    if (!this.#isOn) delete pane.dataset.step;
    render(isShown ? bar : nothing, pane);
  }

  // ---- actions of the reader --------------------------------------------------------------------

  // Show the present. A press on the board picks nothing: it was meant for another picture.
  /** @param {MouseEvent} event */
  #onClick(event) {
    const target = /** @type {Element} */ (event.target);
    if (!this.#isOn || target.closest(ELSEWHERE)) return;
    this.skip();
    if (!target.closest(".replay-board")) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Show the present. Enter does nothing else, since the move that it makes was not in sight.
  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const isCommand = event.ctrlKey || event.altKey || event.metaKey;
    const target = /** @type {Element} */ (event.target);
    if (!this.#isOn || isCommand || target.closest(FIELDS)) return;

    const isSkip = event.key === "Enter" || event.key === "Escape";
    if (!isSkip && !/^[0-9]$/.test(event.key)) return;
    if (isSkip && target.closest(ELSEWHERE)) return;
    this.skip();
    if (!isSkip) return;
    event.preventDefault();
    event.stopPropagation();
  }

  #onShown() {
    if (document.hidden) this.skip();
    else this.#backAt = performance.now();
  }
}

// True if others' moves are shown step by step: as the reader chose, and by default unless the
// browser asks for less motion.
export function isPaced() {
  const chosen = read(PACED);
  return chosen === null ? !STILL.matches : chosen === "yes";
}

/** @param {boolean} isWanted @returns {undefined} */
export function setPaced(isWanted) {
  write(PACED, isWanted ? "yes" : "no");
}

/** @param {Element} mark @param {Element} place @param {string} seat the class of its colour */
function fly(mark, place, seat) {
  const from = mark.getBoundingClientRect();
  const to = place.getBoundingClientRect();
  if (to.bottom < 0 || to.top > window.innerHeight) return;

  const flying = /** @type {Element} */ (mark.cloneNode(true));
  flying.setAttribute("class", `table-flight ${seat}`);
  document.body.append(flying);
  const { width, height } = flying.getBoundingClientRect();
  const ways = [from, to].map(({ left, right, top, bottom }) => {
    const x = (left + right - width) / 2;
    const y = Math.max(-height, (top + bottom - height) / 2);
    return `translate(${x}px, ${y}px)`;
  });
  const flight = flying.animate({ transform: ways }, { duration: FLIGHT, easing: "ease-in-out" });
  flight.onfinish = () => flying.remove();
}
