/** Where in a match one looks: at a moment of the past, or at the present as it goes on. */

/** How many milliseconds each step lasts when the match is played, by speed. */
export const SPEEDS = { slow: 2000, normal: 900, fast: 300 };

/** @typedef {keyof typeof SPEEDS} Speed */

/** A version of the match, and whether it follows the newest. */
export class Position {
  /** @param {number} last the last version there is */
  constructor(last) {
    this.last = last;
    this.version = last;
    this.follows = true;
  }

  /**
   * Go to a version, as near as there is one. Whoever reaches the last one follows what comes.
   *
   * @param {number} version
   */
  go(version) {
    this.version = Math.min(Math.max(version, 1), this.last);
    this.follows = this.version === this.last;
  }

  /**
   * Stay at a version, even if it is the last one now.
   *
   * @param {number} version
   */
  stay(version) {
    this.go(version);
    this.follows = false;
  }

  /**
   * The match has gone on.
   *
   * @param {number} last
   */
  grow(last) {
    this.last = last;
    if (this.follows) this.version = last;
  }

  /**
   * Return the version one step on or back.
   *
   * @param {1 | -1} direction
   * @param {number[] | null} [marks] the versions to step between, in their order; null: all
   * @returns {number}
   */
  beside(direction, marks = null) {
    if (marks === null) return this.version + direction;
    if (direction === 1) return marks.find((mark) => mark > this.version) ?? this.last;
    return marks.findLast((mark) => mark < this.version) ?? 1;
  }
}

/** Lets a match run by itself, step by step. */
export class Playing {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @type {Speed} */
  speed = "normal";

  isOn = false;

  /** @param {() => boolean} step goes one step on; false: there is none, so it stops */
  constructor(step) {
    this.step = step;
  }

  /** Start if it stands still, stop if it runs. */
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
