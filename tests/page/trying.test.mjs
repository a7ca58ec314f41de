// Moves that are tried: what is asked once more after a failure.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { NetworkFailure } from "../../page/static/base/api.js";
import { Trying } from "../../page/static/play/trying.js";

document.querySelector = () => null;
globalThis.requestAnimationFrame = (act) => act();

test("trying again after a look that failed tries no move twice", async () => {
  const sent = [];
  let isAway = false;
  const api = {
    async get() {
      return { value: { state: {} } };
    },
    async post(_path, body) {
      sent.push(body);
      if (isAway && body.seat === 1) throw new NetworkFailure();
      const steps = body.moves.map(() => ({ state: {}, events: [] }));
      const beyond = body.moves.length > 0 ? { "seat:1": {} } : {};
      return { seat: body.seat ?? 0, moves: [], beyond, steps, state: {} };
    },
  };
  const match = { match: "a".repeat(26), seats: [{}, {}], game: "none" };
  const frame = { version: 7, state: {}, waiting_for: { seats: [0] } };
  const board = { choices: () => [], places: () => new Set() };
  const viewer = { branch() {}, draw() {} };
  const { signal } = new AbortController();
  const trying = new Trying({ api, match, frame, reader: null, board, viewer, signal });
  await trying.begin(null);
  trying.mover = 0;
  isAway = true;
  await trying.try({ type: "go" });
  isAway = false;
  assert.notEqual(trying.again, null);
  await trying.again();

  assert.equal(trying.line.moves.length, 1);
  assert.deepEqual(sent.at(-1).moves, [{ type: "go", seat: 0 }]);
});
