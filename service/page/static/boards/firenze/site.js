// A construction site: towers of bricks laid one on another (F19, F20).

import { html, nothing } from "../../base/dom.js";
import { box } from "./box.js";
import { brick } from "./brick_marks.js";
import { capital, nameOf } from "./words.js";

/** @import { Scene } from "../types.d.ts" */

/** @param {any} player @param {Scene} scene */
export function drawSite(player, scene) {
  const { towers, seat } = player;
  const label = `Construction site of ${nameOf(scene, seat)}`;
  const none = html`<p class="firenze-site-empty">No towers</p>`;
  return html`<div class="firenze-site" role="group" aria-label=${label}>
    ${towers.length ? nothing : none}
    ${towers.map((/** @type {any} */ tower) => drawTower(tower, seat, scene))}
  </div>`;
}

/** @param {any} tower @param {number} seat @param {Scene} scene */
function drawTower(tower, seat, scene) {
  const { tower: number, colour, height, lost_unless_raised: falls } = tower;
  const bricks = Array.from({ length: height }, () => brick(colour, "firenze-laid"));
  const content = html`<span class="firenze-tower-height">${height}${falls ? warning() : nothing}</span>
    <span class="firenze-tower-bricks">${bricks}</span>
    <span class="firenze-tower-number">No. ${number}</span>`;

  const lost = falls ? ", lost unless raised" : "";
  const label = `${capital(colour)} tower, height ${height}, No. ${number}${lost}`;
  return box(`tower:${seat}:${number}`, label, scene, content, "firenze-own-tower");
}

function warning() {
  return html`<svg class="firenze-warning" viewBox="-10 -10 20 20" aria-hidden="true">
    <path d="M0 -9 L9.5 8 H-9.5 Z"></path>
    <path class="firenze-warning-mark" d="M0 -4 V3 M0 5 V6.5"></path>
  </svg>`;
}
