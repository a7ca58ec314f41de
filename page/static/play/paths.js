// The legal moves as paths of choices, narrowed by picks. All functions are pure. A pick is a choice
// at its depth, or a place on the board named by a move at some depth.

/** @import { Board, Choice, Move, Scene } from "../boards/types.d.ts" */
/** @import { Path, Pick, Question } from "./types.d.ts" */

// Stands for the end of a path if other paths continue.
const NO_MORE = { key: "", text: "Nothing more" };

/**
 * Return the paths of all listed moves. Moves that look alike on a board are told apart by their
 * fields.
 * @param {Move[]} moves @param {Board} board @param {Board} plain @param {Scene} scene
 * @returns {Path[]}
 */
export function pathsOf(moves, board, plain, scene) {
  const paths = moves.map((move) => ({ move, choices: board.choices(move, scene) }));
  const alike = groupsOf(paths, ({ choices }) => JSON.stringify(choices.map(({ key }) => key)));

  for (const group of alike) {
    if (group.length === 1) continue;

    for (const path of group) {
      path.choices = [...path.choices, ...plain.choices(path.move, scene)];
    }
  }

  return paths;
}

/** @param {Move} move @param {Move | null} other */
export function isSameMove(move, other) {
  return inOneOrder(move) === inOneOrder(other);
}

// Return a text that is the same for equal values.
/** @param {unknown} value @returns {string} */
export function inOneOrder(value) {
  return JSON.stringify(value, (_, part) => {
    const isObject = part !== null && typeof part === "object" && !Array.isArray(part);
    return isObject ? Object.fromEntries(Object.entries(part).sort()) : part;
  });
}

/** @param {Path[]} paths @param {Pick[]} picks @returns {Path[]} */
export function narrowed(paths, picks) {
  return paths.filter((path) => picks.every((pick) => agrees(path, pick)));
}

/** @param {Path} path @param {Pick} pick */
function agrees(path, pick) {
  if (pick.key !== undefined) return choiceAt(path, pick.depth).key === pick.key;
  return path.choices.slice(pick.depth).some(({ place }) => place === pick.place);
}

// Return a choice of a path. After its end it is "Nothing more".
/** @param {Path} path @param {number} depth @returns {Choice} */
export function choiceAt(path, depth) {
  return path.choices[depth] ?? NO_MORE;
}

/** @param {Path[]} paths @returns {Question | null} */
export function questionOf(paths) {
  const deepest = Math.max(0, ...paths.map(({ choices }) => choices.length));

  for (let depth = 0; depth < deepest; depth += 1) {
    /** @type {Map<string, Choice>} */
    const alternatives = new Map();

    for (const path of paths) {
      const choice = choiceAt(path, depth);
      if (!alternatives.has(choice.key)) alternatives.set(choice.key, choice);
    }

    if (alternatives.size > 1) return { depth, alternatives: [...alternatives.values()] };
  }

  return null;
}

// Return the places for a click to pick: those of the next choices and of later ones.
/** @param {Path[]} paths */
export function openPlaces(paths) {
  const question = questionOf(paths);
  if (!question) return new Set();

  const later = paths.flatMap(({ choices }) => choices.slice(question.depth));
  const named = new Set(later.flatMap(({ place }) => (place === undefined ? [] : [place])));
  return new Set([...named].filter((place) => pickAt(paths, place) !== null));
}

/** @param {Path[]} paths @param {string} place @returns {Pick | null} */
export function pickAt(paths, place) {
  const question = questionOf(paths);
  if (!question) return null;

  const next = question.alternatives.filter((choice) => choice.place === place);
  const [only] = next;
  if (next.length === 1 && only) return { depth: question.depth, key: only.key, text: only.text };

  const pick = { depth: question.depth, place, text: textAt(paths, place, question.depth) };
  const left = narrowed(paths, [pick]).length;
  return left > 0 && left < paths.length ? pick : null;
}

/** @param {Path[]} paths @param {string} place @param {number} depth */
function textAt(paths, place, depth) {
  for (const path of paths) {
    const choice = path.choices.slice(depth).find((candidate) => candidate.place === place);
    if (choice) return choice.text;
  }

  return "";
}

/**
 * @param {Path[]} paths
 * @returns {Choice[]} the choices that all paths share, up to the next question
 */
export function settled(paths) {
  return (paths[0]?.choices ?? []).slice(0, questionOf(paths)?.depth);
}

/** @param {Path[]} paths @returns {Choice[]} */
export function firstChoices(paths) {
  /** @type {Map<string, Choice>} */
  const first = new Map();
  for (const { choices } of paths) {
    const [choice] = choices;
    if (choice && !first.has(choice.key)) first.set(choice.key, choice);
  }
  return [...first.values()];
}

/** @param {Choice} choice @param {number} depth @param {Pick} pick */
export function isPicked(choice, depth, pick) {
  if (pick.key === undefined) return choice.place === pick.place;
  return choice.key === pick.key && depth === pick.depth;
}

// ---- groups of values ---------------------------------------------------------------------------

/**
 * @template Value @param {Value[]} values @param {(value: Value) => string} keyOf
 * @returns {Value[][]}
 */
export function groupsOf(values, keyOf) {
  /** @type {Map<string, Value[]>} */
  const groups = new Map();

  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key) ?? [];
    group.push(value);
    groups.set(key, group);
  }

  return [...groups.values()];
}
