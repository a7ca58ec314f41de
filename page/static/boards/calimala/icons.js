// The icons of Calimala, drawn in a square of 24 by 24. Lines have the colour of the text around
// them; what has the class `tint` is filled with the colour of the icon (style/calimala.css). Every
// icon is told by its shape alone.

import { html, svg } from "../../base/dom.js";
import { seatMark } from "../place.js";

/** @import { Template } from "../../base/types.d.ts" */

const GOODS = {
  wood: svg`
    <g class="tint">
      <circle cx="7.5" cy="16" r="4.6"></circle><circle cx="16.5" cy="16" r="4.6"></circle>
      <circle cx="12" cy="8" r="4.6"></circle>
    </g>
    <circle cx="7.5" cy="16" r="1.7"></circle><circle cx="16.5" cy="16" r="1.7"></circle>
    <circle cx="12" cy="8" r="1.7"></circle>`,
  brick: svg`
    <path class="tint" d="M3 5H21V19H3Z"></path>
    <path d="M3 9.7H21M3 14.3H21M9 5V9.7M16 5V9.7M6 9.7V14.3M13 9.7V14.3M9 14.3V19M16 14.3V19"></path>`,
  marble: svg`
    <path class="tint" d="M2.5 9.5L7 5H21.5V14.5L17 19H2.5Z"></path>
    <path d="M2.5 9.5H17V19M17 9.5L21.5 5M5 12l3 2 2-1 4 3.5"></path>`,
  artwork: svg`
    <path class="tint" d="M2.5 4H21.5V20H2.5Z"></path>
    <path class="pane" d="M5.5 7H18.5V17H5.5Z"></path>
    <path d="M5.5 17l4-5 3 3 2.5-3 3.5 5"></path><circle cx="15.5" cy="9.5" r="1.2"></circle>`,
  cloth: svg`
    <path class="tint" d="M5.5 6H18a4 4 0 0 1 0 8H17V20H8V14H5.5Z"></path>
    <ellipse class="pane" cx="5.5" cy="10" rx="2.5" ry="4"></ellipse>
    <path d="M8 14H17M11 17V20M14 17V20"></path>`,
};

const ACTIONS = {
  build: svg`
    <path class="tint" d="M9.5 6.5L14 2L21.5 9.5L17 14Z"></path>
    <path d="M12.5 9.5L3 19L5 21L14.5 11.5"></path>`,
  weave: svg`
    <g class="tint">
      <path d="M3 3.5H9V7.5H3ZM15 3.5H21V7.5H15ZM9 10H15V14H9ZM3 16.5H9V20.5H3ZM15 16.5H21V20.5H15Z"></path>
      <path d="M10 2.5H14V8.5H10ZM4 9H8V15H4ZM16 9H20V15H16ZM10 15.5H14V21.5H10Z"></path>
    </g>`,
  ship: svg`
    <path class="tint" d="M2 15H22L18.5 20.5H5.5Z"></path>
    <path class="pane" d="M12.5 3.5C19 5.5 19 10.5 12.5 12.5ZM10.5 5L5 12.5H10.5Z"></path>
    <path d="M11.5 2V15"></path>`,
  transport: svg`
    <path class="pane" d="M3 9C5 1.5 16 1.5 18 9Z"></path>
    <path class="tint" d="M2.5 9H18.5V15H2.5Z"></path>
    <path d="M18.5 12H23"></path>
    <circle class="pane" cx="6.5" cy="17" r="3.4"></circle>
    <circle class="pane" cx="14.5" cy="17" r="3.4"></circle>
    <path d="M6.5 13.6V20.4M3.1 17H9.9M14.5 13.6V20.4M11.1 17H17.9"></path>`,
  contribute: svg`
    <path class="tint" d="M2 21.5V13H8V17H16V13H22V21.5Z"></path>
    <path d="M2 17H8M16 17H22M12 17V21.5"></path>
    <path d="M12 2V12.5M8.5 9.5L12 13.5L15.5 9.5" class="strong"></path>`,
};

const PIECES = {
  trade_house: svg`
    <path class="tint" d="M4 21V11L12 3.5L20 11V21Z"></path>
    <path class="pane" d="M9.8 21V15H14.2V21Z"></path>`,
  workshop: svg`
    <path class="tint" d="M2.5 21V10L8.5 5.5V10L14.5 5.5V10L20.5 5.5V21Z"></path>
    <path class="pane" d="M5 14H9V17.5H5ZM13.5 14H17.5V17.5H13.5Z"></path>`,
  card: svg`
    <path class="pane" d="M8 3.5H20V19.5H8Z"></path><path class="tint" d="M4 5.5H16V21.5H4Z"></path>
    <path d="M10 9.5L13 13.5L10 17.5L7 13.5Z"></path>`,
  cube: svg`
    <path class="tint" d="M12 2.5L20.5 7V17L12 21.5L3.5 17V7Z"></path>
    <path d="M3.5 7L12 11.5L20.5 7M12 11.5V21.5"></path>`,
  seat: svg`
    <path class="tint" d="M5 2.5H9V12.5H19V16H5Z"></path>
    <path d="M6.5 16V21.5M17.5 16V21.5"></path>`,
};

