// The composer for the bricks of a listed move: what is paid, given or discarded (F25).

import { COLOURS, counted } from "./bricks.js";
import { drawChooser } from "./bricks_chooser.js";
import { bricksOf, choosable, choose, leave, paymentMove, startPayment } from "./payment.js";
import { mover } from "./words.js";

/** @import { PaymentDraft } from "./types.d.ts" */
/** @import { Composer } from "../types.d.ts" */

/** What it starts from is the listed move. @type {Composer} */
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
