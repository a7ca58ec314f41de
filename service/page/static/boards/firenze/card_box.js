// Cards as they are drawn: a sign and a colour for their kind, the title, what they do.

import { html, svg } from "../../base/dom.js";
import { factsOf } from "./cards.js";

/** @import { Template } from "../../base/types.d.ts" */
/** @import { Kind } from "./types.d.ts" */

/**
 * The sign of each kind, in a square of 20: a flash, a head, a star, a house, a church.
 * @type {Record<Kind, Template>}
 */
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
