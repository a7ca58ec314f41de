// Search in the documentation: every word counts, and names come before the rest.

import assert from "node:assert/strict";
import { test } from "node:test";
import { found } from "../../page/static/docs/finding.js";

const ENTRIES = [
  { id: "openMatch", title: "Open a match", words: "open a match openmatch post" },
  { id: "listMatches", title: "List matches", words: "list matches listmatches get" },
  { id: "schema-MatchList", title: "MatchList", words: "matchlist" },
  { id: "schema-Match", title: "Match", words: "match" },
];

const idsOf = (text) => found(ENTRIES, text).map(({ id }) => id);

test("what is called so comes first, then what begins so, then what holds it anywhere", () => {
  assert.deepEqual(idsOf("MATCH "), ["schema-Match", "schema-MatchList", "openMatch", "listMatches"]);
});

test("every word must be there, in any order; a method is a word, too", () => {
  assert.deepEqual(idsOf("match open"), ["openMatch"]);
  assert.deepEqual(idsOf("get match"), ["listMatches"]);
  assert.deepEqual(idsOf("openmatch"), ["openMatch"]);
  assert.deepEqual(idsOf("match castle"), []);
  assert.deepEqual(idsOf("  "), []);
});
