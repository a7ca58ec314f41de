// Reads positions of a game from the standard input. Writes as JSON what is wrong with the board's
// choices, looks and places (`faults`, empty where all is well), and what its composers make of the
// positions (`made`), for the domain to judge.

import { readFileSync } from "node:fs";
import "./browser.mjs";
import { board as calimala } from "../../page/static/boards/calimala/board.js";
import { board as firenze } from "../../page/static/boards/firenze/board.js";
import * as build from "../../page/static/boards/firenze/build.js";
import * as payment from "../../page/static/boards/firenze/payment.js";

// A Patrician may discard any of 13 sorts of cards. In Calimala there are two actions to carry out
// or give up each, and nine sorts of cards.
const MOST_ALTERNATIVES = 13;
const DRAFTS = 6;
const faults = [];
const made = [];

const positions = JSON.parse(readFileSync(0, "utf8"));
const board = positions[0].game === "firenze" ? firenze : calimala;

// A sequence of numbers that looks random and is the same each time.
let seed = 1;
function below(limit) {
  seed = (seed * 48271) % 2147483647;
  return seed % limit;
}

function sceneOf({ seat, view }, targets = new Set()) {
  const seats = view.players.map((player) => ({ seat: player.seat, name: `N${player.seat}` }));
  const changed = new Set();
  return { view, seats, reader: seat, targets, picked: new Set(), changed, pick() {} };
}

// ---- choices ----

function checkChoices(position, at) {
  const scene = sceneOf(position);
  const ends = new Set();
  const alternatives = new Map();

  for (const move of position.moves) {
    const path = board.choices(move, scene);
    const keys = path.map(({ key }) => key);
    const whole = JSON.stringify(keys);
    if (ends.has(whole)) faults.push(`${at}: two moves are chosen by ${whole}`);
    ends.add(whole);

    for (const [depth, choice] of path.entries()) {
      const before = JSON.stringify(keys.slice(0, depth));
      if (!alternatives.has(before)) alternatives.set(before, new Map());
      alternatives.get(before).set(choice.key, choice);
    }
  }

  for (const [before, found] of alternatives) {
    if (ends.has(before)) faults.push(`${at}: a move ends where others go on: ${before}`);
    if (found.size > MOST_ALTERNATIVES) faults.push(`${at}: ${found.size} ways on from ${before}`);
    checkAlternatives([...found.values()], `${at}, after ${before}`);
  }
}

// Alternatives read differently, and no two lie at one place of the board.
function checkAlternatives(found, at) {
  const texts = found.map(({ text }) => text);
  const places = found.flatMap(({ place }) => place ?? []);
  if (new Set(texts).size < texts.length) faults.push(`${at}: the same text twice: ${texts}`);
  if (new Set(places).size < places.length) faults.push(`${at}: the same place twice: ${places}`);
  const broken = [...texts, ...places].filter((text) => /undefined|NaN|null|object/.test(text));
  if (broken.length) faults.push(`${at}: broken words: ${broken}`);
}

// ---- places ----

// All places that a template draws, with their labels.
function placesOf(template, places = new Map()) {
  if (Array.isArray(template)) {
    for (const part of template) placesOf(part, places);
  } else if (template?.strings) {
    template.strings.forEach((string, index) => {
      const value = template.values[index];
      if (!string.endsWith("data-place=")) return placesOf(value, places);
      if (places.has(value)) faults.push(`${value} is drawn twice`);
      const label = template.strings.findIndex((other) => other.includes("aria-label="));
      places.set(value, template.values[label]);
    });
  }
  return places;
}

// Every place that is named is drawn, with a label for screen readers.
function checkPlaces(position, at) {
  const named = new Set(board.looks(position.view).keys());
  named.delete("turn");
  if (["score", null].includes(position.view.step)) {
    named.delete("exchange");
    named.delete("build");
  }

  const targets = new Set();
  for (const move of position.moves) {
    for (const { place } of board.choices(move, sceneOf(position))) {
      if (place !== undefined) targets.add(place);
    }
  }

  const drawn = placesOf(board.draw(sceneOf(position, targets)));
  for (const place of [...named, ...targets]) {
    const label = drawn.get(place);
    if (!label || /undefined|NaN|null|object/.test(label)) faults.push(`${at}: ${place}: ${label}`);
  }
}

