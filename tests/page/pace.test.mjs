// Clocks and moves that are taken back: what is shown of them, where there is no page.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { nothing } from "../../page/static/base/dom.js";
import { timeLeft } from "../../page/static/base/words.js";
import { drawTakeBack, standingOf } from "../../page/static/table/actions.js";
import { leftOf } from "../../page/static/table/head.js";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const NOON = "2026-03-01T12:00:00Z";

test("the time left is written with two digits, and in larger units where it is long", () => {
  const written = [0, 1, 7 * SECOND, 750.5 * SECOND, HOUR - 1, 3 * HOUR + 300 * SECOND, 52 * HOUR];
  const texts = ["0:00", "0:01", "0:07", "12:31", "1 h 00 min", "3 h 05 min", "2 days 4 h"];
  assert.deepEqual(written.map(timeLeft), texts);
  assert.equal(timeLeft(-SECOND), "0:00");
});

test("all who pay do so since one moment, also if the first of them is due later than it was", () => {
  const clock = { left_ms: [20 * SECOND, 50 * SECOND, 9 * SECOND], paying: [0, 1], due: NOON };
  const now = Date.parse(NOON) - 5 * SECOND;
  const left = [0, 1, 2].map((seat) => leftOf(clock, seat, now));
  assert.deepEqual(left, [5 * SECOND, 35 * SECOND, 9 * SECOND]);

  const after = Date.parse(NOON) + HOUR;
  assert.deepEqual([0, 1].map((seat) => leftOf(clock, seat, after)), [0, 0]);
  assert.equal(leftOf(clock, 0, Date.parse(NOON) - HOUR), 20 * SECOND);
  assert.deepEqual([0, 1].map((seat) => leftOf(clock, seat, null)), [20 * SECOND, 50 * SECOND]);
});

test("what was taken back does not stand, nor do the asks in between; later moves do", () => {
  const commit = (version, actor, type, events = []) => ({ version, actor, command: { type }, events });
  const commits = [
    commit(3, "seat:0", "place_disc"),
    commit(4, "seat:1", "place_disc"),
    commit(5, "seat:0", "ask_take_back"),
    commit(6, "seat:1", "agree_take_back", [{ type: "taken_back", to: 3 }]),
    commit(7, "seat:1", "skip"),
    commit(8, "owner", "replace_token"),
  ];
  assert.deepEqual(standingOf(commits), [
    { version: 3, mover: "seat:0" },
    { version: 6, mover: null },
    { version: 7, mover: "seat:1" },
    { version: 8, mover: null },
  ]);
});

test("no way back is offered that the match would refuse", () => {
  const standing = [
    { version: 3, mover: null },
    { version: 4, mover: "seat:0" },
    { version: 5, mover: "seat:1" },
    { version: 6, mover: "seat:0" },
  ];
  const isOffered = (version, more = {}) => {
    const takeBack = { option: "consent", ask: null, house_at: [], refused: [], ...more };
    const match = { take_back: takeBack, seats: [{ kind: "human" }, { kind: "human" }] };
    const own = { match, reader: 0, actions: { isBusy: false } };
    return drawTakeBack(own, standing, { version, last: 6 }) !== nothing;
  };

  assert.deepEqual([3, 4, 5, 6].map((version) => isOffered(version)), [true, true, true, true]);
  // A seat that was refused can still take back its own last move: nobody is asked for it.
  const afterRefusal = [3, 4, 5, 6].map((version) => isOffered(version, { refused: [0] }));
  assert.deepEqual(afterRefusal, [false, false, true, true]);
  assert.equal(isOffered(3, { refused: [1] }), true);
  assert.equal(isOffered(3, { house_at: [3] }), false);
  assert.equal(isOffered(4, { house_at: [3] }), true);
});
