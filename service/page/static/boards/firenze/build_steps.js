/**
 * The steps of a building under way: brick by brick, back and forth (F19).
 *
 * Every draft is legal: a step that would break a rule returns the draft as it is.
 */

import { listed } from "./bricks.js";
import { costOf, laidOf, leftOf, NOTHING, targetsOf } from "./build_draft.js";

/** @typedef {import("./build_draft.js").BuildDraft} BuildDraft */
/** @typedef {import("./build_draft.js").Plan} Plan */
/** @typedef {import("./build_draft.js").Target} Target */

/**
 * Return whether a brick of a colour can still be laid and paid for.
 *
 * @param {BuildDraft} draft
 * @param {string} colour
 * @returns {boolean}
 */
export function canLay(draft, colour) {
  return laidOf(draft) < draft.beyond.most && (leftOf(draft)[colour] ?? 0) > 0;
}

/**
 * Lay one brick onto a tower.
 *
 * @param {BuildDraft} draft
 * @param {string} key of a target
 * @returns {BuildDraft}
 */
export function lay(draft, key) {
  const target = targetsOf(draft).find((each) => each.key === key);
  if (target === undefined || !canLay(draft, target.colour)) return draft;
  return withLaid(draft, target, target.laid + 1);
}

/**
 * Take one brick of this draft back from a tower.
 *
 * @param {BuildDraft} draft
 * @param {string} key of a target
 * @returns {BuildDraft}
 */
export function takeBack(draft, key) {
  const target = targetsOf(draft).find((each) => each.key === key);
  if (target === undefined || target.laid === 0) return draft;
  return withLaid(draft, target, target.laid - 1);
}

/**
 * @param {BuildDraft} draft
 * @param {Target} target
 * @param {number} laid
 * @returns {BuildDraft}
 */
function withLaid(draft, target, laid) {
  const { plan } = draft;
  if (target.tower !== null) {
    return next(draft, { ...plan, raised: { ...plan.raised, [target.tower]: laid } });
  }

  const index = Number(target.key.split(":")[2]);
  const others = plan.begun.filter((tower) => tower.colour !== target.colour);
  const begun = plan.begun.filter((tower) => tower.colour === target.colour);
  begun[index] = { colour: target.colour, laid };
  const standing = begun.filter((tower) => tower.laid > 0);
  return next(draft, { ...plan, begun: [...others, ...standing] });
}

/**
 * Choose one more of the bricks that are paid.
 *
 * @param {BuildDraft} draft
 * @param {string} colour
 * @returns {BuildDraft}
 */
export function payWith(draft, colour) {
  const { plan } = draft;
  return next(draft, { ...plan, named: [...plan.named, colour] });
}

/**
 * Leave one of the chosen bricks to F25 again.
 *
 * @param {BuildDraft} draft
 * @param {number} index
 * @returns {BuildDraft}
 */
export function leaveToRule(draft, index) {
  const { plan } = draft;
  return next(draft, { ...plan, named: plan.named.filter((_, other) => other !== index) });
}

/**
 * Return the draft before the last step.
 *
 * @param {BuildDraft} draft
 * @returns {BuildDraft}
 */
export function undo(draft) {
  const plan = draft.past.at(-1);
  return plan === undefined ? draft : { ...draft, plan, past: draft.past.slice(0, -1) };
}

/**
 * Return a draft of nothing; it can be undone.
 *
 * @param {BuildDraft} draft
 * @returns {BuildDraft}
 */
export function reset(draft) {
  return next(draft, NOTHING);
}

/**
 * Return the draft with a new plan; chosen bricks that are no longer there or due are dropped.
 *
 * @param {BuildDraft} draft
 * @param {Plan} plan
 * @returns {BuildDraft}
 */
function next(draft, plan) {
  const following = { ...draft, plan, past: [...draft.past, draft.plan] };
  const due = costOf(following);
  const pool = listed(leftOf(following));

  /** @type {string[]} */
  const named = [];
  for (const colour of plan.named) {
    const place = pool.indexOf(colour);
    if (place < 0 || named.length === due) continue;
    pool.splice(place, 1);
    named.push(colour);
  }
  return { ...following, plan: { ...plan, named } };
}
