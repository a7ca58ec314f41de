// The board of Firenze (docs/rules/firenze.md).

import { html } from "../../base/dom.js";
import { COLOURS } from "./bricks.js";
import { buildComposer } from "./build.js";
import { copiesOf } from "./cards.js";
import { attempt, choices, words } from "./choices.js";
import { paymentComposer } from "./payment.js";
import { drawPlayers, held } from "./player.js";
import { balconyAt, columnOf, drawCommissions, drawRow, drawSupply, LOWEST } from "./table.js";
import { drawTurn } from "./turn.js";

/** @import { Player, Table, View } from "./types.d.ts" */
/** @import { Board } from "../types.d.ts" */

/** @type {Board} */
export const board = {
  draw,
  choices,
  words,
  looks,
  attempt,
  held,
  composers: { build: buildComposer },
  adjust: {
    take_card: paymentComposer,
    exchange: paymentComposer,
    resolve_event: paymentComposer,
    discard: paymentComposer,
    end_turn: paymentComposer,
  },
};

/** @param {Table} scene */
function draw(scene) {
  return html`<div class="firenze">
    ${drawTurn(scene)}
    <div class="firenze-table">
      ${drawCommissions(scene)} ${drawRow(scene)} ${drawSupply(scene)}
    </div>
    ${drawPlayers(scene)}
  </div>`;
}

// ---- what each place shows, as a text that differs when the place looks different ---------------

// Return what each place shows. Two views differ if and only if their looks differ.
/** @param {View} view */
function looks(view) {
  /** @type {Map<string, unknown>} */
  const shown = new Map();
  addTurn(shown, view);
  addTable(shown, view);
  addCommissions(shown, view);
  for (const player of view.players) addPlayer(shown, player, view);

  const texts = new Map();
  for (const [place, look] of shown) texts.set(place, JSON.stringify(look));
  return texts;
}

/** @param {Map<string, unknown>} shown @param {View} view */
function addTurn(shown, view) {
  shown.set("turn", [
    view.step,
    view.active,
    view.turn,
    view.turn_limit,
    view.played,
    view.architect,
    view.taken,
    sorted(view.taken_bricks),
    view.dues,
    view.end_seat,
  ]);
  shown.set("exchange", view.exchanged);
  shown.set("build", view.build ?? null);
}

/** @param {Map<string, unknown>} shown @param {View} view */
function addTable(shown, view) {
  view.row.forEach((slot, number) => {
    shown.set(`slot:${number}`, [slot.card, sorted(slot.bricks)]);
  });
  view.church.forEach((/** @type {string} */ card, /** @type {number} */ space) => {
    shown.set(`church:${space}`, card);
  });
  for (const colour of COLOURS) shown.set(`pouch:${colour}`, view.pouch[colour] ?? 0);
  shown.set("deck", view.deck);
  shown.set("discards", sorted(view.discards));
}

/** @param {Map<string, unknown>} shown @param {View} view */
function addCommissions(shown, view) {
  for (const colour of COLOURS) {
    const { points, seals } = columnOf(view, colour);
    shown.set(`majority:${colour}`, view.majority[colour]);
    for (let index = 0; index < points.length; index += 1) {
      const look = [points[index], seals[index], balconyAt(view, colour, LOWEST + index) ?? null];
      shown.set(`commission:${colour}:${LOWEST + index}`, look);
    }
  }
  for (const tile of view.level_tiles) shown.set(`level:${tile.height}`, [tile.points, tile.seat]);
}

/** @param {Map<string, unknown>} shown @param {Player} player @param {View} view */
function addPlayer(shown, player, view) {
  const { seat } = player;
  const rank = view.ranks[seat] ?? null;
  shown.set(`player:${seat}`, [player.points, player.seals, player.bell_tower, rank]);
  for (const colour of COLOURS) {
    shown.set(`storehouse:${seat}:${colour}`, player.storehouse[colour] ?? 0);
  }
  for (const tower of player.towers) {
    const look = [tower.colour, tower.height, tower.lost_unless_raised];
    shown.set(`tower:${seat}:${tower.tower}`, look);
  }
  for (const [card, copies] of copiesOf(player.hand)) shown.set(`hand:${seat}:${card}`, copies);
  for (const card of player.buildings) shown.set(`building:${seat}:${card}`, 1);
}

/** @param {Record<string, number>} counts @returns {[string, number][]} */
function sorted(counts) {
  return Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1));
}
