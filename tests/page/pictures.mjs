// The pictures in the texts for players ("How it goes"), made of the pieces that the boards draw.
// `node tests/page/pictures.mjs` writes them to page/static/pictures; a test compares them.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import "./browser.mjs";
import { DISC_HEIGHT, DISC_WIDTH, discAt, iconAt } from "../../page/static/boards/calimala/icons.js";
import { cardName } from "../../page/static/boards/firenze/cards.js";
import { seatMark } from "../../page/static/boards/place.js";

const STATIC = new URL("../../page/static/", import.meta.url);

// ---- templates as texts -------------------------------------------------------------------------

// Return the text of a template: its strings, and its values between them.
function written(part) {
  if (Array.isArray(part)) return part.map(written).join("");
  if (part?.strings === undefined) return typeof part === "symbol" ? "" : String(part ?? "");

  let text = "";
  part.strings.forEach((string, index) => {
    const isBare = text.endsWith("=");
    text += string;
    if (index >= part.values.length) return;
    const value = written(part.values[index]);
    text += string.endsWith("=") && !isBare ? `"${value}"` : value;
  });
  return text;
}

// ---- what a picture consists of -----------------------------------------------------------------

// The colours of the pages, light and dark.
const COLOURS = readFileSync(new URL("style/colours.css", STATIC), "utf8");
const [, LIGHT, DARK] = /:root \{(.*?)\n\}.*?:root \{(.*?)\n {2}\}/s.exec(COLOURS);

// Return the style of a picture: the colours that it uses, and how the pieces are drawn.
function styleOf(drawn) {
  const rules = [
    "text{fill:var(--ink);font:600 15px Ubuntu,Calibri,sans-serif;text-anchor:middle}",
    ".small{font-weight:400;font-size:13px}",
    ".tile,.pane{fill:var(--surface);stroke:var(--quiet)}",
    ".street{fill:var(--paper);stroke:var(--line)}",
    ".next{fill:var(--surface);stroke:var(--accent);stroke-width:3}",
    ".line{fill:none;stroke:var(--ink);stroke-width:2}",
    ".gone{opacity:.45}",
    ".gone rect{stroke-dasharray:4 3}",
    ".calimala-icon{fill:none;stroke:var(--ink);stroke-width:1.3;stroke-linecap:round;stroke-linejoin:round}",
    ".calimala-icon .tint{fill:color-mix(in srgb,var(--accent) 30%,var(--surface))}",
    ".calimala-icon .pane{fill:var(--surface);stroke:var(--ink)}",
    ".calimala-icon .strong{stroke-width:2.4}",
    ".calimala-icon .letter{stroke-width:1.7}",
    ".calimala-disc .body{fill:var(--seat);stroke:var(--ink);stroke-width:1.2}",
    ".calimala-disc .seat-mark{fill:var(--on-seat);stroke:none}",
    ".calimala-disc.calimala-white .body{fill:var(--white-disc)}",
    ".star{fill:#26211a}",
    ".seat-mark{fill:var(--seat)}",
    ".firenze-sign-ground{fill:var(--kind)}",
    ".firenze-sign-shape{fill:#fff}",
    ".brick{stroke:#0006}",
  ];
  const seats = [0, 1, 2].map((seat) => `.seat-${seat}{--seat:var(--seat-${seat})}`);
  const kinds = Object.entries({ personnel: "#1f5594", event: "#9c2420", building: "#5a4636" });
  const ofKinds = kinds.map(([kind, colour]) => `.firenze-${kind}{--kind:${colour}}`);

  const all = [...rules, ...seats, ...ofKinds].filter((rule) => isUsed(rule, drawn)).join("");
  const light = colours(LIGHT, drawn + all);
  return `<style>:root{${light}}@media(prefers-color-scheme:dark){:root{${colours(DARK, drawn + all)}}}${all}</style>`;
}

function isUsed(rule, drawn) {
  const classes = [...rule.split("{")[0].matchAll(/\.([\w-]+)/g)].map(([, name]) => name);
  return classes.length === 0 || classes.some((name) => new RegExp(`["\\s]${name}["\\s]`).test(drawn));
}

function colours(declared, text) {
  const used = [...declared.matchAll(/(--[\w-]+): ([^;]+);/g)].filter(([, name]) => {
    return text.includes(`var(${name})`);
  });
  return used.map(([, name, value]) => `${name}:${value}`).join(";");
}

