// What the pages call a seat, whatever name its player has given.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { seatNames, straight, straightLines } from "../../page/static/base/words.js";
import { nameOf } from "../../page/static/players/ladder.js";

function called(name, kind = "human") {
  return seatNames([{ seat: 3, kind, name }])[0].name;
}

test("a name stays as it was given, in any script and with any picture", () => {
  for (const name of ["Ada", "<b>Ada</b>", "👩‍🚀", "Ada\u2028Bob"]) {
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

test("a name written from right to left is isolated", () => {
  for (const name of ["אדה", "ليلى", "Ada אדה 7", "𞤀𞤣𞤢"]) {
    assert.equal(called(name), `\u2068${name}\u2069`);
    assert.equal(called(`\u2069${name}\u202e\u2067`), `\u2068${name}\u2069`);
    assert.equal(nameOf({ player: "a1", name }), `\u2068${name}\u2069`);
  }
});

test("a sentence keeps whole isolates and no other control", () => {
  const isolate = "\u2068אדה\u2069";
  assert.equal(straight(`${isolate} scores 5.`), `${isolate} scores 5.`);
  assert.equal(straight(`\u2069\u2068 ${isolate}\u2067 x\u2069`), ` ${isolate} x`);
  assert.equal(straight("\u2068Ada\u202e\u2069 x"), "Ada x");
});

test("a name of which nothing is seen is none", () => {
  for (const name of ["", " ", "\u200b\u200d", "\u202e", "\u3164", "\u2800\u00a0"]) {
    assert.equal(called(name), "Green");
    assert.equal(called(name, "bot"), "Green");
  }
  assert.equal(called(undefined, "open"), "Open: Green");
});