const BUILDINGS = {
  santa_maria_del_fiore: svg`
    <path class="tint" d="M4.5 13.5C4.5 3.5 19.5 3.5 19.5 13.5Z"></path>
    <path class="pane" d="M3 13.5H21V21.5H3Z"></path>
    <path d="M12 6V1.5M10.8 2.8H13.2M12 6V13.5M8.3 13.5C8.3 10 9.5 7.5 12 6C14.5 7.5 15.7 10 15.7 13.5"></path>
    <path d="M10 21.5V18a2 2 0 0 1 4 0V21.5"></path>`,
  san_miniato: svg`
    <path class="tint" d="M7 12V8L12 3L17 8V12Z"></path><path class="pane" d="M2.5 12H21.5V21.5H2.5Z"></path>
    <path d="M4.5 21.5V17a2 2 0 0 1 4 0V21.5M10 21.5V17a2 2 0 0 1 4 0V21.5M15.5 21.5V17a2 2 0 0 1 4 0V21.5"></path>`,
  santa_croce: svg`
    <path class="pane" d="M2 21.5V13.5L5.5 10.5L8 12.5V9.5L12 5.5L16 9.5V12.5L18.5 10.5L22 13.5V21.5Z"></path>
    <circle class="tint" cx="12" cy="12" r="2.2"></circle>
    <path d="M12 0.8V5.5M10.2 2.6H13.8M10.3 21.5V17H13.7V21.5"></path>`,
  palazzo_vecchio: svg`
    <path class="tint" d="M10 2.5H15V10H10Z"></path><path d="M9.3 5H15.7"></path>
    <path class="pane" d="M3 21.5V9.5H6V11.5H9V9.5H12V11.5H15V9.5H18V11.5H21V21.5Z"></path>
    <path d="M3 14H21M7 17H9.5M14.5 17H17M12 21.5V18"></path>`,
};

/** @type {Record<string, Template>} */
const DRAWN = { ...GOODS, ...ACTIONS, ...PIECES, ...BUILDINGS };

/** @type {Record<string, string>} */
const LETTERS = {
  barcelona: "Ba",
  lisbon: "Li",
  london: "Lo",
  troyes: "Tr",
  bruges: "Br",
  hamburg: "Ha",
};

/** @type {Record<string, string>} those letters as lines, 8 high: letters for the eyes alone */
const STROKES = {
  B: "M0 0V8H2.4a2.1 2.1 0 0 0 0-4.2H0M2.4 3.8a1.9 1.9 0 0 0 0-3.8H0",
  H: "M0 0V8M4.5 0V8M0 4H4.5",
  L: "M0 0V8H4",
  T: "M0 0H5M2.5 0V8",
  a: "M4 8V3.4M4 5.7a2 2.3 0 1 1-4 0a2 2.3 0 1 1 4 0",
  i: "M1 3.4V8M1 0.6V1",
  o: "M0 5.7a2 2.3 0 1 1 4 0a2 2.3 0 1 1-4 0",
  r: "M0 3.4V8M0 5.8C0.3 4.2 1.5 3.2 3 3.6",
};

/** @param {string} city */
function shield(city) {
  const isPort = city === "barcelona" || city === "lisbon" || city === "london";
  const sign = isPort
    ? svg`<path d="M6 16q1.5-1.6 3 0t3 0t3 0t3 0M9 19q1.5-1.4 3 0t3 0"></path>`
    : svg`<path d="M8.5 19V16.5L12 14.5L15.5 16.5V19Z"></path>`;
  return svg`
    <path class="tint" d="M3 2H21V12C21 17.5 15.5 20.5 12 23C8.5 20.5 3 17.5 3 12Z"></path>
    ${letter(LETTERS[city]?.[0] ?? "", 6.6)}${letter(LETTERS[city]?.[1] ?? "", 13.4)}${sign}`;
}

/** @param {string} name @param {number} x */
function letter(name, x) {
  return svg`<path class="letter" transform="translate(${x} 4.4)" d=${STROKES[name] ?? ""}></path>`;
}

/**
 * @param {string} name @param {number} x @param {number} y @param {number} size @returns {Template}
 */
export function iconAt(name, x, y, size) {
  const place = `translate(${x} ${y}) scale(${size / 24})`;
  return svg`<g class="calimala-icon calimala-tint-${tintOf(name)}" transform=${place}>${shapeOf(name)}</g>`;
}

