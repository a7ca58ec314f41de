/** A construction site: towers of bricks laid one on another (F19, F20). */

import { html, nothing, svg } from "../../base/dom.js";
import { place } from "../place.js";
import { letterOf } from "./bricks.js";
import { joined, levels, nameOf, towerInWords } from "./words.js";

/** @typedef {import("../../base/dom.js").Template} Template */
/** @typedef {import("../board.js").Scene} Scene */

const BRICK_WIDTH = 40;
const BRICK_HEIGHT = 17;
const TOWER_STEP = 62;
const HEAD_ROOM = 26;
const FOOT_ROOM = 20;
const LEAST_TOWERS = 5;
const LEAST_LEVELS = 4;

/**
 * Draw the construction site of a player.
 *
 * @param {any} player
 * @param {Scene} scene
 * @returns {Template}
 */
export function drawSite(player, scene) {
  const { towers } = player;
  const heights = towers.map((/** @type {any} */ tower) => tower.height);
  const tallest = Math.max(LEAST_LEVELS, ...heights);
  const ground = HEAD_ROOM + tallest * BRICK_HEIGHT;
  const width = Math.max(LEAST_TOWERS, towers.length) * TOWER_STEP;

  return html`<svg
    class="firenze-site"
    viewBox="0 0 ${width} ${ground + FOOT_ROOM}"
    width=${width}
    role="group"
    aria-label=${siteLabel(player, scene)}
  >
    <path class="firenze-ground" d="M0 ${ground} H${width}"></path>
    ${
      towers.length
        ? nothing
        : svg`<text class="firenze-site-empty" x=${width / 2} y=${ground - 12}>No towers</text>`
    }
    ${towers.map((/** @type {any} */ tower, /** @type {number} */ index) => {
      return drawTower(tower, player.seat, index * TOWER_STEP + TOWER_STEP / 2, ground, scene);
    })}
  </svg>`;
}

/**
 * @param {any} player
 * @param {Scene} scene
 * @returns {string}
 */
function siteLabel(player, scene) {
  const owner = `Construction site of ${nameOf(scene, player.seat)}`;
  const towers = player.towers.map(towerInWords);
  return `${owner}: ${joined(towers) || "no towers"}`;
}

/**
 * @param {any} tower
 * @param {number} seat
 * @param {number} centre
 * @param {number} ground
 * @param {Scene} scene
 * @returns {Template}
 */
function drawTower(tower, seat, centre, ground, scene) {
  const { height, colour } = tower;
  const top = ground - height * BRICK_HEIGHT;
  const bricks = Array.from({ length: height }, (_, level) => {
    return drawBrick(colour, centre, ground - (level + 1) * BRICK_HEIGHT, level);
  });

  const falls = tower.lost_unless_raised;
  const warning = falls ? ", lost unless raised" : "";
  const label = `${colour} tower ${tower.tower}, ${levels(height)}${warning}`;
  const content = svg`
    <rect class="frame firenze-tower-frame" x=${centre - 28} y=${top - 23}
      width="56" height=${height * BRICK_HEIGHT + 42} rx="5"></rect>
    ${bricks}
    <text class="firenze-tower-height" x=${falls ? centre - 9 : centre} y=${top - 6}>${height}</text>
    ${falls ? drawWarning(centre + 10, top - 12) : nothing}
    <text class="firenze-tower-number" x=${centre} y=${ground + 14}>No. ${tower.tower}</text>`;
  return place(`tower:${seat}:${tower.tower}`, label, scene, content);
}

/**
 * Draw a brick; every other one is shifted a little, as laid by hand.
 *
 * @param {string} colour
 * @param {number} centre
 * @param {number} top
 * @param {number} level
 * @returns {Template}
 */
function drawBrick(colour, centre, top, level) {
  const left = centre - BRICK_WIDTH / 2 + (level % 2 ? 1 : -1);
  return svg`<g class="firenze-laid firenze-${colour}">
    <rect x=${left} y=${top + 0.5} width=${BRICK_WIDTH} height=${BRICK_HEIGHT - 1} rx="2"></rect>
    <text x=${left + BRICK_WIDTH / 2} y=${top + 12.8}>${letterOf(colour)}</text>
  </g>`;
}

/**
 * Draw the mark of a tower that falls unless it is raised: a triangle with an exclamation mark.
 *
 * @param {number} x
 * @param {number} y
 * @returns {Template}
 */
function drawWarning(x, y) {
  return svg`<g class="firenze-warning" transform="translate(${x} ${y})">
    <path d="M0 -9 L9.5 7.5 H-9.5 Z"></path>
    <text y="5.5">!</text>
  </g>`;
}
