// Reads positions with their legal moves from the standard input, chooses every move as a person
// would, and writes what is wrong as a list of sentences: empty where all is well.

import { readFileSync } from "node:fs";
import "./browser.mjs";
import { movesInWords } from "../../page/static/boards/board.js";
import { board as calimala } from "../../page/static/boards/calimala/board.js";
import { board as firenze } from "../../page/static/boards/firenze/board.js";
import { board as plain } from "../../page/static/boards/plain.js";
import { patched } from "../../page/static/play/asking.js";
import { Choosing } from "../../page/static/play/choosing.js";
import { narrowed, pathsOf, questionOf } from "../../page/static/play/paths.js";

const boards = { calimala, firenze, plain };

const faults = [];

function sceneOf({ view, seat, seats }) {
  const none = new Set();
  return { view, seats, reader: seat, targets: none, picked: none, changed: none, pick() {} };
}

/** Choose a move by its choices in their order, then take all back. */
function chooseByKeys(choosing, { move, choices }, paths, hasComposers) {
  const picks = [];

  while (choosing.move() === null && picks.length <= choices.length) {
    const question = questionOf(narrowed(paths, picks));
    const depth = hasComposers && picks.length === 0 ? 0 : question?.depth;
    const key = choices[depth]?.key ?? "";
    if (!choosing.alternatives().some((choice) => choice.key === key)) return `no way to ${key}`;
    choosing.choose(key);
    picks.push({ depth, key, text: "" });
  }

  const found = choosing.move();
  if (choosing.steps !== picks.length) return `${choosing.steps} steps instead of ${picks.length}`;
  choosing.backTo(0);
  if (JSON.stringify(found) === JSON.stringify(move)) return null;
  return `${JSON.stringify(found)} instead of ${JSON.stringify(move)}`;
}

/** Pick the places of a move as far as they can be picked. The found move names them all. */
function chooseByPlaces(choosing, { choices }, paths) {
  const picked = placesOf(choices).filter((place) => {
    const isTarget = choosing.targets().has(place);
    return isTarget && choosing.draft === null && choosing.pick(place);
  });

  // A composer that the place starts is tested with its board.
  const isComposed = choosing.draft !== null;
  while (!isComposed && choosing.move() === null) {
    choosing.choose(choosing.alternatives()[0].key);
  }

  const found = JSON.stringify(choosing.move());
  choosing.backTo(0);
  if (isComposed) return null;

  const path = paths.find(({ move }) => JSON.stringify(move) === found);
  const named = placesOf(path?.choices ?? []);
  const missing = picked.filter((place) => !named.includes(place));
  return missing.length === 0 ? null : `${found} although ${missing} was picked`;
}

/** Choose a move at once, as with an advised one. Then take all back. */
function takeWhole(choosing, move) {
  const isTaken = choosing.take(move);
  const found = choosing.move();
  choosing.backTo(0);
  if (isTaken && sorted(unordered(found)) === sorted(unordered(move))) return null;
  return `${JSON.stringify(found)} was taken instead of ${JSON.stringify(move)}`;
}

/** A build says the same in whatever order it lays the bricks. */
function unordered(move) {
  return move?.lay ? { ...move, lay: move.lay.map(sorted).sort() } : move;
}

/** The words of all moves, as the seat that moves and as the public may know them. */
function checkWords({ view, seen, seat, seats, moves, version }, name) {
  for (const known of [view, seen]) {
    const texts = movesInWords(moves, boards[name], sceneOf({ view: known, seat, seats }));
    const wrong = texts.filter((text, at) => {
      return /undefined|null|NaN|\[object|^,|, ,/.test(text) || texts.indexOf(text) !== at;
    });
    for (const text of wrong) faults.push(`${name}, version ${version}: a move is called ${text}`);
  }
}

/** A target can be picked, any other place cannot. */
function checkTargets(choosing, places) {
  const targets = choosing.targets();

  for (const place of places) {
    const isPicked = choosing.pick(place);
    choosing.backTo(0);
    if (isPicked !== targets.has(place)) return `${place}: a target, or picked, but not both`;
  }
  return null;
}

function placesOf(choices) {
  return choices.flatMap(({ place }) => (place === undefined ? [] : [place]));
}

function checkChoices(position, name) {
  const board = boards[name];
  const scene = sceneOf(position);
  const { moves, beyond } = position;
  const listed = moves.filter(({ type }) => !(type in board.composers && type in beyond));
  const paths = pathsOf(listed, board, plain, scene);
  const choosing = new Choosing(board, scene, { moves, beyond });
  const hasComposers = Object.keys(beyond).length > 0;
  const places = new Set(["nowhere", ...paths.flatMap(({ choices }) => placesOf(choices))]);

  const wrong = paths.flatMap((path) => [
    chooseByKeys(choosing, path, paths, hasComposers),
    chooseByPlaces(choosing, path, paths),
  ]);
  wrong.push(...moves.map((move) => takeWhole(choosing, move)));
  wrong.push(checkTargets(choosing, places));
  for (const fault of wrong) {
    if (fault) faults.push(`${name}, version ${position.version}: ${fault}`);
  }
}

function checkPatch({ version, view, changes, next }) {
  const before = JSON.stringify(view);
  const after = patched(view, changes);
  if (sorted(after) !== sorted(next)) faults.push(`version ${version}: the patch is wrong`);
  if (JSON.stringify(view) !== before) faults.push(`version ${version}: the old view has changed`);
}

function sorted(value) {
  return JSON.stringify(value, (_, part) => {
    const isObject = part !== null && typeof part === "object" && !Array.isArray(part);
    return isObject ? Object.fromEntries(Object.entries(part).sort()) : part;
  });
}

for (const position of JSON.parse(readFileSync(0, "utf8"))) {
  checkPatch(position);
  if (position.moves.length === 0) continue;
  checkChoices(position, "plain");
  checkChoices(position, position.game);
  checkWords(position, "plain");
  checkWords(position, position.game);
}
console.log(JSON.stringify(faults));
