// The shown version of a match, in the past or at the growing present, and the steps through it.

/** @import { Move, Speed, Steps, Way } from "./types.d.ts" */

// Milliseconds of each step while the match plays by itself, by speed.
export const SPEEDS = { slow: 2000, normal: 900, fast: 300 };

export class Position {
  /** @param {number} last */
  constructor(last) {
    this.last = last;
    this.version = last;
    this.follows = true;
  }

  // Go to a version, or to the nearest one. At the last one, follow the present.
  /** @param {number} version */
  go(version) {
    this.version = Math.min(Math.max(version, 1), this.last);
    this.follows = this.version === this.last;
  }

  /** @param {number} version */
  stay(version) {
    this.go(version);
    this.follows = false;
  }

  // True if the present is followed, but steps to it are still being shown.
  get isBehind() {
    return this.follows && this.version < this.last;
  }

  /** @param {number} last */
  grow(last) {
    this.last = last;
    if (this.follows) this.version = last;
  }

  /**
   * @param {1 | -1} direction
   * @param {number[] | null} [marks] the versions to step between, in their order; null: all
   */
  beside(direction, marks = null) {
    if (marks === null) return this.version + direction;
    if (direction === 1) return marks.find((mark) => mark > this.version) ?? this.last;
    return marks.findLast((mark) => mark < this.version) ?? 1;
  }
}

export class Playing {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @type {Speed} */
  speed = "normal";

  isOn = false;

  /** @param {() => boolean} step */
  constructor(step) {
    this.step = step;
  }

  toggle() {
    if (this.isOn) this.stop();
    else this.#run();
  }

  stop() {
    clearTimeout(this.#timer);
    this.isOn = false;
  }

  /** @param {Speed} speed */
  change(speed) {
    this.speed = speed;
    if (!this.isOn) return;
    clearTimeout(this.#timer);
    this.#wait();
  }

  #run() {
    this.isOn = true;
    if (this.step()) this.#wait();
    else this.stop();
  }

  #wait() {
    this.#timer = setTimeout(() => this.#run(), SPEEDS[this.speed]);
  }
}

// ---- the steps through a match ------------------------------------------------------------------

/** @param {Way} way @returns {Steps} */
export function makeSteps({ position, told, playing, show, draw, help, isAway }) {
  /** @param {number} version @param {Move} move */
  function go(version, move) {
    if (isAway()) return;
    playing.stop();
    show(version, move);
  }

  function play() {
    if (isAway()) return;
    playing.toggle();
    draw();
  }

  return {
    first: () => go(1, "jump"),
    last: () => go(position.last, "jump"),
    commit: (direction) => go(position.beside(direction), "step"),
    turn: (direction) => go(position.beside(direction, told.turns), "step"),
    scoring: (direction) => go(position.beside(direction, told.scorings), "jump"),
    slide: (version) => go(version, "step"),
    play,
    speed: (speed) => playing.change(speed),
    help,
  };
}
