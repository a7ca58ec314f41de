// What a match is opened with, as far as the game has it.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { Opening } from "../../page/static/lobby/opening.js";

const searched = {
  key: "searched",
  seats: [2, 3],
  levels: ["random", "greedy", "quick", "strong"],
  options: [],
};
const plain = { key: "plain", seats: [2, 3], levels: ["random", "greedy"], options: [] };

/** A draft of a match of the first game, and an API that keeps what is posted. */
function begun(...games) {
  const sent = [];
  const api = {
    async post(_path, body) {
      sent.push(body);
      return { match: "abcdefghijklmnopqrstuvwxyz", game: body.game, tokens: {} };
    },
  };
  return { opening: new Opening(api, games, () => {}), sent };
}

test("bots are of a level that the game has, also when another game is chosen", async () => {
  const { opening, sent } = begun(searched, plain);
  opening.setSeat(1, { kind: "bot" });
  assert.equal(opening.seats[1].level, "quick");

  opening.choose("plain");
  assert.equal(opening.seats[1].level, "greedy");
  await opening.open();
  await opening.playBots(searched);
  await opening.playBots(plain);
  assert.deepEqual(
    sent.map(({ game, seats }) => [game, seats[1].level]),
    [
      ["plain", "greedy"],
      ["searched", "quick"],
      ["plain", "greedy"],
    ],
  );
});

test("all seats but one's own are for friends, unless something else is chosen", async () => {
  const { opening, sent } = begun(searched, plain);
  await opening.open();
  assert.deepEqual(
    sent[0].seats.map(({ kind }) => kind),
    ["human", ...Array(opening.seats.length - 1).fill("open")],
  );
});

test("advice is asked for only where a strong bot can give it", async () => {
  const { opening, sent } = begun(searched, plain);
  opening.setAdvice(true);
  assert.equal(opening.hasAdviser, true);
  await opening.open();

  opening.choose("plain");
  assert.equal(opening.hasAdviser, false);
  await opening.open();
  assert.deepEqual(
    sent.map(({ advice }) => advice),
    [true, false],
  );
});

test("against bots advice is allowed, unless the form says something else", async () => {
  const { opening, sent } = begun(searched, plain);
  await opening.playBots(searched);
  await opening.playBots(plain);

  await opening.open(); // with a friend
  opening.setSeat(1, { kind: "bot" });
  assert.equal(opening.advice, true);
  await opening.open();
  opening.setAdvice(false);
  await opening.open();
  assert.deepEqual(
    sent.map(({ advice }) => advice),
    [true, false, false, true, false],
  );
});

test("in a match that one press opens own moves can be taken back", async () => {
  const { opening, sent } = begun(searched);
  await opening.playBots(searched);
  await opening.open();
  assert.deepEqual(
    sent.map(({ take_back }) => take_back),
    ["own", "off"],
  );
});

test("a fork has its base's seats and visibility, and no options of its own", async (context) => {
  const bodies = [];
  context.mock.method(globalThis, "fetch", async (_address, { body }) => {
    bodies.push(JSON.parse(body));
    const opened = { match: "abcdefghijklmnopqrstuvwxyz", game: "plain", tokens: {} };
    return new Response(JSON.stringify(opened), { status: 201 });
  });
  const { opening, sent } = begun(searched, plain);
  const base = { match: "zyxwvutsrqponmlkjihgfedcba", version: 7 };
  const seats = [
    { seat: 0, kind: "human" },
    { seat: 1, kind: "bot", level: "random" },
    { seat: 2, kind: "human" },
  ];
  const match = { game: "plain", visibility: "private", status: "running", advice: false, seats };

  opening.forkFrom(base, match);
  await opening.open();

  assert.equal(sent.length, 0); // it is sent with the token of the base, if there is one
  assert.deepEqual(bodies, [
    {
      game: "plain",
      seats: [{ kind: "human" }, { kind: "bot", level: "random" }, { kind: "open" }],
      visibility: "private",
      advice: false,
      take_back: "off",
      fork: base,
    },
  ]);
});
