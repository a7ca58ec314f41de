// The score sheet: its parts add up to the points at the end, in every golden record.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import "./browser.mjs";
import { eventsThatStand, SCORING_EVENTS, sheetOf } from "../../page/static/boards/sheet.js";

const RECORDS = new URL("../records/", import.meta.url);

function commitsOf(file) {
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line).data.commit);
}

/** Return the points of each seat at the end, undefined if the match had no result. */
function totalsOf(commits) {
  const events = commits.flatMap((commit) => commit.events);
  return events.findLast(({ type }) => ["match_ended", "final_scored"].includes(type))?.points;
}

function sumOf(parts, seats) {
  return seats.map((_, seat) => parts.reduce((sum, { sums }) => sum + sums[seat], 0));
}

for (const game of Object.keys(SCORING_EVENTS)) {
  test(`the sheet of every golden record of ${game} says where all points are from`, () => {
    const folder = new URL(`${game}/`, RECORDS);
    const files = readdirSync(folder).filter((name) => name.endsWith(".ndjson.gz"));
    let ended = 0;
    for (const name of files) {
      const commits = commitsOf(new URL(name, folder));
      const totals = totalsOf(commits);
      if (totals === undefined) continue;
      ended += 1;
      const parts = sheetOf(eventsThatStand(commits), totals);
      assert.deepEqual(sumOf(parts, totals), totals, name);
      assert.ok(!parts.some(({ title }) => title === "Before"), name);
    }
    assert.ok(ended > 0);
  });
}

test("points from before the first event are a part of their own", () => {
  const tile = { type: "tile_scored", category: "london", points: [3, 0] };
  const [before, cities] = sheetOf([tile], [5, 2]);
  assert.deepEqual([before.title, before.sums], ["Before", [2, 2]]);
  assert.deepEqual(cities.rows, [{ source: "London", points: [3, 0] }]);
});

test("what was taken back brought nothing", () => {
  const scored = (points) => ({ type: "tile_scored", category: "london", points });
  const commits = [
    { version: 1, events: [scored([1])] },
    { version: 2, events: [scored([2])] },
    { version: 3, events: [{ type: "taken_back", to: 1 }] },
    { version: 4, events: [scored([4])] },
  ];
  const points = eventsThatStand(commits).flatMap((event) => event.points ?? []);
  assert.deepEqual(points, [[1], [4]].flat());
});
