// Controls with which bricks are chosen one by one; what is not chosen follows F25.

import { html, nothing } from "../../base/dom.js";
import { brick } from "./brick_marks.js";
import { COLOURS } from "./bricks.js";

/** @import { Choosing } from "./types.d.ts" */

/** @param {Choosing} choosing */
export function drawChooser(choosing) {
  const all = choosing.chosen.every((chosen) => chosen);
  const hint = all
    ? "All are chosen. Press a brick to leave it to the rule again."
    : "Dashed bricks follow the rule (F25). Press a colour to choose a brick yourself.";
  const colours = COLOURS.filter((colour) => (choosing.choosable[colour] ?? 0) > 0);

  return html`<fieldset class="firenze-chooser">
    <legend>${choosing.legend}</legend>
    <ol class="firenze-due">
      ${choosing.bricks.map((colour, index) => drawDue(choosing, colour, index))}
    </ol>
    <p class="firenze-hint">${hint}</p>
    <div class="firenze-palette">
      ${colours.map((colour) => drawColour(choosing, colour))}
    </div>
  </fieldset>`;
}

/** @param {Choosing} choosing @param {string} colour @param {number} index */
function drawDue(choosing, colour, index) {
  const onto = choosing.onto[index];
  const where = onto ? html`<small>onto ${onto}</small>` : nothing;
  const goes = onto ? ` onto ${onto}` : "";
  if (!choosing.chosen[index]) {
    return html`<li>
      <span class="firenze-hidden">${colour}${goes}, by the rule</span>${brick(colour, "firenze-by-rule")}
      ${where}
    </li>`;
  }
  const label = `${colour}${goes}, chosen; leave it to the rule`;
  return html`<li>
    <button type="button" class="firenze-chip" aria-label=${label} @click=${() => choosing.leave(index)}>
      ${brick(colour)}
    </button>
    ${where}
  </li>`;
}

/** @param {Choosing} choosing @param {string} colour */
function drawColour(choosing, colour) {
  const left = choosing.choosable[colour];
  const label = `Choose a ${colour} brick, ${left} left`;
  return html`<button type="button" class="firenze-chip" aria-label=${label} @click=${() => choosing.choose(colour)}>
    ${brick(colour)}<span aria-hidden="true">${left}</span>
  </button>`;
}