// Draw an icon in a line of text. It is for the eyes alone: a text beside it must say the same.
/** @param {string} name @param {string} [size] */
export function icon(name, size = "") {
  return html`<svg class="calimala-inline ${size}" viewBox="0 0 24 24" aria-hidden="true">
    ${iconAt(name, 0, 0, 24)}
  </svg>`;
}

/** @param {string} name @returns {Template | Template[]} */
function shapeOf(name) {
  if (name in LETTERS) return shield(name);
  if (name === "port_cities") return threeCities("ship");
  if (name === "trade_cities") return threeCities("transport");
  if (name.startsWith("contributed_")) return contributed(name);
  return DRAWN[name] ?? svg``;
}

// Draw the icon of three cities: how the cloth comes there, over three dots.
/** @param {string} by @returns {Template[]} */
function threeCities(by) {
  const dots = svg`
    <circle class="dot" cx="6" cy="22" r="1.8"></circle>
    <circle class="dot" cx="12" cy="22" r="1.8"></circle>
    <circle class="dot" cx="18" cy="22" r="1.8"></circle>`;
  return [iconAt(by, 2.5, -1, 19), dots];
}

/** @param {string} category @returns {Template[]} */
function contributed(category) {
  const arrow = svg`<path class="strong" d="M20.5 4V19M17.5 15.5L20.5 19.5L23.5 15.5"></path>`;
  return [iconAt(category.replace("contributed_", ""), 0, 3.5, 17), arrow];
}

/** @param {string} name */
function tintOf(name) {
  return name.replace("contributed_", "");
}

// ---- the wooden pieces --------------------------------------------------------------------------

export const DISC_WIDTH = 76;
export const DISC_HEIGHT = 22;

const STAR = "0,-9 2.3,-3.1 8.6,-2.8 3.7,1.2 5.3,7.3 0,3.9 -5.3,7.3 -3.7,1.2 -8.6,-2.8 -2.3,-3.1";

/** @param {number | "white"} disc its owner's seat, or white @param {number} x @param {number} y */
export function discAt(disc, x, y) {
  const colour = disc === "white" ? "calimala-white" : `seat-${disc}`;
  const middle = DISC_WIDTH / 2;
  const mark =
    disc === "white"
      ? svg`<polygon class="star" points=${STAR} transform="translate(${middle} ${DISC_HEIGHT / 2})"></polygon>`
      : seatMark(disc, middle, DISC_HEIGHT / 2, 18);
  return svg`<g class="calimala-disc ${colour}" transform="translate(${x} ${y})">
    <rect class="body" width=${DISC_WIDTH} height=${DISC_HEIGHT} rx="7"></rect>${mark}
  </g>`;
}

/** @param {number | "white"} disc */
export function discInline(disc) {
  const box = `-2 -2 ${DISC_WIDTH + 4} ${DISC_HEIGHT + 4}`;
  return html`<svg class="calimala-inline calimala-slab" viewBox=${box} aria-hidden="true">
    ${discAt(disc, 0, 0)}
  </svg>`;
}

/** @param {number} seat */
export function markInline(seat) {
  return html`<svg class="calimala-inline calimala-mark" viewBox="-12 -12 24 24" aria-hidden="true">
    ${seatMark(seat, 0, 0, 20)}
  </svg>`;
}

/** @param {number[]} owners @param {number} room */
export function slots(owners, room) {
  const free = Array(room).fill(null);
  return html`<span class="calimala-slots">${[...owners, ...free].map(slot)}</span>`;
}

/** @param {number | null} owner */
function slot(owner) {
  // A free slot is no drawing but a box: there are two hundred, and a drawing costs ten times as much.
  if (owner === null) return html`<span class="calimala-slot calimala-free"></span>`;
  return html`<svg class="calimala-slot" viewBox="-12 -12 24 24" aria-hidden="true">
    <rect x="-11" y="-11" width="22" height="22" rx="3"></rect>
    ${seatMark(owner, 0, 0, 19)}
  </svg>`;
}

/** @param {number[]} amounts */
export function ownersOf(amounts) {
  return amounts.flatMap((amount, seat) => Array(amount).fill(seat));
}

/** @param {string} name @param {number} built @param {number} most */
export function builtPieces(name, built, most) {
  const pieces = [];
  for (let index = 0; index < most; index++) {
    const state = index < built ? "built" : "unbuilt";
    pieces.push(html`<span class="calimala-piece ${state}">${icon(name)}</span>`);
  }
  return html`<span class="calimala-pieces">${pieces}</span>`;
}

/** @param {number[]} amounts @returns {Template[]} */
export function tally(amounts) {
  const chips = [];
  for (const [seat, amount] of amounts.entries()) {
    if (amount > 0)
      chips.push(html`<span class="calimala-chip">${markInline(seat)}${amount}</span>`);
  }
  return chips;
}
