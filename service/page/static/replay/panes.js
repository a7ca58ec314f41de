// The parts of the page that a replay draws one by one.

import { html, render } from "../base/dom.js";

/** @param {HTMLElement} root */
export function layOut(root) {
  const frame = html`<div class="replay">
    <section class="replay-board" aria-label="Board"></section>
    <div class="replay-side">
      <div class="replay-play"></div>
      <section class="replay-controls" aria-label="Replay"></section>
      <div class="replay-aside"></div>
      <section class="story" aria-label="Story" tabindex="0"></section>
      <div class="replay-stamp"></div>
    </div>
  </div>`;
  render(frame, root);

  /** @param {string} selector */
  const pane = (selector) => /** @type {HTMLElement} */ (root.querySelector(selector));
  return {
    board: pane(".replay-board"),
    controls: pane(".replay-controls"),
    play: pane(".replay-play"),
    aside: pane(".replay-aside"),
    story: pane(".story"),
    stamp: pane(".replay-stamp"),
  };
}
