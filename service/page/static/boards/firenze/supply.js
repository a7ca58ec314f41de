// What lies beside the row: church spaces, pouch, deck and discards.

import { html } from "../../base/dom.js";
import { box } from "./box.js";
import { total } from "./bricks.js";
import { cardLabel, cardLine } from "./card_box.js";
import { titleOf } from "./cards.js";
import { drawHeaps } from "./row.js";

/** @import { Template } from "../../base/types.d.ts" */
/** @import { Scene } from "../types.d.ts" */

// How many church spaces there are, one for each church card.
const CHURCH_SPACES = 4;

/** @param {Scene} scene */
export function drawSupply(scene) {
  return html`<section class="firenze-supply" aria-label="Church, pouch and deck">
    <div class="firenze-church">
      <h2 class="firenze-title">Church</h2>
      <ul class="firenze-spaces">${churchSpaces(scene)}</ul>
    </div>
    <div class="firenze-pouch">
      <h2 class="firenze-title">Pouch <small>${total(scene.view.pouch)} bricks</small></h2>
      ${drawHeaps("pouch", "in the pouch", scene.view.pouch, scene)}
    </div>
    <div class="firenze-deck">
      <h2 class="firenze-title">Cards</h2>
      ${deck(scene)} ${discards(scene)}
    </div>
  </section>`;
}

/** @param {Scene} scene @returns {Template[]} */
function churchSpaces(scene) {
  const { church } = scene.view;
  return Array.from({ length: CHURCH_SPACES }, (_, space) => {
    const card = church[space];
    if (card === undefined) {
      return html`<li class="firenze-space">
        <span class="firenze-hidden">Empty space</span>
      </li>`;
    }
    const label = `Church space ${space + 1}: ${cardLabel(card)}`;
    const content = cardLine(card);
    return html`<li>
      ${box(`church:${space}`, label, scene, content, "firenze-line")}
    </li>`;
  });
}

/** @param {Scene} scene */
function deck(scene) {
  const count = scene.view.deck;
  const content = html`<span class="firenze-back"></span><b>${count}</b> in the deck`;
  return box("deck", `${count} in the deck`, scene, content, "firenze-stack");
}

/** @param {Scene} scene */
function discards(scene) {
  const piles = /** @type {[string, number][]} */ (Object.entries(scene.view.discards));
  const count = piles.reduce((sum, [, copies]) => sum + copies, 0);
  const content = html`<span class="firenze-back firenze-back-open"></span><b>${count}</b> discarded`;
  const pile = box("discards", `${count} discarded`, scene, content, "firenze-stack");
  if (count === 0) return pile;

  const names = piles.map(([card, copies]) => {
    return html`<li>${titleOf(card)}${copies > 1 ? ` ×${copies}` : ""}</li>`;
  });
  return html`${pile}
    <details class="firenze-discards">
      <summary>Which are discarded</summary>
      <ul>
        ${names}
      </ul>
    </details>`;
}
