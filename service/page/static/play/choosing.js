/** How a person puts a move together: choice by choice, or with a composer. It asks no server. */

import { board as plainBoard } from "../boards/plain.js";
import { commandText, Drafts, targetsOf } from "./drafts.js";
import {
  choiceAt,
  isSameMove,
  narrowed,
  openPlaces,
  pathsOf,
  pickAt,
  questionOf,
} from "./paths.js";

/** @typedef {import("../boards/board.js").Board} Board */
/** @typedef {import("../boards/board.js").Choice} Choice */
/** @typedef {import("../boards/board.js").Scene} Scene */
/** @typedef {import("./drafts.js").Draft} Draft */
/** @typedef {import("./paths.js").Path} Path */
/** @typedef {import("./paths.js").Pick} Pick */

/** The choices made so far among the moves of one version. */
export class Choosing {
  /** @type {Path[]} */ #paths;
  /** @type {Pick[]} */ #picks = [];
  /** @type {Drafts} */ #drafts;

  /**
   * @param {Board} board
   * @param {Scene} scene
   * @param {{moves: any[], beyond: Record<string, any>}} legal the answer of GET /moves
   */
  constructor(board, scene, { moves, beyond }) {
    this.#drafts = new Drafts(board, scene, beyond);
    const isComposed = (/** @type {string} */ type) => type in board.composers && type in beyond;
    const listed = moves.filter(({ type }) => !isComposed(type));
    this.#paths = pathsOf(listed, board, plainBoard, scene);
  }

  /** The move being composed; null: moves are chosen from the list. */
  get draft() {
    return this.#drafts.current;
  }

  /** What can be adjusted of the listed move that was found; null: nothing. @returns {Draft | null} */
  get adjusting() {
    const found = this.#found();
    return found ? this.#drafts.adjusting(found) : null;
  }

  /** How many choices can be taken back. */
  get steps() {
    return this.#picks.length + (this.draft ? 1 : 0);
  }

  /** @returns {string[]} what was picked, in words */
  trail() {
    const picked = this.#picks.map(({ text }) => text);
    return this.draft ? [...picked, commandText(this.draft.command)] : picked;
  }

  /** @returns {string[]} what is settled without having been picked, in words */
  lead() {
    if (this.draft || this.#starts().length > 0) return [];

    const open = settled(this.#left()).filter((choice, depth) => {
      return !this.#picks.some((pick) => isPicked(choice, depth, pick));
    });
    return open.map(({ text }) => text);
  }

  /** @returns {Choice[]} what can be chosen next; none if a move is found or being composed */
  alternatives() {
    if (this.draft) return [];

    const left = this.#left();
    const starts = this.#starts();
    if (starts.length > 0) return [...firstChoices(left), ...starts];
    return questionOf(left)?.alternatives ?? [];
  }

  /** @returns {any} the move that was chosen or composed, or null */
  move() {
    if (this.draft) return this.#drafts.move();
    const { adjusting } = this;
    return adjusting ? adjusting.composer.move(adjusting.value) : this.#found();
  }

