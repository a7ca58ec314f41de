// What is to be done now and next, in words.

import { html } from "../../base/dom.js";
import { colourOf, listed } from "../../base/words.js";
import { placeBox, ruleNumber } from "../place.js";
import { actionsOf, nameOf, STREETS, streetName } from "./names.js";

/** @import { AgendaItem, Table } from "./types.d.ts" */

const TIMES = ["", "once", "twice"];

/** @param {Table} scene */
export function drawAgenda(scene) {
  const [now, ...later] = agendaInWords(scene);
  const then = later.length ? html`<p class="calimala-then">Then: ${later.join("; ")}.</p>` : "";
  const content = html`<p class="calimala-now">${now} ${rulesNow(scene)}</p>${then}`;
  return placeBox("agenda", "What is to be done", scene, content, "group", "calimala-agenda");
}

// The rules of what is done, by the type of an item, and those of the actions.
/** @type {Record<string, string>} */
const RULES = {
  keeping: "C12",
  drafting: "C13",
  turn: "C14",
  promotion: "C31",
  exchange: "C33",
  scoring: "C36",
  final_scoring: "C41",
};
/** @type {Record<string, string>} */
const RULES_OF_ACTIONS = {
  wood: "C23",
  brick: "C23",
  marble: "C23",
  build: "C24",
  artwork: "C25",
  weave: "C26",
  ship: "C27",
  transport: "C28",
  contribute: "C29",
};

// Draw the rules of what is to be done now: of an activation those of its actions.
/** @param {Table} scene */
function rulesNow(scene) {
  const item = scene.view.agenda[0];
  if (item?.type === "activation" && item.street) {
    const actions = actionsOf(scene.view, item.street);
    return actions.map((action) => {
      return html`${ruleNumber(RULES_OF_ACTIONS[action] ?? "C2", nameOf(action), scene)} `;
    });
  }
  const rule = RULES[item?.type ?? ""];
  return rule ? ruleNumber(rule, "What is to be done", scene) : "";
}

// Return the agenda as sentences: the first one whole, the others without capital and full stop.
/** @param {Table} scene */
function agendaInWords(scene) {
  const [first, ...others] = scene.view.agenda;
  if (first === undefined) return [endInWords(scene)];
  const later = others.map((item) => laterInWords(item, scene));
  return [nowInWords(first, scene), ...later];
}

/** @param {Table} scene */
function endInWords({ view, seats }) {
  if (view.ranks === null) return "The match is over.";
  const best = seats.filter(({ seat }) => view.ranks?.[seat] === 1);
  const names = listed(best.map(({ name }) => name));
  const points = view.players[best[0]?.seat ?? 0]?.points;
  const verb = best.length === 1 ? "wins" : "share the victory";
  return `The match is over: ${names} ${verb} with ${points} points.`;
}

/** @param {AgendaItem} item @param {Table} scene */
function nowInWords(item, scene) {
  const { view, seats } = scene;
  const name = seats[item.seat ?? -1]?.name ?? "";
  const street = item.street ? streetName(view, item.street) : "";

  switch (item.type) {
    case "opening":
      return "The tiles are shuffled and the scoring cards are dealt.";
    case "keeping":
      return `Everybody keeps one scoring card. Still to choose: ${namesOf(view.actors, scene)}.`;
    case "drafting":
      return `${name} takes one of the open action cards.`;
    case "turn":
      return `${name} places a disc on a street.`;
    case "activation":
      return activationInWords(item, scene);
    case "promotion":
      return `The bottom disc of ${street} goes to the council.`;
    case "exchange":
      return `${name} gives up a coloured disc for the white one at the bottom of ${street}.`;
    case "scoring":
      return `Now scored: ${nameOf(view.council[view.tiles_scored] ?? "")}.`;
    default:
      return `Now scored: ${finalInWords(scene)}.`;
  }
}

/** @param {AgendaItem} item @param {Table} scene */
function laterInWords(item, scene) {
  const name = scene.seats[item.seat ?? -1]?.name ?? "";
  const street = item.street ? streetName(scene.view, item.street) : "";

  switch (item.type) {
    case "activation":
      return `${name} carries out actions on ${street}: ${usesInWords(item, scene)}`;
    case "promotion":
      return `the bottom disc of ${street} goes to the council`;
    case "scoring":
      return "a tile of the council is scored";
    case "final_scoring":
      return "what is left is scored";
    case "drafting":
      return `${name} takes an action card`;
    case "turn":
      return `${name} places a disc`;
    default:
      return item.type;
  }
}

/** @param {AgendaItem} item @param {Table} scene */
function activationInWords(item, scene) {
  const name = scene.seats[item.seat ?? -1]?.name;
  const street = streetName(scene.view, item.street ?? STREETS[0] ?? "");
  const uses = usesInWords(item, scene);
  if (uses === "") return `${name} may play cards, or be done with ${street}.`;

  const duty = item.duty_unmet ? " At least one of them must really be carried out." : "";
  return `${name} carries out actions on ${street}: ${uses}.${duty}`;
}

/**
 * @param {AgendaItem} item @param {Table} scene
 * @returns {string} such as "weave twice, build once"; "" when none remains
 */
function usesInWords(item, scene) {
  const words = [];
  for (const action of actionsOf(scene.view, item.street ?? "")) {
    const left = item.left?.[action] ?? 0;
    if (left > 0) words.push(`${nameOf(action).toLowerCase()} ${TIMES[left]}`);
  }
  return words.join(", ");
}

/** @param {Table} scene */
function finalInWords({ view, seats }) {
  const tile = view.council[view.tiles_scored];
  if (tile !== undefined) return `${nameOf(tile)}, which is left in the council`;
  if (view.final_cards === null) return "the final scoring cards";

  const faceUp = view.face_up_card === null ? 0 : 1;
  const card = view.final_cards_scored - faceUp;
  if (card < 0) return `the face-up card, ${nameOf(view.face_up_card ?? "")}`;
  return `the card of ${seats[card]?.name}, ${nameOf(view.final_cards[card] ?? "")}`;
}

/** @param {number[]} numbers @param {Table} scene */
function namesOf(numbers, { seats }) {
  return listed(numbers.map((seat) => seats[seat]?.name ?? colourOf(seat)));
}
