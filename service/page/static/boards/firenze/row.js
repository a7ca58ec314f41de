// The row of cards with the bricks on them, and what each costs (F13, F14).

import { html } from "../../base/dom.js";
import { box } from "./box.js";
import { brickCount, brickPile } from "./brick_marks.js";
import { COLOURS, counted, inWords } from "./bricks.js";
import { cardFace, cardLabel } from "./card_box.js";
import { cardPrice } from "./prices.js";

/** @import { Heap } from "./types.d.ts" */
/** @import { Scene } from "../types.d.ts" */

/** @param {Scene} scene */
export function drawRow(scene) {
  const slots = scene.view.row.map((/** @type {any} */ slot, /** @type {number} */ number) => {
    return html`<li>${drawSlot(slot, number, scene)}</li>`;
  });
  return html`<section class="firenze-row" aria-label="Row of cards">
    <h2 class="firenze-title">Row of cards</h2>
    <ol class="firenze-slots">${slots}</ol>
  </section>`;
}

/**
 * Draw a slot. Only while one of its bricks can be picked are these places of their own.
 * @param {any} slot @param {number} number @param {Scene} scene
 */
function drawSlot(slot, number, scene) {
  const price = cardPrice(scene.view, number);
  const cost = price ? `Costs ${counted(price)}` : "Free";
  const bricks = inWords(slot.bricks);
  const label = `Slot ${number}: ${cardLabel(slot.card)} ${cost}, with ${bricks}.`;

  const face = html`${cardFace(slot.card)}${priceTag(price)}`;
  const opened = COLOURS.some((colour) => scene.targets.has(`brick:${number}:${colour}`));
  if (opened) {
    return html`<div class="firenze-slot firenze-slot-open">
      ${box(`slot:${number}`, label, scene, face, "firenze-slot-card")}
      ${brickPlaces(slot, number, scene)}
    </div>`;
  }
  const content = html`${face}${brickPile(slot.bricks)}`;
  return box(`slot:${number}`, label, scene, content, "firenze-slot");
}

/** @param {number} price */
function priceTag(price) {
  if (!price) return html`<div class="firenze-price">free</div>`;
  const bricks = Array.from({ length: price }, () => html`<i></i>`);
  return html`<div class="firenze-price">costs ${price} ${bricks}</div>`;
}

/** @param {any} slot @param {number} number @param {Scene} scene */
function brickPlaces(slot, number, scene) {
  const colours = COLOURS.filter((colour) => (slot.bricks[colour] ?? 0) > 0);
  return html`<div class="firenze-heaps firenze-heaps-free">
    ${colours.map((colour) => {
      const count = slot.bricks[colour];
      const label = `${count} ${colour} on slot ${number}`;
      const content = brickCount(colour, count);
      return box(`brick:${number}:${colour}`, label, scene, content, "firenze-heap");
    })}
  </div>`;
}

/**
 * @param {string} kind what the names of the places begin with, such as "pouch"
 * @param {string} where @param {Heap} heap @param {Scene} scene
 */
export function drawHeaps(kind, where, heap, scene) {
  const heaps = COLOURS.map((colour) => {
    const count = heap[colour] ?? 0;
    const classes = count ? "firenze-heap" : "firenze-heap firenze-heap-empty";
    const content = brickCount(colour, count);
    const label = `${count} ${colour} ${where}`;
    return box(`${kind}:${colour}`, label, scene, content, classes);
  });
  return html`<div class="firenze-heaps">${heaps}</div>`;
}
