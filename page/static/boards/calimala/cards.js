// What the reader holds, and the cards: what lies open, the deck and the discards.

import { html } from "../../base/dom.js";
import { counted } from "../../base/words.js";
import { named, placeBox } from "../place.js";
import { discInline, icon, markInline } from "./icons.js";
import { ACTIONS, nameOf, RESOURCES } from "./names.js";

/** @import { Template } from "../../base/types.d.ts" */
/** @import { Held } from "../types.d.ts" */
/** @import { Own, Player, Table } from "./types.d.ts" */

/** @param {Table} scene */
export function drawOwn(scene) {
  const { view, reader } = scene;
  if (reader === null || view.own === undefined) return "";
  const player = view.players[reader];
  if (player === undefined) return "";

  return html`<section class="calimala-part calimala-own" aria-label="What you hold">
    <h2>${named("What you hold", "C43", scene)}</h2>
    <div class="calimala-hands">
      <div class="calimala-hand">${drawDiscs(player, reader, scene)}</div>
      <div class="calimala-hand">${drawHand(view.own, scene)}</div>
      <div class="calimala-hand">${drawScoringCards(view.own, scene)}</div>
    </div>
  </section>`;
}

/** @param {Player} player @param {number} reader @param {Table} scene */
function drawDiscs(player, reader, scene) {
  const coloured = `Coloured × ${player.coloured_discs}, discs left to place`;
  const white = `White × ${player.white_discs}, discs left to place`;
  return [
    card("disc:coloured", coloured, discInline(reader), "Coloured", player.coloured_discs, scene),
    card("disc:white", white, discInline("white"), "White", player.white_discs, scene),
  ];
}

/** @param {Own} own @param {Table} scene */
function drawHand(own, scene) {
  const held = ACTIONS.filter((action) => own.hand[action]);
  if (held.length === 0) return html`<p class="calimala-quiet">No action cards.</p>`;
  return held.map((action) => {
    const amount = own.hand[action] ?? 0;
    const label = `${nameOf(action)} × ${amount}, in your hand`;
    return card(`card:${action}`, label, large(action), nameOf(action), amount, scene);
  });
}

/** @param {Own} own @param {Table} scene */
function drawScoringCards(own, scene) {
  return own.scoring_cards_dealt.map((category) => {
    const kept = category === own.scoring_card_kept;
    const open = own.scoring_card_kept === null;
    const state = kept ? "kept" : open ? "dealt" : "boxed";
    const label = `${nameOf(category)}, ${state} scoring card`;
    const classes = kept || open ? "" : "boxed";
    return scoringCard(`scoring:${category}`, label, category, state, scene, classes);
  });
}

// ---- what the reader has to act with, for the strip beside the choices --------------------------

// Return discs, goods, what is built, and cards.
/** @param {Table} scene @returns {Held[][]} */
export function held({ view, reader }) {
  const player = reader === null ? undefined : view.players?.[reader];
  if (reader === null || player === undefined || view.own === undefined) return [];

  const discs = [
    thing("coloured disc", discInline(reader), player.coloured_discs),
    thing("white disc", discInline("white"), player.white_discs),
  ];
  return [discs, goodsOf(player), cardsOf(view.own), builtBy(player)];
}

/** @param {Player} player */
function goodsOf(player) {
  const stock = [player.wood, player.brick, player.marble];
  const goods = RESOURCES.map((resource, index) => {
    return good(resource, stock[index] ?? 0, "warehouse");
  });

  const cloth = player.workshops.reduce((sum, woven) => sum + woven, 0);
  return [...goods, good("cloth", cloth, "workshops")];
}

/** @param {Player} player @returns {Held[]} */
function builtBy(player) {
  const houses = player.trade_houses.map((city) => {
    return {
      key: city,
      label: `Trade house in ${nameOf(city)}`,
      drawn: icon(city),
      amount: 1,
      text: "",
    };
  });
  return [
    thing("workshop", icon("workshop"), player.workshops.length),
    thing("ship", icon("ship"), player.ships),
    ...houses,
    thing("cube", icon("cube"), player.reserve, " in the reserve"),
  ];
}

