// The bricks of a listed move that may be chosen: what is paid, given, handed over or discarded.

import { automatic, listed, total, without } from "./bricks.js";
import { titleOf } from "./cards.js";
import { dueOf } from "./prices.js";

/** @import { Heap, PaymentDraft } from "./types.d.ts" */

const FIELDS = /** @type {Record<string, string>} */ ({
  take_card: "payment",
  exchange: "give",
  resolve_event: "bricks",
  discard: "bricks",
  end_turn: "bricks",
});

const PURPOSES = /** @type {Record<string, string>} */ ({
  take_card: "Pay",
  exchange: "Give",
  resolve_event: "Burn",
  discard: "Hand over",
  end_turn: "Discard",
});

/**
 * Return a draft in which all bricks follow F25; null where there is nothing to choose.
 * @param {any} move @param {any} view @param {number} seat @returns {PaymentDraft | null}
 */
export function startPayment(move, view, seat) {
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
    purpose: PURPOSES[move.type] ?? "",
    pool: due.pool,
    building: due.building,
    onto: slots.map((/** @type {any} */ slot) => titleOf(slot.card)),
    named: Array(due.count).fill(null),
  };
}

/** @param {PaymentDraft} draft */
function chosenOf({ named }) {
  return named.filter((colour) => colour !== null);
}

/**
 * Return all bricks that are due: those chosen, each in its place, the others by F25.
 * @param {PaymentDraft} draft
 */
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
export function choosable(draft) {
  if (!draft.named.includes(null)) return {};
  return without(draft.pool, chosenOf(draft));
}

/**
 * Choose one more brick, for the first place that has none.
 * @param {PaymentDraft} draft @param {string} colour @returns {PaymentDraft}
 */
export function choose(draft, colour) {
  if ((choosable(draft)[colour] ?? 0) <= 0) return draft;
  return { ...draft, named: draft.named.with(draft.named.indexOf(null), colour) };
}

/**
 * Leave a place to F25 again.
 * @param {PaymentDraft} draft @param {number} index @returns {PaymentDraft}
 */
export function leave(draft, index) {
  return { ...draft, named: draft.named.with(index, null) };
}

/** @param {PaymentDraft} draft @returns {any} */
export function paymentMove(draft) {
  const { move } = draft;
  if (chosenOf(draft).length === 0) return move;
  return { ...move, [FIELDS[move.type] ?? "bricks"]: bricksOf(draft) };
}
