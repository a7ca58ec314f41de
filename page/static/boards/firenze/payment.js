// The bricks of a listed move that may be chosen: what is paid, given, handed over or discarded.

import { automatic, COLOURS, counted, drawChooser, listed, total, without } from "./bricks.js";
import { titleOf } from "./cards.js";
import { mover, playerOf } from "./words.js";

/** @import { Due, Heap, Move, PaymentDraft, Tower, View } from "./types.d.ts" */
/** @import { Composer } from "../types.d.ts" */

// By the type of a move: what its bricks are for, and in which field they stand.
const PAID = /** @type {Record<string, { purpose: string, field: string }>} */ ({
  take_card: { purpose: "Pay", field: "payment" },
  exchange: { purpose: "Exchange", field: "give" },
  resolve_event: { purpose: "Burn", field: "bricks" },
  discard: { purpose: "Hand over", field: "bricks" },
  end_turn: { purpose: "Give up", field: "bricks" },
});

// Return a draft in which all bricks follow F25; null where there is nothing to choose.
/** @param {Move} move @param {View} view @param {number} seat @returns {PaymentDraft | null} */
function startPayment(move, view, seat) {
  const due = dueOf(move, view, seat);
  if (due === null || due.count === 0) return null;

  // The order counts only where each brick goes onto a card of its own.
  const ordered = move.type === "take_card" && due.count > 1;
  const colours = new Set(listed(due.pool)).size;
  if (colours < 2 || (!ordered && total(due.pool) <= due.count)) return null;

  const slots = move.type === "take_card" ? view.row.slice(0, due.count) : [];
  return {
    move,
    seat,
    purpose: PAID[move.type]?.purpose ?? "",
    pool: due.pool,
    building: due.building,
    onto: slots.map((slot) => titleOf(slot.card)),
    named: Array(due.count).fill(null),
  };
}

/** @param {PaymentDraft} draft */
function chosenOf({ named }) {
  return named.filter((colour) => colour !== null);
}

// Return all bricks that are due: those chosen, each in its place, the others by F25.
/** @param {PaymentDraft} draft */
export function bricksOf(draft) {
  const chosen = chosenOf(draft);
  const rest = automatic(
    draft.named.length - chosen.length,
    without(draft.pool, chosen),
    draft.building,
  );
  return draft.named.map((colour) => colour ?? rest.shift() ?? "");
}

/** @param {PaymentDraft} draft @returns {Heap} */
function choosable(draft) {
  if (!draft.named.includes(null)) return {};
  return without(draft.pool, chosenOf(draft));
}

// Choose one more brick, for the first place that has none.
/** @param {PaymentDraft} draft @param {string} colour @returns {PaymentDraft} */
function choose(draft, colour) {
  if ((choosable(draft)[colour] ?? 0) <= 0) return draft;
  return { ...draft, named: draft.named.with(draft.named.indexOf(null), colour) };
}

// Leave a place to F25 again.
/** @param {PaymentDraft} draft @param {number} index @returns {PaymentDraft} */
function leave(draft, index) {
  return { ...draft, named: draft.named.with(index, null) };
}

/** @param {PaymentDraft} draft @returns {Move} */
function paymentMove(draft) {
  const { move } = draft;
  if (chosenOf(draft).length === 0) return move;
  return { ...move, [PAID[move.type]?.field ?? "bricks"]: bricksOf(draft) };
}

// ---- the composer for the bricks of a listed move -----------------------------------------------

/** What it starts from is the listed move. @type {Composer<PaymentDraft, Move, View>} */
export const paymentComposer = {
  start: (move, scene) => startPayment(move, scene.view, mover(scene)),
  draw: (draft, _move, _scene, change) => drawPayment(draft, change),
  move: paymentMove,
  problem: () => "",
  pick: (draft, place) => choose(draft, place.split(":")[2] ?? ""),
  targets,
};

/** @param {PaymentDraft} draft @param {(draft: PaymentDraft) => void} change */
function drawPayment(draft, change) {
  return drawChooser({
    legend: `${draft.purpose} ${counted(draft.named.length)}`,
    bricks: bricksOf(draft),
    chosen: draft.named.map((colour) => colour !== null),
    onto: draft.onto,
    choosable: choosable(draft),
    choose: (colour) => change(choose(draft, colour)),
    leave: (index) => change(leave(draft, index)),
  });
}

/** @param {PaymentDraft} draft */
function targets(draft) {
  const left = choosable(draft);
  const colours = COLOURS.filter((colour) => (left[colour] ?? 0) > 0);
  return new Set(colours.map((colour) => `storehouse:${draft.seat}:${colour}`));
}

// ---- what the seat that moves must pay or give up -----------------------------------------------

const FIRE_BRICKS = 3;
const EXCHANGE_PRICE = 3;
const STOREHOUSE_LIMIT = 10;
const WAREHOUSE_LIMIT = 15;

/** @param {View} view @param {number} slot */
export function cardPrice(view, slot) {
  return view.played.includes("princess") ? 0 : slot;
}

/** @param {View} view @param {number} seat */
function exchangePrice(view, seat) {
  const cheaper = playerOf(view, seat).buildings.includes("bridge");
  return cheaper ? EXCHANGE_PRICE - 1 : EXCHANGE_PRICE;
}

/** @param {View} view @param {number} seat */
export function fallingTowers(view, seat) {
  if (view.step !== "build" || view.active !== seat) return [];
  const { towers } = playerOf(view, seat);
  return towers.filter((tower) => tower.lost_unless_raised);
}

// Return the bricks that a move has its seat pay, give or discard; null where it has none.
/** @param {Move} move @param {View} view @param {number} seat @returns {Due | null} */
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

/** @param {Tower[]} towers */
function coloursOf(towers) {
  return new Set(towers.map((tower) => tower.colour));
}

// Return the bricks that Flood and Storehouse Fire may take: none of those that came with the card.
/** @param {View} view @param {number} seat @returns {Heap} */
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

/** @param {View} view @param {number} seat @param {Set<string>} building @returns {Due} */
function burnt(view, seat, building) {
  const pool = sparedPool(view, seat);
  return { count: Math.min(FIRE_BRICKS, total(pool)), pool, building };
}

/** @param {View} view @param {number} seat @param {Set<string>} building @returns {Due | null} */
function handedOver(view, seat, building) {
  const due = view.dues.find((each) => each.seat === seat);
  if (due === undefined || due.exact.length) return null;
  return { count: due.bricks, pool: sparedPool(view, seat), building };
}

/** @param {View} view @param {number} seat @returns {Due} */
function surplus(view, seat) {
  const player = playerOf(view, seat);
  const falling = fallingTowers(view, seat);
  const pool = { ...player.storehouse };
  for (const tower of falling) {
    pool[tower.colour] = (pool[tower.colour] ?? 0) + Math.floor(tower.height / 2);
  }

  const limit = player.buildings.includes("warehouse") ? WAREHOUSE_LIMIT : STOREHOUSE_LIMIT;
  const standing = player.towers.filter((tower) => !falling.includes(tower));
  return { count: Math.max(0, total(pool) - limit), pool, building: coloursOf(standing) };
}