/** @param {Own} own @returns {Held[]} */
function cardsOf(own) {
  const hand = ACTIONS.filter((action) => own.hand[action]).map((action) => {
    const amount = own.hand[action] ?? 0;
    const drawn = html`<span class="calimala-held-card">${icon(action)}</span>`;
    return { key: `card:${action}`, label: `${nameOf(action)} card × ${amount}`, drawn, amount };
  });

  const kept = own.scoring_card_kept;
  if (kept === null) return hand;
  const drawn = html`<span class="calimala-held-card calimala-scoring">${icon(kept)}</span>`;
  const label = `Scoring card: ${nameOf(kept)}`;
  return [...hand, { key: "scoring", label, drawn, amount: 1, text: "" }];
}

/**
 * @param {string} noun @param {Template} drawn @param {number} amount @param {string} [where]
 * @returns {Held}
 */
function thing(noun, drawn, amount, where = "") {
  return { key: noun, label: `${counted(amount, noun)}${where}`, drawn, amount };
}

/** @param {string} name @param {number} amount @param {string} where @returns {Held} */
function good(name, amount, where) {
  return { key: name, label: `${amount} ${name} in the ${where}`, drawn: icon(name), amount };
}

/** @param {Table} scene */
export function drawOpenCards(scene) {
  return html`<section class="calimala-part calimala-cards" aria-label="Cards">
    <h2>${named("Cards", "C20", scene)}</h2>
    <div class="calimala-hand">
      ${drawDraft(scene)} ${drawDeck(scene)} ${drawDiscards(scene)} ${drawFaceUp(scene)}
      ${drawFinalCards(scene)}
    </div>
  </section>`;
}

/** @param {Table} scene */
function drawDraft(scene) {
  return scene.view.open_cards.map((action) => {
    const label = `${nameOf(action)}, open action card`;
    return card(`open:${action}`, label, large(action), nameOf(action), "open", scene);
  });
}

/** @param {Table} scene */
function drawDeck(scene) {
  const size = scene.view.deck_size;
  const label = `Deck: ${counted(size, "action card")}`;
  return card("deck", label, large("card"), "Deck", size, scene);
}

/** @param {Table} scene */
function drawDiscards(scene) {
  const { discards } = scene.view;
  const names = ACTIONS.filter((action) => discards[action]);
  const inWords = names.map((action) => `${discards[action]} ${nameOf(action)}`).join(", ");
  const chips = names.map(
    (action) => html`<span class="calimala-chip">${icon(action)}${discards[action]}</span>`,
  );
  const content = html`<span class="calimala-title">Discards</span>
    <span class="calimala-chips">${chips.length ? chips : "none"}</span>`;
  const label = `Discards: ${inWords || "none"}`;
  return placeBox("discards", label, scene, content, "img", "calimala-card calimala-wide");
}

/** @param {Table} scene */
function drawFaceUp(scene) {
  const category = scene.view.face_up_card;
  if (category === null) return "";
  const scored = scene.view.final_cards_scored > 0;
  const state = scored ? "scored" : "for all";
  const label = `Face-up scoring card, which counts for everybody: ${nameOf(category)}${scored ? ", scored" : ""}`;
  return scoringCard("face_up", label, category, state, scene);
}

/** @param {Table} scene */
function drawFinalCards(scene) {
  const { view, seats } = scene;
  const first = view.face_up_card === null ? 0 : 1;
  return (view.final_cards ?? []).map((category, seat) => {
    const scored = seat + first < view.final_cards_scored;
    const state = html`${markInline(seat)}${scored ? "scored" : "kept"}`;
    const label = `Scoring card of ${seats[seat]?.name}: ${nameOf(category)}${scored ? ", scored" : ""}`;
    return scoringCard(`final:${seat}`, label, category, state, scene);
  });
}

/**
 * @param {string} name @param {string} label @param {string} category @param {unknown} state
 * @param {Table} scene @param {string} [classes]
 */
function scoringCard(name, label, category, state, scene, classes = "") {
  const content = html`${large(category)}
    <span class="calimala-name">${nameOf(category)}</span> <em>${state}</em>`;
  return placeBox(name, label, scene, content, "img", `calimala-card calimala-scoring ${classes}`);
}

/**
 * @param {string} name @param {string} label @param {Template} drawn @param {string} title
 * @param {number | string} amount @param {Table} scene
 */
function card(name, label, drawn, title, amount, scene) {
  const shown = typeof amount === "number" ? `× ${amount}` : amount;
  const content = html`${drawn}<span class="calimala-name">${title}</span> <em>${shown}</em>`;
  return placeBox(name, label, scene, content, "img", "calimala-card");
}

/** @param {string} name */
function large(name) {
  return icon(name, "calimala-large");
}