// Positions that differ for a reader look different.
function checkLooks(positions) {
  const seen = new Map();
  for (const [at, { view }] of positions.entries()) {
    const shown = JSON.stringify([...board.looks(view)].sort());
    const fact = JSON.stringify(view);
    const other = seen.get(shown);
    if (other !== undefined && other !== fact) faults.push(`${at}: looks like another position`);
    seen.set(shown, fact);
  }
}

// ---- words ----

// How the first move of each sort is told by its buttons.
function tell(position, at) {
  const types = new Set();
  for (const move of position.moves) {
    const sort = `${move.type}:${move.campanile ?? ""}`;
    if (types.has(sort)) continue;
    types.add(sort);
    const words = board.choices(move, sceneOf(position)).map(({ text }) => text);
    made.push({ at, how: "words", move, words });
  }
}

// ---- attempts and composers ----

function makeAttempts(position, at) {
  const scene = sceneOf(position);
  for (const place of [...board.looks(position.view).keys(), "end_turn"]) {
    const move = board.attempt(place, scene);
    if (move !== null) made.push({ at, how: "attempt", move });
  }
}

// Bricks of listed moves: by the rule, then some of them chosen.
function makePayments(position, at) {
  for (const move of position.moves) {
    const composer = board.adjust[move.type];
    let draft = composer?.start(move, sceneOf(position)) ?? null;
    if (draft === null) continue;

    made.push({ at, how: "rule", move: composer.move(draft), bricks: payment.bricksOf(draft) });
    const wanted = 1 + below(draft.named.length);
    for (let chosen = 0; chosen < wanted; chosen += 1) {
      const places = [...composer.targets(draft, move)];
      draft = composer.pick(draft, places[below(places.length)]);
    }
    made.push({ at, how: "chosen", move: composer.move(draft), bricks: payment.bricksOf(draft) });
  }
}

// Buildings by random steps: after each step, the move as it may be posted.
function makeBuildings(position, at) {
  const beyond = position.beyond.build;
  if (beyond === undefined) return;

  let draft = board.composers.build.start(beyond, sceneOf(position));
  for (let step = 0; step < DRAFTS; step += 1) {
    draft = randomStep(draft);
    const move = board.composers.build.move(draft);
    const falling = build.fallingOf(draft).map(({ tower }) => tower);
    made.push({ at, how: "build", move, bricks: build.paymentOf(draft), falling });
  }
}

function randomStep(draft) {
  const targets = build.targetsOf(draft);
  const { key } = targets[below(targets.length)] ?? { key: "" };
  const dice = below(10);
  if (dice < 6) return build.lay(draft, key);
  if (dice < 7) return build.takeBack(draft, key);
  if (dice < 8) return build.undo(draft);
  const colours = Object.keys(draft.beyond.bricks);
  return build.payWith(draft, colours[below(colours.length)] ?? "white");
}

// Whether a building can be laid brick by brick.
function reach(position, at) {
  for (const move of position.wanted) {
    let draft = board.composers.build.start(position.beyond.build, sceneOf(position));
    let reached = true;
    const begun = {};
    for (const { colour, bricks, tower } of move.lay) {
      begun[colour] ??= 0;
      const key = tower === undefined ? `new:${colour}:${begun[colour]}` : `tower:${tower}`;
      if (tower === undefined) begun[colour] += 1;
      for (let count = 0; count < bricks; count += 1) {
        const next = build.lay(draft, key);
        reached &&= next !== draft;
        draft = next;
      }
    }
    made.push({ at, how: "wanted", move, reached });
  }
}

// A click on a place of a legal move of Calimala seems to want a move that the service can read.
function checkAttempts(position, at) {
  const scene = sceneOf(position);
  for (const move of position.moves) {
    const place = board.choices(move, scene)[0]?.place;
    const wanted = place === undefined ? null : board.attempt(place, scene);
    const sort = move.type === "compensate" ? "perform" : move.type;
    if (wanted !== null && wanted.type !== sort) {
      faults.push(`${at}: ${place} seems to want ${wanted.type} instead of ${move.type}`);
    }
  }
}

for (const [at, position] of positions.entries()) {
  checkChoices(position, at);
  tell(position, at);
  if (board === calimala) {
    checkAttempts(position, at);
    continue;
  }
  checkPlaces(position, at);
  makePayments(position, at);
  makeBuildings(position, at);
  reach(position, at);
  if (position.seat !== null) makeAttempts(position, at);
}
checkLooks(positions);
console.log(JSON.stringify({ faults, made }));
