// The composer for buildings: bricks are laid one by one, and paid for (F19, F20).

import { html, nothing } from "../../base/dom.js";
import { rulesAddress } from "../../base/home.js";
import { capital } from "../../base/words.js";
import {
  automatic,
  brick,
  COLOURS,
  counted,
  drawChooser,
  inWords,
  listed,
  without,
} from "./bricks.js";
import { columnOf, isOpen, LOWEST } from "./table.js";
import { joined, levels, mover, points, towerInWords } from "./words.js";

/** @import { Attempt, BuildDraft, Buildable, Change, Heap, Move, Plan, Table, Target, Tower, View }
 *   from "./types.d.ts" */
/** @import { Composer } from "../types.d.ts" */

/** @type {Composer<BuildDraft, Buildable, View, Move>} */
export const buildComposer = {
  start: (beyond, scene) => startBuild(beyond, mover(scene)),
  draw: (draft, _beyond, scene, change) => drawBuild(draft, scene, change),
  move: buildMove,
  problem: () => "",
  pick: pickBrick,
  targets: placesOf,
  from: (move, beyond, scene) => draftOf(move, beyond, mover(scene)),
};

// ---- places of the board ------------------------------------------------------------------------

// Return the draft after a click: on a tower one brick is laid onto it, on a heap of the storehouse
// a brick goes onto the new tower of its colour, which is begun if there is none.
/** @param {BuildDraft} draft @param {string} place @returns {BuildDraft} */
function pickBrick(draft, place) {
  const [kind, , detail] = place.split(":");
  if (kind === "tower") return lay(draft, `tower:${detail}`);
  if (kind === "storehouse") return lay(draft, `new:${detail}:0`);
  return draft;
}

/** @param {BuildDraft} draft */
function placesOf(draft) {
  const { seat, beyond } = draft;
  const places = new Set(["build"]);
  for (const tower of beyond.towers) {
    if (canLay(draft, tower.colour)) places.add(`tower:${seat}:${tower.tower}`);
  }
  for (const colour of COLOURS) {
    if (canLay(draft, colour)) places.add(`storehouse:${seat}:${colour}`);
  }
  return places;
}

// ---- the controls -------------------------------------------------------------------------------

/** @param {BuildDraft} draft @param {Table} scene @param {Change} change */
function drawBuild(draft, scene, change) {
  const rows = targetsOf(draft).map((target) => drawTarget(draft, target, scene, change));
  return html`<div class="firenze-build">
    <p>${sumWords(draft)}</p>
    ${drawCosts(draft)}
    <ul class="firenze-targets">${rows}</ul>
    ${drawFalling(draft)} ${drawPayment(draft, change)}
    <div class="firenze-build-steps">
      <button type="button" ?disabled=${draft.past.length === 0} @click=${() => change(undo(draft))}>
        Take the last step back
      </button>
      <button type="button" ?disabled=${laidOf(draft) === 0} @click=${() => change(reset(draft))}>
        Begin anew
      </button>
    </div>
  </div>`;
}

/** @param {BuildDraft} draft */
function sumWords(draft) {
  const { most, workshop, mason } = draft.beyond;
  const laid = laidOf(draft);
  const price = costOf(draft);
  const helpers = [workshop ? "Workshop" : "", mason ? "Mason" : ""].filter((name) => name);
  const cheaper = helpers.length ? ` (${joined(helpers)} counted)` : "";
  const cost = price ? `costs ${counted(price)}${cheaper}` : `costs nothing${cheaper}`;
  const left = inWords(without(leftOf(draft), paymentOf(draft)));
  return `Laid: ${laid} of at most ${most}. That ${cost}, and leaves ${left}.`;
}

/** @param {BuildDraft} draft */
function drawCosts(draft) {
  const laid = laidOf(draft);
  const cells = draft.beyond.cost.map(
    (/** @type {number} */ price, /** @type {number} */ bricks) => {
      const current = bricks === laid ? "true" : nothing;
      const label = `Laying ${bricks} costs ${price}`;
      const classes = bricks > draft.beyond.most ? "firenze-too-many" : "";
      return html`<li class=${classes} aria-current=${current}>
      <span class="firenze-hidden">${label}</span>
      <span aria-hidden="true"><b>${bricks}</b><br />${price ? `−${price}` : "free"}</span>
    </li>`;
    },
  );
  return html`<ol class="firenze-costs">${cells}</ol>`;
}

/** @param {BuildDraft} draft @param {Target} target @param {Table} scene @param {Change} change */
function drawTarget(draft, target, scene, change) {
  const { key, colour, laid, tower } = target;
  const height = target.height + laid;
  const name = tower === null ? `New ${colour} tower` : `${capital(colour)} tower no. ${tower}`;
  const classes = target.threatened && !laid ? "firenze-target firenze-falls" : "firenze-target";
  return html`<li class=${classes}>
    ${brick(colour)}
    <span class="firenze-target-words"><b>${name}</b> ${heightWords(target, scene)}</span>
    <button
      type="button"
      class="firenze-less"
      aria-label="One brick less: ${name}"
      ?disabled=${laid === 0}
      @click=${() => change(takeBack(draft, key))}
    >−</button>
    <output aria-label="Bricks laid: ${name}, ${levels(height)}">${laid}</output>
    <button
      type="button"
      class="firenze-more"
      aria-label="One brick more: ${name}"
      ?disabled=${!canLay(draft, colour)}
      @click=${() => change(lay(draft, key))}
    >+</button>
  </li>`;
}