function picture(width, height, ...parts) {
  const drawn = written(parts).replace(/\s+/g, " ").replace(/> </g, "><");
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${styleOf(drawn)}${drawn}</svg>\n`;
}

const at = (x, y, part) => `<g transform="translate(${x} ${y})">${written(part)}</g>`;
const text = (x, y, words, name = "") => `<text x="${x}" y="${y}" class="${name}">${words}</text>`;
const box = (x, y, width, height, name) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" class="${name}"/>`;
const arrow = (x, y, length) =>
  `<path class="line" d="M${x} ${y}h${length}m-7 -6l7 6l-7 6"/>`;

// ---- calimala -----------------------------------------------------------------------------------

function street() {
  const tile = (x, action, name) => [
    box(x, 6, 96, 96, "tile"),
    iconAt(action, x + 22, 14, 52),
    text(x + 48, 92, name),
  ];
  return picture(
    312,
    108,
    tile(6, "weave", "Weave"),
    tile(210, "ship", "Ship"),
    box(106, 12, 100, 84, "street"),
    discAt(0, 106 + (100 - DISC_WIDTH) / 2, 66),
  );
}

function stack() {
  const discs = [2, 0, 1, 0]; // from the bottom
  const x = 60;
  const top = 14;
  const rows = discs.map((disc, position) => {
    const y = top + (3 - position) * (DISC_HEIGHT + 6);
    const words = ["", "3rd", "2nd", "1st"][position];
    return [discAt(disc, x, y), text(30, y + 16, words)];
  });
  const bottom = top + 3 * (DISC_HEIGHT + 6);
  return picture(
    312,
    132,
    rows,
    arrow(x + DISC_WIDTH + 10, bottom + 11, 60),
    iconAt("seat", 222, bottom - 26, 44),
    text(244, bottom + 34, "council", "small"),
    text(224, 44, "activated, from the top", "small"),
  );
}

function scoring() {
  const counts = [
    [0, 4, "3 points"],
    [1, 2, "2 points"],
    [2, 1, "1 point"],
  ];
  return picture(
    312,
    120,
    box(6, 6, 92, 108, "next"),
    iconAt("lisbon", 26, 18, 52),
    text(52, 96, "Lisbon"),
    counts.map(([seat, cloth, points], row) => {
      const y = 26 + row * 36;
      const pieces = Array.from({ length: cloth }, (_, index) => iconAt("cloth", 150 + 24 * index, y - 12, 22));
      return [seatMark(seat, 126, y, 20), pieces, text(282, y + 5, points, "small")];
    }),
  );
}

// ---- firenze ------------------------------------------------------------------------------------

const INK = { white: "#26211a", yellow: "#26211a" };

function brick(colour, x, y, width = 22, height = 22) {
  const fill = `fill="var(--brick-${colour})"`;
  const letter = `<text x="${x + width / 2}" y="${y + height / 2 + 5}" fill="${INK[colour] ?? "#fff"}" style="fill:${INK[colour] ?? "#fff"}" font-size="13">${colour[0].toUpperCase()}</text>`;
  return `<rect class="brick" x="${x}" y="${y}" width="${width}" height="${height}" rx="3" ${fill}/>${letter}`;
}

function tower(colour, height, x, ground) {
  return Array.from({ length: height }, (_, level) => {
    return brick(colour, x + (level % 2), ground - 20 * (level + 1), 44, 20);
  });
}

function row() {
  const cards = ["mason", "flood", "workshop", "alchemist"];
  const bricks = [
    ["white", "white", "red", "blue"],
    ["white", "yellow", "green", "green"],
    ["yellow", "red", "purple", "white"],
    ["white", "white", "yellow", "blue"],
  ];
  return picture(
    480,
    126,
    cards.map((card, slot) => {
      const x = 6 + slot * 119;
      const sign = written(cardName(card)).replace("<svg ", '<svg width="24" height="24" ').split("<span>")[0];
      const title = card[0].toUpperCase() + card.slice(1);
      return [
        box(x, 6, 110, 90, "tile"),
        at(x + 8, 14, sign),
        text(x + 70, 31, title, "small"),
        bricks[slot].map((colour, index) => brick(colour, x + 8 + 24 * index, 62)),
        text(x + 55, 118, slot === 0 ? "free" : slot === 1 ? "1 brick" : `${slot} bricks`, "small"),
      ];
    }),
  );
}

function build() {
  const ground = 104;
  return picture(
    400,
    132,
    `<path class="line" d="M6 ${ground}H394"/>`,
    tower("red", 2, 24, ground),
    arrow(80, ground - 40, 34),
    tower("red", 4, 128, ground),
    text(98, 124, "raised: it stands", "small"),
    tower("yellow", 2, 238, ground),
    arrow(294, ground - 40, 34),
    `<g class="gone">${tower("yellow", 2, 342, ground).join("")}</g>`,
    text(312, 124, "not raised: torn down", "small"),
  );
}

function commission() {
  const ground = 110;
  return picture(
    312,
    120,
    tower("green", 4, 30, ground),
    arrow(92, 70, 44),
    box(152, 46, 120, 44, "next"),
    `<rect x="152" y="46" width="10" height="44" fill="var(--brick-green)"/>`,
    text(180, 74, "4"),
    text(226, 74, "3 points", "small"),
    seatMark(0, 290, 68, 26),
    `<path class="line" d="M6 ${ground}H86"/>`,
  );
}

/** The pictures by their names. */
export const PICTURES = {
  "calimala-street": street,
  "calimala-stack": stack,
  "calimala-scoring": scoring,
  "firenze-row": row,
  "firenze-build": build,
  "firenze-commission": commission,
};

export function fileOf(name) {
  return new URL(`pictures/${name}.svg`, STATIC);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, draw] of Object.entries(PICTURES)) writeFileSync(fileOf(name), draw());
}
