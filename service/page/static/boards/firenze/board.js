// The board of Firenze (docs/rules/firenze.md).

import { html } from "../../base/dom.js";
import { attempt } from "./attempt.js";
import { buildComposer } from "./build_composer.js";
import { choices, words } from "./choices.js";
import { drawCommissions } from "./commissions.js";
import { looks } from "./looks.js";
import { paymentComposer } from "./payment_composer.js";
import { drawPlayers } from "./player.js";
import { drawRow } from "./row.js";
import { drawSupply } from "./supply.js";
import { drawTurn } from "./turn.js";

/** @import { Board, Scene } from "../types.d.ts" */

/** @type {Board} */
export const board = {
  draw,
  choices,
  words,
  looks,
  attempt,
  composers: { build: buildComposer },
  adjust: {
    take_card: paymentComposer,
    exchange: paymentComposer,
    resolve_event: paymentComposer,
    discard: paymentComposer,
    end_turn: paymentComposer,
  },
};

/** @param {Scene} scene */
function draw(scene) {
  return html`<div class="firenze">
    ${drawTurn(scene)}
    <div class="firenze-table">
      ${drawCommissions(scene)} ${drawRow(scene)} ${drawSupply(scene)}
    </div>
    ${drawPlayers(scene)}
  </div>`;
}
