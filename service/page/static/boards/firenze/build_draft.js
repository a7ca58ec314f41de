// A building under way: bricks laid onto towers, and what is paid for them (F19). A draft is never
// changed: build_steps.js returns the draft that follows a step.

import { automatic, COLOURS, without } from "./bricks.js";

/** @import { BuildDraft, Heap, Plan, Target } from "./types.d.ts" */

/** @type {Plan} */
export const NOTHING = { raised: {}, begun: [], named: [] };

/** @param {any} beyond @param {number} seat @returns {BuildDraft} */
export function startBuild(beyond, seat) {
  return { beyond, seat, plan: NOTHING, past: [] };
}

/**
 * Return the draft of a build that is known already; it can be undone as a whole.
 * @param {any} move @param {any} beyond @param {number} seat @returns {BuildDraft}
 */
export function draftOf(move, beyond, seat) {
  /** @type {Plan} */
  const plan = { raised: {}, begun: [], named: move.payment ?? [] };

  for (const { colour, bricks, tower } of move.lay ?? []) {
    if (tower === undefined) plan.begun.push({ colour, laid: bricks });
    else plan.raised[tower] = bricks;
  }
  return { beyond, seat, plan, past: [NOTHING] };
}

/** @param {BuildDraft} draft */
export function laidOf({ plan }) {
  let laid = 0;
  for (const bricks of Object.values(plan.raised)) laid += bricks;
  for (const tower of plan.begun) laid += tower.laid;
  return laid;
}

/**
 * Return the towers that can be raised or begun: one more new tower for each colour at hand.
 * @param {BuildDraft} draft @returns {Target[]}
 */
export function targetsOf(draft) {
  const { beyond, plan } = draft;
  const left = leftOf(draft);
  const targets = beyond.towers.map((/** @type {any} */ tower) => standing(tower, plan));

  for (const colour of COLOURS) {
    const begun = plan.begun.filter((tower) => tower.colour === colour);
    const further = (left[colour] ?? 0) > 0 ? [{ colour, laid: 0 }] : [];
    [...begun, ...further].forEach((tower, index) => {
      targets.push({
        key: `new:${colour}:${index}`,
        colour,
        tower: null,
        height: 0,
        laid: tower.laid,
        threatened: false,
      });
    });
  }
  return targets;
}

/** @param {any} tower @param {Plan} plan @returns {Target} */
function standing(tower, plan) {
  return {
    key: `tower:${tower.tower}`,
    colour: tower.colour,
    tower: tower.tower,
    height: tower.height,
    laid: plan.raised[tower.tower] ?? 0,
    threatened: tower.lost_unless_raised,
  };
}

/**
 * Return the bricks that are left after laying; it is these that are paid with.
 * @param {BuildDraft} draft @returns {Heap}
 */
export function leftOf({ beyond, plan }) {
  /** @type {Heap} */
  const left = { ...beyond.bricks };
  for (const tower of beyond.towers) {
    left[tower.colour] = (left[tower.colour] ?? 0) - (plan.raised[tower.tower] ?? 0);
  }
  for (const tower of plan.begun) left[tower.colour] = (left[tower.colour] ?? 0) - tower.laid;
  return left;
}

/** @param {BuildDraft} draft */
export function costOf(draft) {
  return draft.beyond.cost[laidOf(draft)];
}

/**
 * Return the bricks that are paid: those chosen, then those that follow F25.
 * @param {BuildDraft} draft
 */
export function paymentOf(draft) {
  const { named } = draft.plan;
  const left = without(leftOf(draft), named);
  return [...named, ...automatic(costOf(draft) - named.length, left, coloursBuilt(draft))];
}

/** @param {BuildDraft} draft */
function coloursBuilt({ beyond, plan }) {
  const towers = [...beyond.towers, ...plan.begun];
  return new Set(towers.map((tower) => tower.colour));
}

/** @param {BuildDraft} draft @returns {Target[]} */
export function fallingOf(draft) {
  return targetsOf(draft).filter((target) => target.threatened && target.laid === 0);
}

/** @param {BuildDraft} draft @returns {any} */
export function buildMove(draft) {
  const lay = targetsOf(draft)
    .filter((target) => target.laid > 0)
    .map(({ colour, laid, tower }) => {
      return tower === null ? { colour, bricks: laid } : { colour, bricks: laid, tower };
    });
  const payment = draft.plan.named.length ? { payment: paymentOf(draft) } : {};
  return { type: "build", lay, ...payment };
}
