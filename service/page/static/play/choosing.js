/** How a person puts a move together: choice by choice, or with a composer. It asks no server. */

import { capital, worded } from "../base/words.js";
import { board as plainBoard } from "../boards/plain.js";
import { freehand } from "./freehand.js";
import { narrowed, openPlaces, pathsOf, pickAt, questionOf } from "./paths.js";

/** @typedef {import("../boards/board.js").Board} Board */
/** @typedef {import("../boards/board.js").Choice} Choice */
/** @typedef {import("../boards/board.js").Composer} Composer */
/** @typedef {import("../boards/board.js").Scene} Scene */
/** @typedef {import("./paths.js").Path} Path */
/** @typedef {import("./paths.js").Pick} Pick */

/**
 * A move that is being composed.
 *
 * @typedef {object} Draft
 * @property {string} command
 * @property {Composer} composer
 * @property {any} beyond
 * @property {any} value
 */

/** What keys of choices that start a composer begin with. */
const COMPOSE = "compose:";

/** The choices made so far among the moves of one version. */
export class Choosing {
  /** @type {Scene} */ #scene;
  /** @type {Path[]} */ #paths;
  /** @type {Pick[]} */ #picks = [];
  /** @type {Draft[]} */ #composers;
  /** @type {Draft | null} */ #draft = null;

  /**
   * @param {Board} board
   * @param {Scene} scene
   * @param {{moves: any[], beyond: Record<string, any>}} legal the answer of GET /moves
   */
  constructor(board, scene, legal) {
    this.#scene = scene;
    this.#composers = Object.entries(legal.beyond).map(([command, beyond]) =>
      newDraft(board, command, beyond, scene),
    );

