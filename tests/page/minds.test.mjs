// Choosing on the board: another place in the stead of one that was picked, and what is refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { NetworkFailure, Problem } from "../../page/static/base/api.js";
import { board as calimala } from "../../page/static/boards/calimala/board.js";
import { board as firenze } from "../../page/static/boards/firenze/board.js";
import { board as plain } from "../../page/static/boards/plain.js";
import { inBoardWords } from "../../page/static/play/asking.js";
import { Choosing } from "../../page/static/play/choosing.js";

const STREETS = ["a", "b"];
const COLOURS = ["red", "blue"];

/** A board on which one picks a street, and then the colour of a disc. */
const board = {
  ...plain,
  composers: {},
  choices: ({ street, colour }) => [
    { key: street, text: street, place: `street:${street}` },
    { key: colour, text: colour, place: `disc:${colour}` },
  ],
};

function choosingOf(moves) {
  const scene = { view: {}, seats: [], reader: 0 };
  return new Choosing(board, scene, { moves, beyond: {} });
}

const ALL = STREETS.flatMap((street) => COLOURS.map((colour) => ({ type: "x", street, colour })));

test("a click on another street changes one's mind", () => {
  const choosing = choosingOf(ALL);
  assert.equal(choosing.pick("street:a"), true);
  assert.equal(choosing.pick("street:b"), true);
  assert.deepEqual([...choosing.picked()], ["street:b"]);
  assert.equal(choosing.steps, 1);

  choosing.pick("disc:red");
  assert.deepEqual(choosing.move(), { type: "x", street: "b", colour: "red" });
  assert.equal(choosing.pick("disc:blue"), true);
  assert.deepEqual(choosing.move(), { type: "x", street: "b", colour: "blue" });
  assert.equal(choosing.pick("street:a"), true);
  assert.deepEqual([choosing.move(), choosing.steps], [null, 1]);
});

test("a place that no legal move names changes nothing", () => {
  const choosing = choosingOf(ALL);
  choosing.pick("street:a");
  assert.equal(choosing.pick("street:c"), false);
  assert.deepEqual([...choosing.picked()], ["street:a"]);
});

test("the only legal move is forced, and one of several that was chosen is not", () => {
  assert.equal(choosingOf(ALL.slice(0, 1)).isForced, true);
  const choosing = choosingOf(ALL.slice(0, 2));
  assert.equal(choosing.isForced, false);
  choosing.pick("disc:red");
  assert.deepEqual([choosing.move() !== null, choosing.isForced], [true, false]);
});

test("a refusal is told in the board's words", () => {
  const grid = ["wood", "ship", "weave", "build", "brick", "marble", "artwork", "transport", "wood"];
  const seats = [{ seat: 0, name: "snake_case Ada", kind: "human" }];
  const told = (detail) =>
    inBoardWords(new Problem(409, { detail }), calimala, { view: { grid }, seats }).detail;

  assert.equal(told("You may place on 0-1, 3-4."), "You may place on Wood/Ship, Build/Brick.");
  assert.equal(
    told("Seat 0 is to keep a scoring card (keep_scoring_card), not place_disc; 2-7 is nothing."),
    "snake_case Ada is to keep a scoring card, not place disc; 2-7 is nothing.",
  );
  assert.equal(
    told("You are to perform, compensate or skip an activated action, or play a card."),
    "You are to carry out an activated action, draw a card instead or give it up, or play a card.",
  );
  const failure = new NetworkFailure();
  assert.equal(inBoardWords(failure, calimala, { view: { grid }, seats }), failure);
});

test("a brick that is not given is not named", () => {
  const view = { active: 0, players: [{ towers: [] }], row: [] };
  const scene = { view, seats: [{ seat: 0, name: "Ada" }], reader: 0 };
  const move = { type: "play_personnel", card: "smuggler", target: 0, take: "red" };
  const texts = firenze.choices(move, scene).map(({ text }) => text);
  assert.deepEqual(texts, ["Play Smuggler", "From Ada", "Bring a red brick"]);
});

/** A board on which one goes on, gives something up, or ends. */
const losing = {
  ...plain,
  composers: {},
  choices: ({ type }) => {
    const givesUp = { skip: "value", end: "rest" }[type];
    return [{ key: type, text: type, givesUp }];
  },
};

function losingOf(...types) {
  const moves = types.map((type) => ({ type }));
  return new Choosing(losing, { view: {}, seats: [], reader: 0 }, { moves, beyond: {} });
}

test("what gives something up is the last choice", () => {
  const choosing = losingOf("skip", "end", "go", "build");
  const order = choosing.alternatives().map(({ key }) => key);
  assert.deepEqual(order, ["go", "build", "end", "skip"]);
});

test("a move that gives something up is never simple", () => {
  for (const [type, isSimple] of [["go", true], ["end", false], ["skip", false]]) {
    const choosing = losingOf("skip", "end", "go");
    choosing.choose(type);
    assert.deepEqual([type, choosing.isSimple], [type, isSimple]);
  }
});

test("without another legal move an end gives nothing up, a loss does", () => {
  assert.equal(losingOf("end").isSimple, true);
  assert.equal(losingOf("skip").isSimple, false);
});

test("both boards say which of their moves give something up", () => {
  const giving = (board, move, view) => {
    const scene = { view, seats: [{ seat: 0, name: "Ada" }], reader: 0 };
    return board.choices(move, scene)[0].givesUp;
  };
  const agenda = { agenda: [] };
  assert.equal(giving(calimala, { type: "skip", action: "wood" }, agenda), "value");
  assert.equal(giving(calimala, { type: "end_activation" }, agenda), "rest");
  assert.equal(giving(calimala, { type: "compensate", action: "wood" }, agenda), undefined);

  const player = { towers: [], buildings: [], storehouse: {} };
  const view = { active: 0, players: [player], row: [], taken: "flood", built: [] };
  assert.equal(giving(firenze, { type: "end_turn" }, view), "rest");
  assert.equal(giving(firenze, { type: "end_turn", cards: ["mason"] }, view), "value");
  assert.equal(giving(firenze, { type: "answer_event", patrician: false }, view), "value");
  assert.equal(giving(firenze, { type: "answer_event", patrician: true }, view), undefined);
});
