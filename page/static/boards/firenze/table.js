// What lies on the table for all: commissions and level tiles, the row of cards, church and pouch.

import { html, nothing, svg } from "../../base/dom.js";
import { capital } from "../../base/words.js";
import { box, named, seatMark } from "../place.js";
import { brickCount, brickPile, COLOURS, counted, inWords, letterOf, total } from "./bricks.js";
import { cardFace, cardLabel, cardLine, cardRule, titleOf } from "./cards.js";
import { cardPrice } from "./payment.js";
import { joined, levels, nameOf, points } from "./words.js";

/** @import { Template } from "../../base/types.d.ts" */
/** @import { Balcony, Heap, Slot, Table, View } from "./types.d.ts" */

// The height of the lowest commission (F3).
export const LOWEST = 3;

const DOWNWARDS = [8, 7, 6, 5, 4, 3];

/** @param {Table} scene */
export function drawCommissions(scene) {
  return html`<section class="firenze-commissions" aria-label="Commissions">
    <h2 class="firenze-title">${named("Commissions", "F21", scene)}</h2>
    <div class="firenze-towers">
      ${levelColumn(scene)} ${COLOURS.map((colour) => tower(colour, scene))}
    </div>
  </section>`;
}

// ---- level tiles --------------------------------------------------------------------------------

/** @param {Table} scene */
function levelColumn(scene) {
  const label = "Level tiles, for the first tower of a height";
  return html`<div class="firenze-levels" role="group" aria-label=${label}>
    <div class="firenze-levels-head" aria-hidden="true">Levels</div>
    ${DOWNWARDS.map((height) => levelRow(height, scene))}
    <div class="firenze-levels-foot" aria-hidden="true"></div>
  </div>`;
}

/** @param {number} height @param {Table} scene */
function levelRow(height, scene) {
  const number = html`<span class="firenze-level-height" aria-hidden="true">${height}</span>`;
  const tile = scene.view.level_tiles.find((each) => each.height === height);
  if (tile === undefined) return html`<div class="firenze-level">${number}</div>`;

  const taken = tile.seat === null ? "not taken" : `taken by ${nameOf(scene, tile.seat)}`;
  const label = `First tower of ${levels(height)}: ${points(tile.points)}, ${taken}`;
  const mark = tile.seat === null ? nothing : html`<span>${sealMark(tile.seat)}</span>`;
  const classes = tile.seat === null ? "firenze-tile" : "firenze-tile firenze-tile-taken";
  return html`<div class="firenze-level">
    ${number}
    ${box(
      `level:${height}`,
      label,
      scene,
      html`<span class="firenze-tile-points">+${tile.points}</span>${mark}`,
      classes,
    )}
  </div>`;
}

// ---- towers -------------------------------------------------------------------------------------

/** @param {string} colour @param {Table} scene */
function tower(colour, scene) {
  return html`<div
    class="firenze-tower firenze-${colour}"
    role="group"
    aria-label="${capital(colour)} commissions"
  >
    ${flag(colour, scene)}
    <svg class="firenze-roof" viewBox="0 0 70 12" preserveAspectRatio="none" aria-hidden="true">
      <path d="M0 12 V0 H10 V6 H20 V0 H30 V6 H40 V0 H50 V6 H60 V0 H70 V12 Z"></path>
    </svg>
    <div class="firenze-shaft">
      ${DOWNWARDS.map((height) => commission(colour, height, scene))}
      <div class="firenze-door" aria-hidden="true">
        <span>${letterOf(colour)}</span>
      </div>
    </div>
  </div>`;
}

/** @param {string} colour @param {Table} scene */
function flag(colour, scene) {
  const worth = scene.view.majority[colour] ?? 0;
  const leader = leaderOf(columnOf(scene.view, colour).seals);
  const ahead = leader === null ? "nobody has a seal here" : `${nameOf(scene, leader)} leads`;
  const label = `Most ${colour} seals at the end: ${points(worth)}; ${ahead}`;
  const mark = leader === null ? nothing : sealMark(leader);
  const content = html`<span class="firenze-flag-points">${worth}</span>${mark}`;
  return box(`majority:${colour}`, label, scene, content, "firenze-flag");
}

