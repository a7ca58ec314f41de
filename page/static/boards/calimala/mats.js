// What lies openly before each player.

import { html } from "../../base/dom.js";
import { counted } from "../../base/words.js";
import { named, placeBox } from "../place.js";
import { builtPieces, discInline, icon, markInline, slots } from "./icons.js";
import { councilSeats } from "./map.js";
import { nameOf, RESOURCES, TRADE_CITIES } from "./names.js";

/** @import { Template } from "../../base/types.d.ts" */
/** @import { Player, Table } from "./types.d.ts" */

const CAPACITY = 4;
const SHIPS = 3;
const WORKSHOPS = 3;

// The mats lie in the order of the turns; the reader's own is the first.
/** @param {Table} scene */
export function drawMats(scene) {
  const all = scene.view.players.map((player, seat) => drawMat(player, seat, scene));
  const first = scene.reader ?? 0;
  const mats = [...all.slice(first), ...all.slice(0, first)];
  return html`<section class="calimala-part calimala-mats" aria-label="Players">
    <h2>${named("Players", "C9", scene)}</h2>
    <div class="calimala-mats-in-a-row calimala-of-${mats.length}">${mats}</div>
  </section>`;
}

/** @param {Player} player @param {number} seat @param {Table} scene */
function drawMat(player, seat, scene) {
  const acts = scene.view.actors.includes(seat);
  const classes = `calimala-mat seat-${seat} ${acts ? "acts" : ""}`;
  return html`<div class=${classes} role="group" aria-label="Mat of ${scene.seats[seat]?.name}">
    ${drawHead(player, seat, scene)}
    <div class="calimala-stats">${drawCounts(player, seat, scene)}</div>
    <div class="calimala-stores">${drawStores(player, seat, scene)}</div>
    <div class="calimala-stores">${drawWorkshops(player, seat, scene)}</div>
    <div class="calimala-fleet">${drawFleet(player, seat, scene)}</div>
  </div>`;
}

/** @param {Player} player @param {number} seat @param {Table} scene */
function drawHead(player, seat, { view, seats, ...scene }) {
  const rank = view.ranks?.[seat];
  const acts = view.actors.includes(seat);
  const state = rank ? `rank ${rank}` : acts ? "to act" : "";
  const own = scene.reader === seat ? html`<span class="calimala-quiet">(you)</span>` : "";
  const points = html`<b>${player.points}</b> ${player.points === 1 ? "point" : "points"}`;
  const place = placeBox(
    `mat:${seat}:points`,
    `${counted(player.points, "point")}${state ? `, ${state}` : ""}`,
    { view, seats, ...scene },
    html`${state ? html`<em>${state}</em>` : ""}<span>${points}</span>`,
    "img",
    "calimala-points",
  );
  return html`<div class="calimala-head">
    <h3>${markInline(seat)}<span>${seats[seat]?.name}</span>${own}</h3>${place}
  </div>`;
}

/** @param {Player} player @param {number} seat @param {Table} scene */
function drawCounts(player, seat, scene) {
  const held = councilSeats(scene.view)[seat] ?? 0;
  const artworks = scene.view.buildings.palazzo_vecchio?.artwork?.cubes[seat] ?? 0;
  const ties = `${counted(held, "seat")} and ${counted(artworks, "artwork")} in the council`;
  const coloured = `${counted(player.coloured_discs, "coloured disc")} left`;
  const white = `${counted(player.white_discs, "white disc")} left`;
  return [
    count(`mat:${seat}:coloured`, coloured, discInline(seat), player.coloured_discs, scene),
    count(`mat:${seat}:white`, white, discInline("white"), player.white_discs, scene),
    count(`mat:${seat}:reserve`, cubesInWords(player), icon("cube"), player.reserve, scene),
    count(`mat:${seat}:hand`, cardsInWords(player), icon("card"), player.hand_size, scene),
    count(`mat:${seat}:council`, ties, icon("seat"), `${held}+${artworks}`, scene),
  ];
}

/** @param {Player} player */
function cubesInWords(player) {
  return `${counted(player.reserve, "cube")} in the reserve`;
}

/** @param {Player} player */
function cardsInWords(player) {
  return `${counted(player.hand_size, "action card")} in the hand`;
}

/**
 * @param {string} name @param {string} label @param {Template} drawn
 * @param {number | string} amount @param {Table} scene
 */
function count(name, label, drawn, amount, scene) {
  const content = html`${drawn}<span>${amount}</span>`;
  const box = placeBox(name, label, scene, content, "img", "calimala-count");
  return html`<span title=${label}>${box}</span>`;
}

/** @param {Player} player @param {number} seat @param {Table} scene */
function drawStores(player, seat, scene) {
  const stock = [player.wood, player.brick, player.marble];
  return RESOURCES.map((resource, index) => {
    const amount = stock[index] ?? 0;
    const label = `${nameOf(resource)} warehouse: ${amount} of ${CAPACITY}`;
    return store(`mat:${seat}:${resource}`, label, resource, amount, seat, scene);
  });
}

/** @param {Player} player @param {number} seat @param {Table} scene */
function drawWorkshops(player, seat, scene) {
  const boxes = [];
  for (let index = 0; index < WORKSHOPS; index++) {
    const cloth = player.workshops[index];
    const name = `mat:${seat}:workshop:${index}`;
    if (cloth === undefined) boxes.push(unbuilt(name, index, scene));
    else {
      const label = `Workshop ${index + 1}: ${cloth} of ${CAPACITY} cloth`;
      boxes.push(store(name, label, "cloth", cloth, seat, scene));
    }
  }
  return boxes;
}

/**
 * @param {string} name @param {string} label @param {string} good @param {number} amount
 * @param {number} seat @param {Table} scene
 */
function store(name, label, good, amount, seat, scene) {
  const owners = Array(amount).fill(seat);
  const title = html`<span class="calimala-title">${icon(good)}${nameOf(good)}</span>`;
  const content = html`${title}${slots(owners, CAPACITY - amount)}`;
  return placeBox(name, label, scene, content, "img", "calimala-store");
}

/** @param {string} name @param {number} index @param {Table} scene */
function unbuilt(name, index, scene) {
  const content = builtPieces("workshop", 0, 1);
  const label = `Workshop ${index + 1}: not built`;
  return placeBox(name, label, scene, content, "img", "calimala-store calimala-unbuilt");
}

/** @param {Player} player @param {number} seat @param {Table} scene */
function drawFleet(player, seat, scene) {
  const ships = html`<span class="calimala-title">Port</span>
    ${builtPieces("ship", player.ships, SHIPS)}`;
  const owned = player.trade_houses.map(nameOf).join(", ") || "none";
  const houses = html`<span class="calimala-title">Trade houses</span>
    <span class="calimala-pieces">${TRADE_CITIES.map((city) => drawHouse(city, player))}</span>`;
  return [
    placeBox(
      `mat:${seat}:ships`,
      `Port: ${player.ships} of ${counted(SHIPS, "ship")}`,
      scene,
      ships,
      "img",
      "calimala-store",
    ),
    placeBox(
      `mat:${seat}:houses`,
      `Trade houses: ${owned}`,
      scene,
      houses,
      "img",
      "calimala-store",
    ),
  ];
}

/** @param {string} city @param {Player} player */
function drawHouse(city, player) {
  const state = player.trade_houses.includes(city) ? "built" : "unbuilt";
  return html`<span class="calimala-piece ${state}">${icon(city)}</span>`;
}
