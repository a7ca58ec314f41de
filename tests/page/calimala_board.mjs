// Reads positions of Calimala from the standard input and says what is wrong with their choices and
// looks: a list of sentences as JSON, empty where all is well.

import { readFileSync } from "node:fs";
import "./browser.mjs";
import { looks } from "../../service/page/static/boards/calimala/board.js";
import { attempt, choices } from "../../service/page/static/boards/calimala/choices.js";

const MOST_ALTERNATIVES = 13; // two actions to carry out or give up each, and nine sorts of cards
const faults = [];

function checkChoices({ version, seat, view, moves }) {
  const scene = { view, reader: seat };
  const paths = moves.map((move) => choices(move, scene));
  const alternatives = new Map();
  const ends = new Set();

  for (const path of paths) {
    const keys = path.map(({ key }) => key);
    const whole = JSON.stringify(keys);
    if (ends.has(whole)) faults.push(`${version}: two moves are chosen by ${whole}`);
    ends.add(whole);

    for (const [depth, { key, text }] of path.entries()) {
      if (!text || text.includes("undefined")) faults.push(`${version}: ${key} has no text`);
      const before = JSON.stringify(keys.slice(0, depth));
      alternatives.set(before, (alternatives.get(before) ?? new Set()).add(key));
    }
  }

  for (const [before, keys] of alternatives) {
    if (keys.size > MOST_ALTERNATIVES) {
      faults.push(`${version}: ${keys.size} alternatives after ${before}`);
    }
  }
}

// A click on a place of a legal move seems to want a move that the service can read.
function checkAttempts({ version, seat, view, moves }) {
  const scene = { view, reader: seat };
  for (const move of moves) {
    const place = choices(move, scene)[0]?.place;
    if (place === undefined) continue;

    const wanted = attempt(place, scene);
    const sorts = move.type === "compensate" ? ["perform"] : [move.type];
    if (wanted !== null && !sorts.includes(wanted.type)) {
      faults.push(`${version}: ${place} seems to want ${wanted.type} instead of ${move.type}`);
    }
  }
}

function checkLooks(positions) {
  const seen = new Map();
  for (const { version, seat, view } of positions) {
    const shown = JSON.stringify([...looks(view)].sort());
    const fact = JSON.stringify(view);
    const other = seen.get(shown);
    if (other !== undefined && other !== fact) {
      faults.push(`${version}, seat ${seat}: looks like another position`);
    }
    seen.set(shown, fact);
  }
}

const positions = JSON.parse(readFileSync(0, "utf8"));
for (const position of positions) {
  checkChoices(position);
  checkAttempts(position);
}
checkLooks(positions);
console.log(JSON.stringify(faults));