    const moves = legal.moves.filter(
      (move) => !board.composers[move.type] || !legal.beyond[move.type],
    );
    this.#paths = pathsOf(moves, board, plainBoard, scene);
  }

  /** How many choices can be taken back. */
  get steps() {
    return this.#picks.length + (this.#draft ? 1 : 0);
  }

  /** The move being composed; null: moves are chosen from the list. */
  get draft() {
    return this.#draft;
  }

  /** @returns {string[]} what was picked, in words */
  trail() {
    const picked = this.#picks.map(({ text }) => text);
    return this.#draft ? [...picked, commandText(this.#draft.command)] : picked;
  }

  /** @returns {string[]} what is settled without having been picked, in words */
  lead() {
    if (this.#draft || (this.#picks.length === 0 && this.#composers.length > 0)) return [];

    const left = this.#left();
    const settled = (left[0]?.choices ?? []).slice(0, questionOf(left)?.depth);
    const open = settled.filter(({ key, place }, depth) => {
      return !this.#picks.some((pick) => {
        const isPicked = pick.key === key && pick.depth === depth;
        return isPicked || (pick.key === undefined && pick.place === place);
      });
    });
    return open.map(({ text }) => text);
  }

  /** @returns {Choice[]} what can be chosen next; none if a move is found or being composed */
  alternatives() {
    if (this.#draft) return [];

    const listed = this.#left();
    const composed = this.#picks.length === 0 ? this.#composers : [];
    const starts = composed.map(({ command, composer }) => startOf(command, composer));
    const question = questionOf(listed);
    if (question && question.depth === 0) return [...question.alternatives, ...starts];
    if (starts.length > 0) return [...firstChoices(listed), ...starts];
    return question ? question.alternatives : [];
  }

  /** @returns {any} the move that was chosen or composed, or null */
  move() {
    if (this.#draft) {
      const { composer, value, beyond } = this.#draft;
      return composer.problem(value, beyond) === "" ? composer.move(value) : null;
    }

    if (this.alternatives().length > 0) return null;
    return this.#left()[0]?.move ?? null;
  }

  /** @param {string} key of one of the alternatives */
  choose(key) {
    const choice = this.alternatives().find((alternative) => alternative.key === key);
    if (!choice) return;

    if (key.startsWith(COMPOSE)) {
      this.#compose(key.slice(COMPOSE.length));
      return;
    }

    const depth = questionOf(this.#left())?.depth ?? 0;
    const at = this.#picks.length === 0 && this.#composers.length > 0 ? 0 : depth;
    this.#picks.push({ depth: at, key, text: choice.text });
  }

  /**
   * Pick a place on the board.
   *
   * @param {string} place
   * @returns {boolean} whether that chose anything
   */
  pick(place) {
    if (this.#draft) return this.#pickInDraft(place);

    const left = this.#left();
    const pick = pickAt(left, place) ?? this.#onlyPick(left, place);
    if (pick) {
      this.#picks.push(pick);
      return true;
    }

    const composer = this.#composerAt(place);
    if (!composer) return false;
    this.#compose(composer.command);
    return this.#pickInDraft(place);
  }

  /** @param {any} value the draft that follows */
  change(value) {
    if (this.#draft) this.#draft = { ...this.#draft, value };
  }

  /** Take the last choice back. */
  back() {
    if (this.#draft) this.#draft = null;
    else this.#picks.pop();
  }

  /** @param {number} steps how many choices stay */
  backTo(steps) {
    while (this.steps > steps) this.back();
  }

  /** @returns {Set<string>} the places that can be picked now */
  targets() {
    if (this.#draft) {
      const { composer, value, beyond } = this.#draft;
      return new Set(composer.targets(value, beyond));
    }

    const places = openPlaces(this.#left());
    if (this.#picks.length > 0) return places;

    for (const { composer, value, beyond } of this.#composers) {
      for (const place of composer.targets(value, beyond)) places.add(place);
    }
    return places;
  }

  /** @returns {Set<string>} the places of the choices made so far */
  picked() {
    const places = new Set();
    if (this.#draft) return places;

    for (const { place } of this.#settled()) {
      if (place !== undefined) places.add(place);
    }
    for (const { place } of this.#picks) {
      if (place !== undefined) places.add(place);
    }
    return places;
  }

  /**
   * Make the choices of an older state again, as far as they still lead to a legal move.
   *
   * @param {Choosing} before
   */
  resume(before) {
    const picks = before.#picks;
    if (narrowed(this.#paths, picks).length > 0) this.#picks = [...picks];

    const old = before.#draft;
    const same = this.#composers.find(({ command }) => command === old?.command);
    if (!old || !same) return;
    if (JSON.stringify(same.beyond) === JSON.stringify(old.beyond)) this.#draft = old;
  }

  /** @returns {Path[]} */
  #left() {
    return narrowed(this.#paths, this.#picks);
  }

  /** @returns {Choice[]} the choices in which all moves that are left agree */
  #settled() {
    const left = this.#left();
    const question = questionOf(left);
    const only = this.#picks.length > 0 || left.length === 1;
    if (!only) return [];
    return (left[0]?.choices ?? []).slice(0, question?.depth);
  }

  /**
   * @param {Path[]} left
   * @param {string} place
   * @returns {Pick | null} the first choice, where the list agrees in it but composers stand beside it
   */
  #onlyPick(left, place) {
    if (this.#picks.length > 0 || this.#composers.length === 0) return null;

    const choice = firstChoices(left).find((candidate) => candidate.place === place);
    return choice ? { depth: 0, key: choice.key, text: choice.text } : null;
  }

  /** @param {string} command */
  #compose(command) {
    this.#draft = this.#composers.find((draft) => draft.command === command) ?? null;
  }

  /**
   * @param {string} place
   * @returns {boolean}
   */
  #pickInDraft(place) {
    if (!this.#draft) return false;

    const { composer, value, beyond } = this.#draft;
    if (!composer.targets(value, beyond).has(place)) return false;
    this.change(composer.pick(value, place));
    return true;
  }

  /**
   * @param {string} place
   * @returns {Draft | undefined}
   */
  #composerAt(place) {
    if (this.#picks.length > 0) return undefined;
    return this.#composers.find(({ composer, value, beyond }) =>
      composer.targets(value, beyond).has(place),
    );
  }

  /** The position that the choices are made in. */
  get scene() {
    return this.#scene;
  }
}

/**
 * @param {Board} board
 * @param {string} command
 * @param {any} beyond
 * @param {Scene} scene
 * @returns {Draft}
 */
function newDraft(board, command, beyond, scene) {
  const composer = board.composers[command] ?? freehand(command);
  return { command, composer, beyond, value: composer.start(beyond, scene) };
}

/**
 * @param {string} command
 * @param {Composer} composer
 * @returns {Choice}
 */
function startOf(command, composer) {
  const text = commandText(command);
  const unlisted = "byHand" in composer ? `${text} in a way that is not listed` : text;
  return { key: COMPOSE + command, text: unlisted };
}

/**
 * @param {string} command
 * @returns {string}
 */
function commandText(command) {
  return capital(worded(command));
}

/**
 * @param {Path[]} paths
 * @returns {Choice[]} the first choices of all paths, each once
 */
function firstChoices(paths) {
  /** @type {Map<string, Choice>} */
  const first = new Map();
  for (const { choices } of paths) {
    if (choices[0]) first.set(choices[0].key, choices[0]);
  }
  return [...first.values()];
}
