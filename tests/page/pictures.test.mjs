// The pictures for players show the pieces as the boards draw them today.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileOf, PICTURES } from "./pictures.mjs";

const MOST_BYTES = 8_000;

for (const [name, draw] of Object.entries(PICTURES)) {
  test(`${name} is as it is made, and light`, () => {
    const kept = readFileSync(fileOf(name), "utf8");
    assert.equal(kept, draw(), "node tests/page/pictures.mjs writes it anew");
    assert.ok(kept.length <= MOST_BYTES);
  });
}
