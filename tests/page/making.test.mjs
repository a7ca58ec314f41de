// From a chosen move to one that is made: what is tried, sent and shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { NetworkFailure, Problem } from "../../page/static/base/api.js";
import { Digits } from "../../page/static/play/choices.js";
import { Making } from "../../page/static/play/making.js";

const MATCH = { match: "abcdefghijklmnopqrstuvwxyz", seats: [] };
const MOVE = { type: "end" };

/** A turn in which a move is chosen. It notes when all choices are taken back. */
function turnOf() {
  const choosing = { steps: 1, move: () => MOVE, backTo: (steps) => (choosing.steps = steps) };
  return {
    isReady: true,
    frame: { version: 7, state: {} },
    legal: { seat: 0, version: 7, etag: '"7"' },
    choosing,
  };
}

/** An API that foretells nothing, and answers moves so, one after another. */
function apiOf(...answers) {
  const api = {
    keys: [],
    async post(_path, _move, { query, key }) {
      if (query?.dry_run) return { events: [] };
      api.keys.push(key);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    async get() {
      throw new Error("the story does not come");
    },
  };
  return api;
}

/** What makes moves of a turn, with a move that was tried. */
async function begun(api, turn) {
  const making = new Making({ api, board: {}, changed: () => {} }, turn);
  assert.equal(making.canSend, false);
  await making.look(MATCH);
  assert.equal(making.canSend, true);
  return making;
}

test("a move that was tried is sent once, and then there is nothing to send", async () => {
  const api = apiOf({ version: 8 });
  const turn = turnOf();
  const making = await begun(api, turn);
  const sent = making.send(MATCH);
  assert.deepEqual([making.sending, making.isReady, making.canSend], ["sending", false, false]);
  await making.send(MATCH);
  await sent;
  assert.deepEqual([api.keys.length, turn.choosing, making.canSend], [1, null, false]);
});

test("a move without an answer is sent again under its key", async () => {
  const api = apiOf(new NetworkFailure(), { version: 8 });
  const making = await begun(api, turnOf());
  await making.send(MATCH);
  assert.deepEqual([making.sending, making.isReady, making.canSend], ["lost", false, true]);
  await making.send(MATCH);
  assert.equal(making.sending, "");
  assert.equal(api.keys.length, 2);
  assert.equal(api.keys[0], api.keys[1]);
});

test("a match that has moved on tells what has happened, and one chooses anew", async () => {
  const commits = [{ events: [{ type: "turn_ended" }] }];
  const turn = turnOf();
  const making = await begun(apiOf(new Problem(412, { commits })), turn);
  await making.send(MATCH);
  assert.deepEqual(making.news, [{ text: "Turn ended.", rules: [] }]);
  assert.deepEqual([making.problem, making.preview, turn.choosing.steps], [null, null, 0]);
});

test("what the service refuses is shown, unless other moves are legal by now", async () => {
  const refusal = new Problem(409, { title: "Illegal" });
  const making = await begun(apiOf(refusal, refusal), turnOf());
  await making.send(MATCH);
  assert.equal(making.problem, refusal);

  const turn = turnOf();
  const later = await begun(apiOf(refusal), turn);
  const sent = later.send(MATCH);
  turn.legal = { ...turn.legal, version: 8 };
  await sent;
  assert.equal(later.problem, null);
});

test("a look ahead without an answer is asked for again at once on demand", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const answers = [new NetworkFailure(), new Problem(503, {}, 7), new NetworkFailure()];
  const api = {
    async post() {
      const answer = answers.shift();
      if (answer) throw answer;
      return { events: [] };
    },
  };
  const making = new Making({ api, board: {}, changed: () => making.again() }, turnOf());
  await making.look(MATCH);
  assert.deepEqual([answers.length, making.isBlind, making.canSend], [0, false, true]);
  assert.notEqual(making.preview, null);
});

test("the digits stand for nine choices at a time, and come round", () => {
  const alternatives = Array.from({ length: 20 }, (_, at) => ({ key: `${at}`, text: `${at}` }));
  const digits = new Digits();
  const found = [];
  for (let round = 0; round < 4; round += 1) {
    found.push(digits.choice(1, alternatives)?.key, digits.choice(3, alternatives)?.key);
    assert.equal(digits.further(alternatives), true);
  }
  assert.deepEqual(found, ["0", "2", "9", "11", "18", undefined, "0", "2"]);

  digits.reset();
  assert.equal(digits.shift, 0);
  assert.equal(digits.further(alternatives.slice(0, 9)), false);
  assert.equal(digits.choice(9, alternatives.slice(0, 8)), undefined);
});

for (const [what, choosing, isPicked, sent] of [
  ["a simple move that was picked is made without asking", { isSimple: true }, true, 1],
  ["the only legal move is made without asking", { isForced: true, isSimple: true }, false, 1],
  ["picks of an earlier position make no move", { isSimple: true }, false, 0],
  ["a move that was put together is asked about", { draft: {}, isSimple: true }, true, 0],
  ["a move that gives something up is asked about", { isSimple: false }, true, 0],
  ["the only legal move is asked about if it gives up", { isForced: true, isSimple: false }, false, 0],
]) {
  test(`by the setting ${what}`, async () => {
    const turn = turnOf();
    Object.assign(turn.choosing, choosing);
    const api = apiOf({ version: 8 });
    const making = new Making({ api, board: {}, changed: () => {} }, turn);
    making.isQuick = true;
    await making.look(MATCH, isPicked);
    assert.equal(api.keys.length, sent);
  });
}
