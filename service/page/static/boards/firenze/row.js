// The row of cards with the bricks on them, and what each costs (F13, F14).

import { html } from "../../base/dom.js";
import { box, named } from "../place.js";
import { brickCount, brickPile, COLOURS, counted, inWords, total } from "./bricks.js";
import { cardFace, cardLabel, cardLine, cardRule, titleOf } from "./cards.js";
import { cardPrice } from "./payment.js";

/** @import { Template } from "../../base/types.d.ts" */
/** @import { Heap, Slot, Table, View } from "./types.d.ts" */

/** @param {Table} now */
export function drawRow(now) {
  const scene = withCardsPicked(now);
  const slots = scene.view.row.map((slot, number) => {
    return html`<li>${drawSlot(slot, number, scene)}${cardRule(slot.card, scene)}</li>`;
  });
  return html`<section class="firenze-row" aria-label="Row of cards">
    <h2 class="firenze-title">${named("Row of cards", "F14", scene)}</h2>
    <ol class="firenze-slots">${slots}</ol>
  </section>`;
}

// Leave a card that is picked where it was, although the row closes when it is taken.
/** @param {Table} scene @returns {Table} */
function withCardsPicked(scene) {
  const { before, view, picked, changed } = scene;
  const isPicked = [...picked].some((place) => place.startsWith("slot:"));
  if (!before || !isPicked || cardsOf(before) === cardsOf(view)) return scene;
  const elsewhere = [...changed].filter((place) => !place.startsWith("slot:"));
  return { ...scene, view: before, changed: new Set(elsewhere) };
}

/** @param {View} view */
function cardsOf({ row }) {
  return row.map(({ card }) => card).join();
}

// Draw a slot. Only while one of its bricks can be picked are these places of their own.
/** @param {Slot} slot @param {number} number @param {Table} scene */
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

/** @param {Slot} slot @param {number} number @param {Table} scene */
function brickPlaces(slot, number, scene) {
  const colours = COLOURS.filter((colour) => (slot.bricks[colour] ?? 0) > 0);
  return html`<div class="firenze-heaps firenze-heaps-free">
    ${colours.map((colour) => {
      const count = slot.bricks[colour] ?? 0;
      const label = `${count} ${colour} on slot ${number}`;
      const content = brickCount(colour, count);
      return box(`brick:${number}:${colour}`, label, scene, content, "firenze-heap");
    })}
  </div>`;
}

/**
 * @param {string} kind what the names of the places begin with, such as "pouch"
 * @param {string} where @param {Heap} heap @param {Table} scene
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

// ---- what lies beside the row -------------------------------------------------------------------

// How many church spaces there are, one for each church card.
const CHURCH_SPACES = 4;

/** @param {Table} scene */
export function drawSupply(scene) {
  return html`<section class="firenze-supply" aria-label="Church, pouch and deck">
    <div class="firenze-church">
      <h2 class="firenze-title">${named("Church", "F15", scene)}</h2>
      <ul class="firenze-spaces">${churchSpaces(scene)}</ul>
    </div>
    <div class="firenze-pouch">
      <h2 class="firenze-title">${named("Pouch", "F2", scene)} <small>${total(scene.view.pouch)} bricks</small></h2>
      ${drawHeaps("pouch", "in the pouch", scene.view.pouch, scene)}
    </div>
    <div class="firenze-deck">
      <h2 class="firenze-title">${named("Cards", "F7", scene)}</h2>
      ${deck(scene)} ${discards(scene)}
    </div>
  </section>`;
}

/** @param {Table} scene @returns {Template[]} */
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
      ${box(`church:${space}`, label, scene, content, "firenze-line")}${cardRule(card, scene)}
    </li>`;
  });
}

/** @param {Table} scene */
function deck(scene) {
  const count = scene.view.deck;
  const content = html`<span class="firenze-back"></span><b>${count}</b> in the deck`;
  return box("deck", `${count} in the deck`, scene, content, "firenze-stack");
}

/** @param {Table} scene */
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
