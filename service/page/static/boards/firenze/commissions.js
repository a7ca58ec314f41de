// The six towers of commissions, level tiles beside them, and the flags of the majorities.

import { html, nothing, svg } from "../../base/dom.js";
import { capital } from "../../base/words.js";
import { box, named, seatMark } from "../place.js";
import { COLOURS, letterOf } from "./bricks.js";
import { joined, levels, nameOf, points } from "./words.js";

/** @import { Balcony, Table, View } from "./types.d.ts" */

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