  /** @param {string} key of one of the alternatives */
  choose(key) {
    const choice = this.alternatives().find((alternative) => alternative.key === key);
    if (!choice) return;

    const startsSomething = this.#starts().length > 0;
    if (startsSomething && this.#drafts.start(key)) return;
    this.#picks.push({ depth: this.#depth(), key, text: choice.text });
  }

  /**
   * Choose a whole move, in place of all that was chosen before.
   *
   * @param {any} move
   * @returns {boolean} whether it can be chosen
   */
  take(move) {
    this.backTo(0);
    const path = this.#paths.find((known) => isSameMove(known.move, move));
    if (!path) return this.#drafts.take(move);

    // A choice more than the path has is the one to choose nothing more.
    for (let left = path.choices.length + 1; left > 0 && !this.#found(); left -= 1) {
      this.choose(choiceAt(path, this.#depth()).key);
    }
    return true;
  }

  /**
   * Pick a place on the board.
   *
   * @param {string} place
   * @returns {boolean} whether that chose anything
   */
  pick(place) {
    if (this.draft) return this.#drafts.pick(place);

    const { adjusting } = this;
    if (adjusting && targetsOf(adjusting).has(place)) {
      this.change(adjusting.composer.pick(adjusting.value, place));
      return true;
    }

    // A composer comes before choices that are made later, such as the brick that a card asks for.
    const left = this.#left();
    const first = this.#firstPick(left, place);
    if (!first && this.#picks.length === 0 && this.#drafts.pick(place)) return true;

    const pick = first ?? pickAt(left, place);
    if (pick) this.#picks.push(pick);
    return pick !== null;
  }

  /** @param {any} value the draft that follows */
  change(value) {
    if (this.draft) this.#drafts.change(value);
    else this.#drafts.adjust(this.#found(), value);
  }

  /** Take the last choice back. */
  back() {
    if (this.draft) this.#drafts.current = null;
    else this.#picks.pop();
  }

  /** @param {number} steps how many choices stay */
  backTo(steps) {
    while (this.steps > steps) this.back();
  }

  /** @returns {Set<string>} the places that can be picked now */
  targets() {
    if (this.draft) return this.#drafts.targets();
    if (this.adjusting) return new Set(targetsOf(this.adjusting));

    const places = openPlaces(this.#left());
    if (this.#starts().length === 0) return places;

    for (const { place } of firstChoices(this.#left())) {
      if (place !== undefined) places.add(place);
    }
    for (const place of this.#drafts.targets()) places.add(place);
    return places;
  }

  /** @returns {Set<string>} the places of the choices made so far */
  picked() {
    if (this.draft) return new Set();

    const left = this.#left();
    const isBegun = this.#picks.length > 0 || this.move() !== null;
    const choices = isBegun ? [...settled(left), ...this.#picks] : [];
    return new Set(choices.flatMap(({ place }) => (place === undefined ? [] : [place])));
  }

  /**
   * Make the choices of an older position again, as far as they still lead to a legal move.
   *
   * @param {Choosing} before
   */
  resume(before) {
    if (narrowed(this.#paths, before.#picks).length > 0) this.#picks = [...before.#picks];
    this.#drafts.resume(before.#drafts);
  }

  /** @returns {Path[]} the moves that agree with all picks */
  #left() {
    return narrowed(this.#paths, this.#picks);
  }

  /** @returns {number} which choice of a path is made next */
  #depth() {
    return this.#starts().length > 0 ? 0 : (questionOf(this.#left())?.depth ?? 0);
  }

  /** @returns {any} the listed move that was found; null: there are choices left, or a draft */
  #found() {
    if (this.draft || this.alternatives().length > 0) return null;
    return this.#left()[0]?.move ?? null;
  }

  /** @returns {Choice[]} the composers that can be started beside the first choice */
  #starts() {
    return this.#picks.length === 0 ? this.#drafts.starts() : [];
  }

  /**
   * @param {Path[]} left
   * @param {string} place
   * @returns {Pick | null} the first choice, in which all listed moves may agree beside a composer
   */
  #firstPick(left, place) {
    if (this.#starts().length === 0) return null;
    const choice = firstChoices(left).find((candidate) => candidate.place === place);
    return choice ? { depth: 0, key: choice.key, text: choice.text } : null;
  }
}

/**
 * @param {Path[]} paths
 * @returns {Choice[]} the choices in which all paths agree, up to the next question
 */
function settled(paths) {
  return (paths[0]?.choices ?? []).slice(0, questionOf(paths)?.depth);
}

/**
 * @param {Path[]} paths
 * @returns {Choice[]} the first choices of all paths, each once
 */
function firstChoices(paths) {
  /** @type {Map<string, Choice>} */
  const first = new Map();
  for (const { choices } of paths) {
    const [choice] = choices;
    if (choice && !first.has(choice.key)) first.set(choice.key, choice);
  }
  return [...first.values()];
}

/**
 * @param {Choice} choice
 * @param {number} depth
 * @param {Pick} pick
 * @returns {boolean}
 */
function isPicked(choice, depth, pick) {
  if (pick.key === undefined) return choice.place === pick.place;
  return choice.key === pick.key && depth === pick.depth;
}
