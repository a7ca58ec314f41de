// The steps of a building under way: brick by brick, back and forth (F19). Every draft is legal: a
// step that would break a rule returns the draft as it is.

import { listed } from "./bricks.js";
import { costOf, laidOf, leftOf, NOTHING, targetsOf } from "./build_draft.js";

/** @import { BuildDraft, Plan, Target } from "./types.d.ts" */

/** @param {BuildDraft} draft @param {string} colour */
export function canLay(draft, colour) {
  return laidOf(draft) < draft.beyond.most && (leftOf(draft)[colour] ?? 0) > 0;
}

/** @param {BuildDraft} draft @param {string} key @returns {BuildDraft} */
export function lay(draft, key) {
  const target = targetsOf(draft).find((each) => each.key === key);
  if (target === undefined || !canLay(draft, target.colour)) return draft;
  return withLaid(draft, target, target.laid + 1);
}

/** @param {BuildDraft} draft @param {string} key @returns {BuildDraft} */
export function takeBack(draft, key) {
  const target = targetsOf(draft).find((each) => each.key === key);
  if (target === undefined || target.laid === 0) return draft;
  return withLaid(draft, target, target.laid - 1);
}

/** @param {BuildDraft} draft @param {Target} target @param {number} laid @returns {BuildDraft} */
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

/** @param {BuildDraft} draft @param {string} colour @returns {BuildDraft} */
export function payWith(draft, colour) {
  const { plan } = draft;
  return next(draft, { ...plan, named: [...plan.named, colour] });
}

/** @param {BuildDraft} draft @param {number} index @returns {BuildDraft} */
export function leaveToRule(draft, index) {
  const { plan } = draft;
  return next(draft, { ...plan, named: plan.named.filter((_, other) => other !== index) });
}

/** @param {BuildDraft} draft @returns {BuildDraft} */
export function undo(draft) {
  const plan = draft.past.at(-1);
  return plan === undefined ? draft : { ...draft, plan, past: draft.past.slice(0, -1) };
}

/** @param {BuildDraft} draft @returns {BuildDraft} */
export function reset(draft) {
  return next(draft, NOTHING);
}

/** @param {BuildDraft} draft @param {Plan} plan @returns {BuildDraft} */
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
