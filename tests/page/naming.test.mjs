// What seats are called on the pages, whatever name somebody has given.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { seatNames, straightLines } from "../../service/page/static/base/words.js";

function called(name, kind = "human") {
  return seatNames([{ seat: 3, kind, name }])[0].name;
}

test("a name stays as it was given, in any script and with any picture", () => {
  for (const name of ["Ada", "<b>Ada</b>", "אדה", "👩‍🚀", "Ada\u2028Bob"]) {
    assert.equal(called(name), name);
  }
});

test("no name turns the words that follow it", () => {
  assert.equal(called("Ada\u202e\u2066\u200f"), "Ada");
  const heading = { part: "turn", title: "Turn 1: Ada\u202e" };
  const sentences = [{ text: "Ada\u202e scores 5.", rules: ["C1"], heading }, { text: "", rules: [] }];
  const [line] = straightLines([{ version: 7, sentences }]);
  assert.deepEqual(line, {
    version: 7,
    sentences: [
      { text: "Ada scores 5.", rules: ["C1"], heading: { part: "turn", title: "Turn 1: Ada" } },
      { text: "", rules: [] },
    ],
  });
});

test("a name of which nothing is seen is none", () => {
  for (const name of ["", " ", "\u200b\u200d", "\u202e", "\u3164", "\u2800\u00a0"]) {
    assert.equal(called(name), "Green");
    assert.equal(called(name, "bot"), "Green");
  }
  assert.equal(called(undefined, "open"), "Open: Green");
});