// Return who has most seals on a tower; a tie goes to the highest seal (F41).
/** @param {(number | string | null)[]} seals by height, the lowest first */
function leaderOf(seals) {
  /** @type {Map<number, number>} */
  const standing = new Map();
  seals.forEach((seat, index) => {
    // A seal counts more than all heights; of equal counts the last one, the highest, decides.
    if (typeof seat !== "number") return;
    const count = Math.floor((standing.get(seat) ?? 0) / 10) + 1;
    standing.set(seat, 10 * count + index);
  });

  const best = [...standing].sort(([, one], [, other]) => other - one)[0];
  return best?.[0] ?? null;
}

/** @param {string} colour @param {number} height @param {Table} scene */
function commission(colour, height, scene) {
  const { view } = scene;
  const { seals, points: worths } = columnOf(view, colour);
  const seal = seals[height - LOWEST] ?? null;
  const worth = worths[height - LOWEST] ?? 0;
  const balcony = balconyAt(view, colour, height);

  const classes = ["firenze-commission"];
  if (seal !== null) classes.push("firenze-sealed");
  if (balcony) classes.push("firenze-balcony", balcony.open ? "firenze-open" : "firenze-shut");
  const content = html`<span class="firenze-height">${height}</span>
    <span class="firenze-worth">${worth}</span>
    ${seal === null ? nothing : html`<span class="firenze-seal">${anySeal(seal)}</span>`}
    ${balcony ? html`<span class="firenze-numeral" data-numeral=${balcony.numeral}></span>` : nothing}`;

  const words = [sealWords(seal, scene), balconyWords(balcony, seal)].filter((word) => word);
  const label = `${capital(colour)} ${height}: ${points(worth)}, ${joined(words)}`;
  const name = `commission:${colour}:${height}`;
  return box(name, label, scene, content, classes.join(" "));
}

/** @param {number | string | null} seal @param {Table} scene */
function sealWords(seal, scene) {
  if (seal === null) return "not fulfilled";
  return typeof seal === "number"
    ? `fulfilled by ${nameOf(scene, seal)}`
    : "covered by a neutral seal";
}

/** @param {Balcony | undefined} balcony @param {number | string | null} seal */
function balconyWords(balcony, seal) {
  if (!balcony) return "";
  const balconyName = `balcony ${balcony.numeral}`;
  if (seal !== null) return balconyName;
  return balcony.open ? `${balconyName}, the next one` : `${balconyName}, whose turn has not come`;
}

/** @param {number | string} seal */
function anySeal(seal) {
  return typeof seal === "number" ? sealMark(seal) : neutralSeal();
}

/** @param {number} seat */
export function sealMark(seat) {
  return html`<svg class="firenze-mark seat-${seat}" viewBox="0 0 24 24" aria-hidden="true">
    ${seatMark(seat, 12, 12, 20)}
  </svg>`;
}

function neutralSeal() {
  return html`<svg class="firenze-mark" viewBox="0 0 24 24" aria-hidden="true">
    ${svg`<circle class="firenze-neutral" cx="12" cy="12" r="10"></circle>
      <path class="firenze-neutral-cross" d="M7 7 L17 17 M17 7 L7 17"></path>`}
  </svg>`;
}

// ---- which commissions are open (f21, f22) ------------------------------------------------------

/** @param {View} view @param {string} colour @param {number} height */
export function isOpen(view, colour, height) {
  const { seals } = columnOf(view, colour);
  if (seals[height - LOWEST] !== null) return false;
  return balconyAt(view, colour, height)?.open ?? true;
}

/** @param {View} view @param {string} colour */
export function columnOf(view, colour) {
  return view.commissions[colour] ?? { points: [], seals: [] };
}

/** @param {View} view @param {string} colour @param {number} height */
export function balconyAt(view, colour, height) {
  return view.balconies.find((balcony) => {
    return balcony.colour === colour && balcony.height === height;
  });
}

// ---- the row of cards with the bricks on them, and what each costs (f13, f14) --------------------

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
