// The composer for buildings: bricks are laid one by one, and paid for (F19, F20).

import { html, nothing } from "../../base/dom.js";
import { brick } from "./brick_marks.js";
import { COLOURS, counted, inWords, without } from "./bricks.js";
import { drawChooser } from "./bricks_chooser.js";
import {
  buildMove,
  costOf,
  draftOf,
  fallingOf,
  laidOf,
  leftOf,
  paymentOf,
  startBuild,
  targetsOf,
} from "./build_draft.js";
import { canLay, lay, leaveToRule, payWith, reset, takeBack, undo } from "./build_steps.js";
import { isOpen } from "./open.js";
import { capital, joined, levels, mover, points, towerInWords } from "./words.js";

/** @import { BuildDraft, Change, Target } from "./types.d.ts" */
/** @import { Composer, Scene } from "../types.d.ts" */

/** @type {Composer} */
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

/**
 * Return the draft after a click: on a tower one brick is laid onto it, on a heap of the storehouse
 * a brick goes onto the new tower of its colour, which is begun if there is none.
 * @param {BuildDraft} draft @param {string} place @returns {BuildDraft}
 */
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

/** @param {BuildDraft} draft @param {Scene} scene @param {Change} change */
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

/** @param {BuildDraft} draft @param {Target} target @param {Scene} scene @param {Change} change */
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

/** @param {Target} target @param {Scene} scene */
function heightWords(target, scene) {
  const { view } = scene;
  const height = target.height + target.laid;
  if (height === 0) return "";

  const rises = target.laid && target.height ? `${target.height} → ` : "";
  const worth = isOpen(view, target.colour, height)
    ? `, commission of ${points(view.commissions[target.colour].points[height - 3])}`
    : "";
  const falls = target.threatened && !target.laid ? ", falls unless raised" : "";
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
    <b>If building ends so, ${towers} ${falling.length > 1 ? "fall" : "falls"}.</b>
    Back to the storehouse: ${back} of ${counted(all)} (F20).
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
