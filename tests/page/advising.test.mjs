// Asking for advice: how long the page asks, and what it makes of the answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { Problem } from "../../page/static/base/api.js";
import { Advising } from "../../page/static/play/advice.js";
import { chanceInWords, movesInWords } from "../../page/static/boards/board.js";

// The library for templates asks for these when it is loaded. Nothing is rendered here.

const MATCH = "abcdefghijklmnopqrstuvwxyz";
const BEST = [{ move: { type: "end" }, win_chance: 0.4 }];
const THINKING = { value: { version: 7, best: [] }, status: 202, retryAfter: 0.001 };
const READY = { value: { version: 7, best: BEST }, status: 200, retryAfter: null };

/** An API that gives these answers, the last one for ever. It counts what it was asked. */
function apiOf(...answers) {
  const api = {
    asked: 0,
    started: 0,
    async post() {
      api.started += 1;
    },
    async get() {
      api.asked += 1;
      const answer = answers[Math.min(api.asked, answers.length) - 1];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return api;
}

test("it asks again as long as the bot thinks", async () => {
  const api = apiOf(THINKING, THINKING, READY);
  const advising = new Advising(api);
  const asked = advising.ask(MATCH, 7);
  assert.equal(advising.state, "thinking");
  assert.equal(await asked, true);
  assert.deepEqual([advising.state, advising.best, api.asked], ["ready", BEST, 3]);
  assert.equal(api.started, 1);
});

test("a bot that never answers is asked for a while only", async () => {
  const api = apiOf(THINKING);
  const advising = new Advising(api);
  assert.equal(await advising.ask(MATCH, 7), true);
  assert.equal(advising.problem.title, "No advice has come");
  assert.deepEqual([advising.state, api.asked], ["", 60]);
});

test("advice for a match that has moved on is dropped", async () => {
  const api = apiOf(READY);
  const advising = new Advising(api);
  assert.equal(await advising.ask(MATCH, 6), true);
  assert.deepEqual([advising.state, advising.best, api.asked], ["", [], 1]);
});

test("advice that is gone, since the match has moved on, is no problem", async () => {
  const advising = new Advising(apiOf(THINKING, new Problem(404, { title: "Not found" })));
  assert.equal(await advising.ask(MATCH, 7), true);
  assert.deepEqual([advising.state, advising.problem], ["", null]);
});

test("one who stops hears nothing any more", async () => {
  const advising = new Advising(apiOf(THINKING, READY));
  const asked = advising.ask(MATCH, 7);
  advising.stop();
  assert.equal(await asked, false);
  assert.deepEqual([advising.state, advising.best], ["", []]);
});

test("a refusal is kept until the next question", async () => {
  const refusal = new Problem(503, { title: "Too many wait" }, 5);
  const advising = new Advising(apiOf(refusal, READY));
  assert.equal(await advising.ask(MATCH, 7), true);
  assert.equal(advising.problem, refusal);
  await advising.ask(MATCH, 7);
  assert.deepEqual([advising.problem, advising.state], [null, "ready"]);
});

test("moves are shown in the words of their choices, and apart where those are alike", () => {
  const choices = ({ street }) => [
    { key: street, text: `Onto ${street}` },
    { key: "disc", text: "White disc" },
  ];
  const moves = [
    { type: "place", street: "Wood", disc: 1 },
    { type: "place", street: "Ship", disc: 1 },
    { type: "place", street: "Ship", disc: 2 },
  ];
  assert.deepEqual(movesInWords(moves, { choices }, { seats: [] }), [
    "Onto Wood, white disc",
    "Onto Ship, white disc; Place, street: Ship, disc: 1",
    "Onto Ship, white disc; Place, street: Ship, disc: 2",
  ]);
});

test("chances are shown as per cent", () => {
  assert.equal(chanceInWords(0.434), "wins about 43\u00a0%");
  assert.equal(chanceInWords(null), "no other move was weighed");
});