/** @param {Target} target @param {Table} scene */
function heightWords(target, scene) {
  const { view } = scene;
  const height = target.height + target.laid;
  if (height === 0) return "";

  const rises = target.laid && target.height ? `${target.height} → ` : "";
  const worth = isOpen(view, target.colour, height)
    ? `, commission of ${points(columnOf(view, target.colour).points[height - LOWEST] ?? 0)}`
    : "";
  const falls = target.threatened && !target.laid ? ", torn down unless raised" : "";
  return `${rises}${levels(height)}${worth}${falls}`;
}

/** @param {BuildDraft} draft */
function drawFalling(draft) {
  const falling = fallingOf(draft);
  if (falling.length === 0) return nothing;
  const towers = joined(falling.map((tower) => `the ${towerInWords(tower)}`));
  const back = falling.reduce((sum, tower) => sum + Math.floor(tower.height / 2), 0);
  const all = falling.reduce((sum, tower) => sum + tower.height, 0);
  return html`<p class="firenze-falling" role="status">
    <b>If building ends so, ${towers} ${falling.length > 1 ? "are" : "is"} torn down.</b>
    Back to the storehouse: ${back} of ${counted(all)}
    (<a class="rule" href=${rulesAddress("firenze", "F20")}>F20</a>).
  </p>`;
}

/** @param {BuildDraft} draft @param {Change} change */
function drawPayment(draft, change) {
  const price = costOf(draft);
  if (price === 0) return nothing;

  const { named } = draft.plan;
  const bricks = paymentOf(draft);
  return drawChooser({
    legend: `Pay ${counted(price)}`,
    bricks,
    chosen: bricks.map((_, index) => index < named.length),
    onto: [],
    choosable: named.length < price ? without(leftOf(draft), named) : {},
    choose: (colour) => change(payWith(draft, colour)),
    leave: (index) => change(leaveToRule(draft, index)),
  });
}

// ---- a building under way -----------------------------------------------------------------------

/** @type {Plan} */
const NOTHING = { raised: {}, begun: [], named: [] };

/** @param {Buildable} beyond @param {number} seat @returns {BuildDraft} */
function startBuild(beyond, seat) {
  return { beyond, seat, plan: NOTHING, past: [] };
}

// Return the draft of a build that is known already; it can be undone as a whole.
/** @param {Move} move @param {Buildable} beyond @param {number} seat @returns {BuildDraft} */
function draftOf(move, beyond, seat) {
  /** @type {Plan} */
  const plan = { raised: {}, begun: [], named: move.payment ?? [] };

  for (const { colour, bricks, tower } of move.lay ?? []) {
    if (tower === undefined || tower === null) plan.begun.push({ colour, laid: bricks });
    else plan.raised[tower] = bricks;
  }
  return { beyond, seat, plan, past: [NOTHING] };
}

/** @param {BuildDraft} draft */
function laidOf({ plan }) {
  let laid = 0;
  for (const bricks of Object.values(plan.raised)) laid += bricks;
  for (const tower of plan.begun) laid += tower.laid;
  return laid;
}

// Return the towers that can be raised or begun: one more new tower for each colour at hand.
/** @param {BuildDraft} draft @returns {Target[]} */
export function targetsOf(draft) {
  const { beyond, plan } = draft;
  const left = leftOf(draft);
  const targets = beyond.towers.map((tower) => standing(tower, plan));

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

/** @param {Tower} tower @param {Plan} plan @returns {Target} */
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

// Return the bricks that are left after laying; it is these that are paid with.
/** @param {BuildDraft} draft @returns {Heap} */
function leftOf({ beyond, plan }) {
  /** @type {Heap} */
  const left = { ...beyond.bricks };
  for (const tower of beyond.towers) {
    left[tower.colour] = (left[tower.colour] ?? 0) - (plan.raised[tower.tower] ?? 0);
  }
  for (const tower of plan.begun) left[tower.colour] = (left[tower.colour] ?? 0) - tower.laid;
  return left;
}

/** @param {BuildDraft} draft */
function costOf(draft) {
  return draft.beyond.cost[laidOf(draft)] ?? 0;
}

// Return the bricks that are paid: those chosen, then those that follow F25.
/** @param {BuildDraft} draft */
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

/** @param {BuildDraft} draft @returns {Attempt} */
function buildMove(draft) {
  const lay = targetsOf(draft)
    .filter((target) => target.laid > 0)
    .map(({ colour, laid, tower }) => {
      return tower === null ? { colour, bricks: laid } : { colour, bricks: laid, tower };
    });
  const payment = draft.plan.named.length ? { payment: paymentOf(draft) } : {};
  return { type: "build", lay, ...payment };
}

// ---- the steps of a building under way ----------------------------------------------------------

/** @param {BuildDraft} draft @param {string} colour */
function canLay(draft, colour) {
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
function leaveToRule(draft, index) {
  const { plan } = draft;
  return next(draft, { ...plan, named: plan.named.filter((_, other) => other !== index) });
}

/** @param {BuildDraft} draft @returns {BuildDraft} */
export function undo(draft) {
  const plan = draft.past.at(-1);
  return plan === undefined ? draft : { ...draft, plan, past: draft.past.slice(0, -1) };
}

/** @param {BuildDraft} draft @returns {BuildDraft} */
function reset(draft) {
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
