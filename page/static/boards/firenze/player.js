// What lies before each player: points, seals, construction site, storehouse, cards.

import { html, nothing } from "../../base/dom.js";
import { capital } from "../../base/words.js";
import { box, named } from "../place.js";
import { brick, COLOURS, letterOf, total } from "./bricks.js";
import { cardLabel, cardLine, cardName, cardRule, copiesOf } from "./cards.js";
import { drawHeaps, sealMark } from "./table.js";
import { levels, nameOf, playerOf, points } from "./words.js";

/** @import { Template } from "../../base/types.d.ts" */
/** @import { Held } from "../types.d.ts" */
/** @import { Player, Table, Tower } from "./types.d.ts" */

/** @param {Table} scene */
export function drawPlayers(scene) {
  const { players } = scene.view;
  const first = scene.reader ?? 0;
  const ordered = [...players.slice(first), ...players.slice(0, first)];
  return html`<div class="firenze-players">
    ${ordered.map((player) => drawPlayer(player, scene))}
  </div>`;
}

/** @param {Player} player @param {Table} scene */
function drawPlayer(player, scene) {
  const { seat } = player;
  const { view } = scene;
  const atTurn = seat === view.active && view.step !== null;
  const classes = `firenze-player seat-${seat} ${atTurn ? "firenze-at-turn" : ""}`;
  return html`<section class=${classes} aria-label=${nameOf(scene, seat)}>
    ${header(player, scene, atTurn)} ${drawSite(player, scene)}
    <div class="firenze-store">
      <h3 class="firenze-title">
        ${named("Storehouse", "F24", scene)} <small>${total(player.storehouse)} of ${storeLimit(player)} bricks</small>
      </h3>
      ${drawHeaps(`storehouse:${seat}`, "in the storehouse", player.storehouse, scene)}
    </div>
    <div class="firenze-cards">${cards(player, scene)}</div>
  </section>`;
}

/** @param {Player} player */
function storeLimit(player) {
  return player.buildings.includes("warehouse") ? 15 : 10;
}

// ---- header -------------------------------------------------------------------------------------

/** @param {Player} player @param {Table} scene @param {boolean} atTurn */
function header(player, scene, atTurn) {
  const { seat, seals } = player;
  const badges = badgesOf(player, scene, atTurn);
  const name = nameOf(scene, seat);
  const label = [name, points(player.points), `${seals} seals left`, ...badges].join(", ");
  const marks = Array.from({ length: seals }, () => sealMark(seat));

  const content = html`<span class="firenze-name">${sealMark(seat)}<b>${name}</b></span>
    <span class="firenze-points"><b>${player.points}</b> ${player.points === 1 ? "point" : "points"}</span>
    <span class="firenze-seals"
      >${marks}<small>${seals} seals left</small> ${badges.map((badge) => {
        return html`<span class="firenze-badge">${badge}</span>`;
      })}</span
    >`;
  return box(`player:${seat}`, label, scene, content, "firenze-header");
}

/** @param {Player} player @param {Table} scene @param {boolean} atTurn */
function badgesOf(player, scene, atTurn) {
  const { view } = scene;
  const badges = [];
  if (atTurn) badges.push("At turn");
  if (view.ranks.length) badges.push(`Rank ${view.ranks[player.seat]}`);
  if (view.end_seat === player.seat) badges.push("End tile");
  if (view.church.includes("campanile")) {
    badges.push(player.bell_tower ? "Bell tower delivered" : "Owes the bell tower");
  }
  return badges;
}

// ---- cards --------------------------------------------------------------------------------------

/** @param {Player} player @param {Table} scene @returns {Template[]} */
function cards(player, scene) {
  const { seat, hand, buildings } = player;
  const held = [...copiesOf(hand)].map(([card, copies]) => {
    return cardItem(`hand:${seat}:${card}`, card, copies, scene);
  });
  const open = buildings.map((/** @type {string} */ card) => {
    return cardItem(`building:${seat}:${card}`, card, 1, scene);
  });
  return [group("Hand", hand.length, held), group("Buildings", buildings.length, open)];
}

