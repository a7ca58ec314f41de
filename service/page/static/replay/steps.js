/** The steps that lead through a match: what buttons, keys and the slider do. */

/** @typedef {import("./controls.js").Steps} Steps */
/** @typedef {import("./position.js").Playing} Playing */
/** @typedef {import("./position.js").Position} Position */
/** @typedef {import("./told.js").Told} Told */

/**
 * How one came to look at a version: by a jump that the way back should lead past ("jump"), by a
 * step or the slider ("step"), or because the match went on ("live").
 *
 * @typedef {"jump" | "step" | "live"} Move
 */

/**
 * @typedef {object} Way
 * @property {Position} position
 * @property {Told} told
 * @property {Playing} playing
 * @property {(version: number, move: Move) => void} show
 * @property {() => void} draw
 * @property {() => void} help
 */

/**
 * Make the steps. Each of them stops a match that plays by itself.
 *
 * @param {Way} way
 * @returns {Steps}
 */
export function makeSteps({ position, told, playing, show, draw, help }) {
  /**
   * @param {number} version
   * @param {Move} move
   */
  function go(version, move) {
    playing.stop();
    show(version, move);
  }

  function play() {
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
