// What the seat that moves must pay or give up: how many bricks, out of which (F14-F34).

import { COLOURS, total } from "./bricks.js";
import { playerOf } from "./words.js";

/** @import { Due, Heap } from "./types.d.ts" */

const FIRE_BRICKS = 3;
const EXCHANGE_PRICE = 3;
const STOREHOUSE_LIMIT = 10;
const WAREHOUSE_LIMIT = 15;

/** @param {any} view @param {number} slot */
export function cardPrice(view, slot) {
  return view.played.includes("princess") ? 0 : slot;
}

/** @param {any} view @param {number} seat */
function exchangePrice(view, seat) {
  const cheaper = playerOf(view, seat).buildings.includes("bridge");
  return cheaper ? EXCHANGE_PRICE - 1 : EXCHANGE_PRICE;
}

/** @param {any} view @param {number} seat @returns {any[]} */
export function fallingTowers(view, seat) {
  if (view.step !== "build" || view.active !== seat) return [];
  const { towers } = playerOf(view, seat);
  return towers.filter((/** @type {any} */ tower) => tower.lost_unless_raised);
}

/**
 * Return the bricks that a move has its seat pay, give or discard; null where it has none.
 * @param {any} move @param {any} view @param {number} seat @returns {Due | null}
 */
export function dueOf(move, view, seat) {
  const player = playerOf(view, seat);
  const building = coloursOf(player.towers);
  switch (move.type) {
    case "take_card":
      return { count: cardPrice(view, move.slot), pool: player.storehouse, building };
    case "exchange":
      return { count: exchangePrice(view, seat), pool: player.storehouse, building };
    case "resolve_event":
      return view.taken === "storehouse_fire" ? burnt(view, seat, building) : null;
    case "discard":
      return handedOver(view, seat, building);
    case "end_turn":
      return surplus(view, seat);
    default:
      return null;
  }
}

/** @param {any[]} towers */
function coloursOf(towers) {
  return new Set(towers.map((tower) => tower.colour));
}

/**
 * Return the bricks that Flood and Storehouse Fire may take: none of those that came with the card.
 * @param {any} view @param {number} seat @returns {Heap}
 */
function sparedPool(view, seat) {
  const { storehouse } = playerOf(view, seat);
  const spares = view.taken === "flood" || view.taken === "storehouse_fire";
  if (!spares || seat !== view.active) return storehouse;

  /** @type {Heap} */
  const pool = {};
  for (const colour of COLOURS) {
    pool[colour] = (storehouse[colour] ?? 0) - (view.taken_bricks[colour] ?? 0);
  }
  return pool;
}

/** @param {any} view @param {number} seat @param {Set<string>} building @returns {Due} */
function burnt(view, seat, building) {
  const pool = sparedPool(view, seat);
  return { count: Math.min(FIRE_BRICKS, total(pool)), pool, building };
}

/** @param {any} view @param {number} seat @param {Set<string>} building @returns {Due | null} */
function handedOver(view, seat, building) {
  const due = view.dues.find((/** @type {any} */ each) => each.seat === seat);
  if (due === undefined || due.exact.length) return null;
  return { count: due.bricks, pool: sparedPool(view, seat), building };
}

/** @param {any} view @param {number} seat @returns {Due} */
function surplus(view, seat) {
  const player = playerOf(view, seat);
  const falling = fallingTowers(view, seat);
  const pool = { ...player.storehouse };
  for (const tower of falling) {
    pool[tower.colour] = (pool[tower.colour] ?? 0) + Math.floor(tower.height / 2);
  }

  const limit = player.buildings.includes("warehouse") ? WAREHOUSE_LIMIT : STOREHOUSE_LIMIT;
  const standing = player.towers.filter((/** @type {any} */ tower) => !falling.includes(tower));
  return { count: Math.max(0, total(pool) - limit), pool, building: coloursOf(standing) };
}