/** @param {string} title @param {number} count @param {Template[]} items */
function group(title, count, items) {
  const list = items.length ? html`<ul class="firenze-lines">${items}</ul>` : nothing;
  const none = items.length ? nothing : html`<small>none</small>`;
  return html`<div class="firenze-group">
    <h3 class="firenze-title">${title} ${count ? html`<small>${count}</small>` : none}</h3>
    ${list}
  </div>`;
}

/** @param {string} name @param {string} card @param {number} copies @param {Table} scene */
function cardItem(name, card, copies, scene) {
  const label = cardLabel(card, copies);
  const line = cardLine(card, copies);
  return html`<li>${box(name, label, scene, line, "firenze-line")}${cardRule(card, scene)}</li>`;
}

// ---- a construction site ------------------------------------------------------------------------

/** @param {Player} player @param {Table} scene */
function drawSite(player, scene) {
  const { towers, seat } = player;
  const label = `Construction site of ${nameOf(scene, seat)}`;
  const none = html`<p class="firenze-site-empty">No towers</p>`;
  return html`<div class="firenze-site" role="group" aria-label=${label}>
    ${towers.length ? nothing : none}
    ${towers.map((tower) => drawTower(tower, seat, scene))}
  </div>`;
}

/** @param {Tower} tower @param {number} seat @param {Table} scene */
function drawTower(tower, seat, scene) {
  const { tower: number, colour, height, lost_unless_raised: falls } = tower;
  const bricks = Array.from({ length: height }, () => brick(colour, "firenze-laid"));
  const content = html`<span class="firenze-tower-height">${height}${falls ? warning() : nothing}</span>
    <span class="firenze-tower-bricks">${bricks}</span>
    <span class="firenze-tower-number">No. ${number}</span>`;

  const lost = falls ? ", torn down unless raised" : "";
  const label = `${capital(colour)} tower, height ${height}, No. ${number}${lost}`;
  return box(`tower:${seat}:${number}`, label, scene, content, "firenze-own-tower");
}

function warning() {
  return html`<svg class="firenze-warning" viewBox="-10 -10 20 20" aria-hidden="true">
    <path d="M0 -9 L9.5 8 H-9.5 Z"></path>
    <path class="firenze-warning-mark" d="M0 -4 V3 M0 5 V6.5"></path>
  </svg>`;
}

// ---- what the reader has to act with, for the strip beside the choices --------------------------

// Return bricks, towers, seals and cards.
/** @param {Table} scene @returns {Held[][]} */
export function held({ view, reader }) {
  if (reader === null || !view.players?.[reader]) return [];

  const player = playerOf(view, reader);
  const seals = `${player.seals} seals left`;
  return [
    COLOURS.map((colour) => heldBricks(colour, player.storehouse[colour] ?? 0)),
    [
      ...player.towers.map(heldTower),
      { key: "seals", label: seals, drawn: sealMark(reader), amount: player.seals },
    ],
    [...copiesOf([...player.hand, ...player.buildings])].map(heldCard),
  ];
}

/** @param {string} colour @param {number} amount @returns {Held} */
function heldBricks(colour, amount) {
  return {
    key: colour,
    label: `${amount} ${colour} in the storehouse`,
    drawn: brick(colour),
    amount,
  };
}

/** @param {Tower} tower @returns {Held} */
function heldTower({ tower, colour, height, lost_unless_raised: falls }) {
  const label = `${capital(colour)} tower of ${levels(height)}${falls ? ", torn down unless raised" : ""}`;
  const classes = `firenze-held-tower firenze-${colour}`;
  const drawn = html`<span class=${classes} data-letter=${letterOf(colour)}></span>${falls ? warning() : nothing}`;
  return { key: `tower:${tower}`, label, drawn, amount: height };
}

/** @param {[string, number]} cardAndCopies @returns {Held} */
function heldCard([card, copies]) {
  const text = copies > 1 ? `×${copies}` : "";
  return {
    key: `card:${card}`,
    label: cardLabel(card, copies),
    drawn: cardName(card),
    amount: copies,
    text,
  };
}
