// The turn in words: which step it is, who acts, what an event takes, what has been played.

import { html, nothing } from "../../base/dom.js";
import { box, ruleNumber } from "../place.js";
import { brickPile, counted, inWords, total } from "./bricks.js";
import { titleOf } from "./cards.js";
import { sealMark } from "./table.js";
import { joined, levels, nameOf, points, towerNamed, towerOf } from "./words.js";

/** @import { DueView, Table, View } from "./types.d.ts" */

// The phases of a turn, with the place of each that can be picked.
const PHASES = [
  { text: "Take a card", steps: ["choose", "answer", "resolve", "discard"], place: "" },
  { text: "Exchange", steps: [], place: "exchange" },
  { text: "Build", steps: ["build"], place: "build" },
  { text: "Fulfil", steps: ["fulfil"], place: "" },
  { text: "End the turn", steps: [], place: "end_turn" },
];

/** @param {Table} scene */
export function drawTurn(scene) {
  const { view } = scene;
  const running = view.step !== null && view.step !== "score" && view.step !== "set_up";
  return html`<section class="firenze-turn" aria-label="The turn">
    <p class="firenze-step">
      ${running && view.step !== "discard" ? sealMark(view.active) : nothing}
      <span><b>${stepWords(scene)}</b> ${ruleNow(scene)} ${roundWords(scene)}</span>
    </p>
    ${running ? phases(scene) : nothing} ${notes(scene)}
  </section>`;
}

/** @param {Table} scene */
function phases(scene) {
  const { view } = scene;
  const items = PHASES.map(({ text, steps, place }) => {
    const current = steps.includes(view.step ?? "");
    const words = place === "exchange" && view.exchanged ? "Exchanged" : text;
    const label = `${words}${current ? ", the present step" : ""}`;
    const content = place ? box(place, label, scene, words, "firenze-phase") : words;
    return html`<li class=${current ? "firenze-current" : ""} aria-current=${current ? "step" : nothing}>
      ${content}
    </li>`;
  });
  return html`<ol class="firenze-phases">${items}</ol>`;
}

// The rule of each step.
/** @type {Record<string, string>} */
const RULES = {
  choose: "F14",
  build: "F19",
  fulfil: "F21",
  answer: "F31",
  resolve: "F32",
  discard: "F34",
  score: "F41",
};

/** @param {Table} scene */
function ruleNow(scene) {
  const rule = RULES[scene.view.step ?? ""];
  return rule ? ruleNumber(rule, "What is to be done", scene) : nothing;
}

// ---- the step -----------------------------------------------------------------------------------

/** @param {Table} scene */
function stepWords(scene) {
  const { view } = scene;
  const name = nameOf(scene, view.active);
  const taken = view.taken === null ? "" : titleOf(view.taken ?? "");
  switch (view.step) {
    case null:
      return overWords(scene);
    case "set_up":
      return "The board is being set up.";
    case "score":
      return "The match is being scored.";
    case "choose":
      return `${name} takes a card.`;
    case "build":
      return `${name} builds.`;
    case "fulfil":
      return `${name} fulfils commissions or ends the turn.`;
    case "answer":
      return `${name} may spend a Patrician against the ${taken}.`;
    case "resolve":
      return `${name} says what the ${taken} takes.`;
    default:
      return `${owingWords(scene)} for the ${taken}.`;
  }
}

/** @param {Table} scene */
function overWords(scene) {
  const winners = scene.view.players.filter((player) => {
    return scene.view.ranks[player.seat] === 1;
  });
  if (winners.length === 0) return "The match is over.";
  const names = winners.map((player) => nameOf(scene, player.seat));
  const verb = winners.length > 1 ? "share the victory" : "wins";
  return `The match is over: ${joined(names)} ${verb} with ${points(winners[0]?.points ?? 0)}.`;
}

/** @param {Table} scene */
function owingWords(scene) {
  const owing = scene.view.dues.filter((due) => !due.paid && due.bricks > 0);
  const names = owing.map((due) => nameOf(scene, due.seat));
  const verb = owing.length > 1 ? "hand bricks over" : "hands bricks over";
  return `${joined(names) || "Nobody"} ${verb}`;
}

/** @param {Table} scene */
function roundWords(scene) {
  const { turn, turn_limit: limit, players, step } = scene.view;
  if (step === null) return `${turn + 1} turns were played.`;
  const round = Math.floor(turn / players.length) + 1;
  return `Turn ${turn + 1}; round ${round} of at most ${limit}.`;
}

// ---- what else holds in this turn ---------------------------------------------------------------

/** @param {Table} scene */
function notes(scene) {
  const { view } = scene;
  const items = [];
  if (view.taken !== null) items.push(takenNote(view));
  for (const due of view.dues) items.push(dueNote(due, scene));
  if (view.played.length) {
    const played = joined(view.played.map(titleOf));
    items.push(html`<li>Played this turn: ${played}.</li>`);
  }
  if (view.architect !== null) items.push(html`<li>${architectWords(scene)}</li>`);
  if (view.end_seat !== null && view.step !== null) items.push(html`<li>${endWords(scene)}</li>`);
  return items.length ? html`<ul class="firenze-notes">${items}</ul>` : nothing;
}

/** @param {View} view */
function takenNote(view) {
  const bricks = view.taken_bricks;
  if (total(bricks) === 0)
    return html`<li>Taken: ${titleOf(view.taken ?? "")}, without bricks.</li>`;
  const words = inWords(bricks);
  return html`<li>
    Taken: ${titleOf(view.taken ?? "")}, with <span class="firenze-hidden">${words}</span>
    ${brickPile(bricks)}
  </li>`;
}

/** @param {DueView} due @param {Table} scene */
function dueNote(due, scene) {
  const name = nameOf(scene, due.seat);
  const bricks = `${due.paid ? "has handed over" : "owes"} ${counted(due.bricks)}`;
  const towers = due.lost.map((number) => `the ${towerNamed(scene.view, due.seat, number)}`);
  const torn = `${joined(towers)} ${towers.length > 1 ? "are" : "is"} torn down`;
  const parts = due.bricks ? [`${name} ${bricks}`] : [];
  if (towers.length > 0) parts.push(due.bricks ? torn : `${name}: ${torn}`);

  /** @type {Record<string, number>} */
  const exact = {};
  for (const colour of due.exact) exact[colour] = (exact[colour] ?? 0) + 1;
  const pile = due.exact.length
    ? html`<span class="firenze-hidden">${inWords(exact)}</span>${brickPile(exact)}`
    : nothing;
  return html`<li>
    ${sealMark(due.seat)} ${parts.join("; ")}${pile === nothing ? "." : ""}
    ${pile}
  </li>`;
}

/** @param {Table} scene */
function architectWords(scene) {
  const { tower: number, by } = scene.view.architect ?? { tower: null, by: null };
  if (number === null) return "An Architect is at work: one tower may be one level off.";
  const tower = towerOf(scene.view, scene.view.active, number);
  if (tower === undefined) return "An Architect is at work.";
  const height = levels(tower.height + (by ?? 0));
  const name = towerNamed(scene.view, scene.view.active, number);
  return `An Architect is at work: the ${name} also counts as ${height}.`;
}

/** @param {Table} scene */
function endWords(scene) {
  const name = nameOf(scene, scene.view.end_seat ?? 0);
  return `${name} has placed the last seal: every other player has one more turn, or has had it.`;
}
