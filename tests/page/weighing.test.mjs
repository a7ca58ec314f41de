// What the page loads of the thoughts of bots, and when.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { Thoughts } from "../../page/static/table/aside.js";

const MATCH = "abcdefghijklmnopqrstuvwxyz";

/** An API of a match with thoughts before these versions. It gives a few at a time. */
function apiOf(versions, most = 1000) {
  const api = {
    asked: [],
    isAway: false,
    async get(path, { query: { after, limit } }) {
      api.asked.push(after);
      if (api.isAway) throw new Error("away");
      assert.equal(path, `/v1/matches/${MATCH}/thoughts`);
      const later = versions.filter((version) => version > after);
      const shown = later.slice(0, Math.min(limit, most));
      return { value: { thoughts: shown.map((version) => ({ version })) } };
    },
  };
  return api;
}

test("a piece is loaded once, for all its versions", async () => {
  const api = apiOf([5, 90, 100, 101, 250]);
  const thoughts = new Thoughts(api, MATCH);
  const found = await Promise.all([5, 6, 100].map((version) => thoughts.of(version)));
  assert.deepEqual(found, [{ version: 5 }, null, { version: 100 }]);
  assert.deepEqual(api.asked, [0]);
  assert.deepEqual(await thoughts.of(250), { version: 250 });
  assert.deepEqual(api.asked, [0, 200, 250]);
});

test("a service that gives a few at a time is asked until the piece is whole", async () => {
  const api = apiOf([1, 2, 3, 4, 5, 120], 2);
  assert.deepEqual(await new Thoughts(api, MATCH).of(5), { version: 5 });
  assert.deepEqual(api.asked, [0, 2, 4]);
});

test("what did not come is asked for again", async () => {
  const api = apiOf([5]);
  const thoughts = new Thoughts(api, MATCH);
  api.isAway = true;
  await assert.rejects(thoughts.of(5), /away/);
  api.isAway = false;
  assert.deepEqual(await thoughts.of(5), { version: 5 });
});
