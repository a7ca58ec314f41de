// The steps that lead through a match: what buttons, keys and the slider do.
/** @import { Move, Steps, Way } from "./types.d.ts" */

/** @param {Way} way @returns {Steps} */
export function makeSteps({ position, told, playing, show, draw, help }) {
  /** @param {number} version @param {Move} move */
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
