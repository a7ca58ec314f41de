// The action cards: title, kind, and what each does in one line (F7, F26-F39).

import { html, svg } from "../../base/dom.js";
import { ordinal } from "../../base/words.js";

/** @import { Template } from "../../base/types.d.ts" */
/** @import { CardFacts, Kind, View } from "./types.d.ts" */

/** @type {Record<string, CardFacts>} */
const CARDS = {
  botch: { title: "Botch", kind: "Event", text: "Lose one brick of one of your towers." },
  collapse: { title: "Collapse", kind: "Event", text: "Lose all bricks of one of your towers." },
  flood: {
    title: "Flood",
    kind: "Event",
    text: "Everybody loses a third of the storehouse, rounded up.",
  },
  luxury_tax: {
    title: "Luxury Tax",
    kind: "Event",
    text: "Everybody pays 2 bricks for each tower of 5 or more levels, or loses it.",
  },
  renaissance: {
    title: "Renaissance",
    kind: "Event",
    text: "Deck, discards and this card become a new deck.",
  },
  storehouse_fire: {
    title: "Storehouse Fire",
    kind: "Event",
    text: "Lose 3 bricks of your storehouse.",
  },
  tribute: {
    title: "Tribute",
    kind: "Event",
    text: "Everybody pays a brick of its colour for each tower, or loses it.",
  },

  alchemist: {
    title: "Alchemist",
    kind: "Personnel",
    text: "Swap a brick of yours for one from the pouch.",
  },
  architect: {
    title: "Architect",
    kind: "Personnel",
    text: "Deliver a tower as one level taller or lower.",
  },
  mason: { title: "Mason", kind: "Personnel", text: "Building costs 3 bricks less this turn." },
  patrician: {
    title: "Patrician",
    kind: "Personnel",
    text: "Ward off an event that you take, or discard a card.",
  },
  princess: { title: "Princess", kind: "Personnel", text: "Take a card without paying for it." },
  saboteur: {
    title: "Saboteur",
    kind: "Personnel",
    text: "Remove a brick from somebody else's tower.",
  },
  smuggler: {
    title: "Smuggler",
    kind: "Personnel",
    text: "Swap a brick with somebody else's storehouse.",
  },
  wholesaler: {
    title: "Wholesaler",
    kind: "Personnel",
    text: "Draw the bricks on a card of the row anew.",
  },

  disgrace: { title: "Disgrace", kind: "Celebration", text: "2 points less at the end." },
  fame: { title: "Fame", kind: "Celebration", text: "3 points at the end." },
  monument: {
    title: "Monument",
    kind: "Celebration",
    text: "Goes to the tallest tower: 3 points at the end.",
  },
  recognition: {
    title: "Recognition",
    kind: "Celebration",
    text: "At the end a point for each own seal on 3 or 4 levels.",
  },
  scandal: { title: "Scandal", kind: "Celebration", text: "3 points less at the end." },

  bridge: {
    title: "Bridge",
    kind: "Building",
    text: "An exchange costs 2 bricks instead of 3.",
  },
  warehouse: {
    title: "Warehouse",
    kind: "Building",
    text: "Keep up to 15 bricks and any number of cards.",
  },
  workshop: { title: "Workshop", kind: "Building", text: "Building costs 1 brick less." },

  campanile: {
    title: "Campanile",
    kind: "Church",
    text: "Everybody owes a bell tower of 3 white bricks, before any other commission.",
  },
  minor_privilege: {
    title: "Minor Privilege",
    kind: "Church",
    text: "The next commission of 5 levels brings 2 more points.",
  },
  privilege: {
    title: "Privilege",
    kind: "Church",
    text: "The next commission of 6 levels brings 3 more points.",
  },
  major_privilege: {
    title: "Major Privilege",
    kind: "Church",
    text: "The next commission of 7 levels brings 4 more points.",
  },
};

/** @param {string} card @returns {CardFacts} */
export function factsOf(card) {
  return CARDS[card] ?? { title: card, kind: "Event", text: "" };
}

/** @param {string} card */
export function titleOf(card) {
  return factsOf(card).title;
}

/**
 * @param {View} view @param {number} slot
 * @returns {string} such as "Mason", or "Mason, the 3rd card"
 */
export function cardOfRow({ row }, slot) {
  const card = row[slot]?.card ?? "";
  const isOnlyOne = row.filter((other) => other.card === card).length === 1;
  return isOnlyOne ? titleOf(card) : `${titleOf(card)}, the ${ordinal(slot + 1)} card`;
}

/** @param {string[]} cards */
export function copiesOf(cards) {
  /** @type {Map<string, number>} */
  const copies = new Map();
  for (const card of cards) copies.set(card, (copies.get(card) ?? 0) + 1);
  return copies;
}

// ---- cards as they are drawn --------------------------------------------------------------------

// The sign of each kind, in a square of 20: a flash, a head, a star, a house, a church.
/** @type {Record<Kind, Template>} */
const SIGNS = {
  Event: svg`<path d="M11 1 L4 11.5 H9 L7.5 19 L16 8 H10.5 Z"></path>`,
  Personnel: svg`<circle cx="10" cy="6" r="4.2"></circle>
    <path d="M2 19 C2 8.5 18 8.5 18 19 Z"></path>`,
  Celebration: svg`<path
    d="M10 1 L12.6 7 L19 7.6 L14.2 12 L15.6 18.5 L10 15.2 L4.4 18.5 L5.8 12 L1 7.6 L7.4 7 Z"
  ></path>`,
  Building: svg`<path d="M1 10 L10 2 L19 10 H16.5 V18 H12 V12.5 H8 V18 H3.5 V10 Z"></path>`,
  Church: svg`<path
    d="M9 0 H11 V2 H13 V4 H11 V6.5 L17 11 V19 H12 V15 A2 2 0 0 0 8 15 V19 H3 V11 L9 6.5 V4 H7 V2 H9 Z"
  ></path>`,
};

/** @param {string} card */
function kindSign(card) {
  const { kind } = factsOf(card);
  return html`<svg class="firenze-sign firenze-${kind.toLowerCase()}" viewBox="-4 -4 28 28" aria-hidden="true">
    <rect class="firenze-sign-ground" x="-4" y="-4" width="28" height="28" rx="6"></rect>
    <g class="firenze-sign-shape">${SIGNS[kind]}</g>
  </svg>`;
}

/** @param {string} card */
export function cardFace(card) {
  const { title, kind, text } = factsOf(card);
  return html`<div class="firenze-face firenze-${kind.toLowerCase()}">
    <div class="firenze-face-kind">${kindSign(card)}<span>${kind}</span></div>
    <div class="firenze-face-title">${title}</div>
    <div class="firenze-face-text">${text}</div>
  </div>`;
}

/** @param {string} card @param {number} [copies] */
export function cardLine(card, copies = 1) {
  const { title, text } = factsOf(card);
  const several = copies > 1 ? html` <span class="firenze-copies">×${copies}</span>` : "";
  return html`${kindSign(card)}<span class="firenze-line-words"
    ><b>${title}</b>${several} <span class="firenze-line-text">${text}</span></span
  >`;
}

/** @param {string} card @param {number} [copies] */
export function cardLabel(card, copies = 1) {
  const { title, kind, text } = factsOf(card);
  const several = copies > 1 ? ` ×${copies}` : "";
  return `${kind} ${title}${several}: ${text}`;
}
