// The parts of the table page that are drawn one by one.

import { html, render } from "../base/dom.js";

/** @param {HTMLElement} root */
export function layOut(root) {
  const frame = html`
    <header class="table-head"></header>
    <div class="table-problem"></div>
    <div class="table-top"></div>
    <div class="table-view"></div>
    <div class="table-foot"></div>`;
  root.className = "table";
  render(frame, root);

  /** @param {string} selector */
  const pane = (selector) => /** @type {HTMLElement} */ (root.querySelector(selector));
  return {
    head: pane(".table-head"),
    problem: pane(".table-problem"),
    top: pane(".table-top"),
    view: pane(".table-view"),
    foot: pane(".table-foot"),
  };
}
