// The action cards: title, kind, and what each does in one line (F7, F26-F39).

import { html, svg } from "../../base/dom.js";
import { capital, ordinal } from "../../base/words.js";
import { ruleNumber } from "../place.js";

/** @import { Template } from "../../base/types.d.ts" */
/** @import { CardFacts, Kind, Table, View } from "./types.d.ts" */

// What the cards of each kind do. Their names are their titles: `luxury_tax` is "Luxury Tax".
/** @type {Record<Kind, Record<string, string>>} */
const TEXTS = {
  Event: {
    botch: "Lose one brick of one of your towers.",
    collapse: "Lose all bricks of one of your towers.",
    flood: "Everybody hands over a third of the storehouse, rounded up.",
    luxury_tax:
      "Everybody hands over 2 bricks for each tower of 5 or more levels, or it is torn down.",
    renaissance: "Deck, discards and this card become a new deck.",
    storehouse_fire: "Burns 3 bricks of your storehouse.",
    tribute: "Everybody hands over a brick of its colour for each tower, or it is torn down.",
  },
  Personnel: {
    alchemist: "Turn a brick of yours into one of the pouch.",
    architect: "A tower counts as one level taller or lower, too.",
    mason: "Building costs 3 bricks less this turn.",
    patrician: "Cancel an event that you take, or discard a card.",
    princess: "The card that you take costs nothing.",
    saboteur: "Take a brick off somebody else's tower.",
    smuggler: "Bring a brick from somebody else's storehouse for one of yours.",
    wholesaler: "Draw the bricks on a card of the row anew.",
  },
  Celebration: {
    disgrace: "2 points less at the end.",
    fame: "3 points at the end.",
    monument: "Goes to the tallest tower: 3 points at the end.",
    recognition: "At the end a point for each own seal on 3 or 4 levels.",
    scandal: "3 points less at the end.",
  },
  Building: {
    bridge: "An exchange costs 2 bricks instead of 3.",
    warehouse: "Keep up to 15 bricks and any number of cards.",
    workshop: "Building costs 1 brick less.",
  },
  Church: {
    campanile: "Everybody owes a bell tower of 3 white bricks, before any other commission.",
    minor_privilege: "The next commission of 5 levels brings 2 more points.",
    privilege: "The next commission of 6 levels brings 3 more points.",
    major_privilege: "The next commission of 7 levels brings 4 more points.",
  },
};

// The rule of each card.
/** @type {Record<string, string>} */
const RULES = {
  botch: "F32",
  collapse: "F32",
  flood: "F33",
  luxury_tax: "F33",
  renaissance: "F35",
  storehouse_fire: "F32",
  tribute: "F33",
  alchemist: "F27",
  architect: "F28",
  mason: "F29",
  patrician: "F31",
  princess: "F29",
  saboteur: "F30",
  smuggler: "F30",
  wholesaler: "F29",
  disgrace: "F39",
  fame: "F39",
  monument: "F36",
  recognition: "F39",
  scandal: "F39",
  bridge: "F18",
  warehouse: "F24",
  workshop: "F19",
  campanile: "F38",
  minor_privilege: "F37",
  privilege: "F37",
  major_privilege: "F37",
};

/** @param {string} card @returns {CardFacts} */
export function factsOf(card) {
  const kinds = /** @type {Kind[]} */ (Object.keys(TEXTS));
  const kind = kinds.find((each) => card in TEXTS[each]) ?? "Event";
  const title = card.split("_").map(capital).join(" ");
  return { title, kind, text: TEXTS[kind][card] ?? "" };
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

/** @param {string} card @param {Table} scene */
export function cardRule(card, scene) {
  return ruleNumber(RULES[card] ?? "F7", titleOf(card), scene);
}

/** @param {string} card */
export function cardName(card) {
  return html`${kindSign(card)}<span>${titleOf(card)}</span>`;
}

/** @param {string} card @param {number} [copies] */
export function cardLabel(card, copies = 1) {
  const { title, kind, text } = factsOf(card);
  const several = copies > 1 ? ` ×${copies}` : "";
  return `${kind} ${title}${several}: ${text}`;
}
