// A person puts a legal move together, choice by choice or with a composer.

import { isAwaited, seatNames } from "../base/words.js";
import { board as plainBoard } from "../boards/plain.js";
import { legalMoves, stillScene } from "./asking.js";
import { commandText, Drafts, targetsOf } from "./drafts.js";
import {
  choiceAt,
  firstChoices,
  isPicked,
  isSameMove,
  narrowed,
  openPlaces,
  pathsOf,
  pickAt,
  questionOf,
  settled,
} from "./paths.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { Board, Choice, Move, Scene } from "../boards/types.d.ts" */
/** @import { Draft, Legal, Path, Pick } from "./types.d.ts" */
/** @import { Frame } from "../replay/types.d.ts" */

export class Choosing {
  #paths;
  /** @type {Pick[]} */ #picks = [];
  #drafts;

  /**
   * @param {Board} board @param {Scene} scene
   * @param {{ moves: Move[], beyond: Record<string, object> }} legal
   */
  constructor(board, scene, { moves, beyond }) {
    this.#drafts = new Drafts(board, scene, beyond);
    const isComposed = (/** @type {string} */ type) => type in board.composers && type in beyond;
    const listed = moves.filter(({ type }) => !isComposed(type));
    this.#paths = pathsOf(listed, board, plainBoard, scene);
  }

  get draft() {
    return this.#drafts.current;
  }

  // The adjustable parts of the listed move that was chosen. null: none.
  /** @returns {Draft | null} */
  get adjusting() {
    const found = this.#found();
    return found ? this.#drafts.adjusting(found) : null;
  }

  // True if no other move is legal: nothing was chosen, and nothing can be.
  get isForced() {
    return this.steps === 0 && this.adjusting === null && this.move() !== null;
  }

  get steps() {
    return this.#picks.length + (this.draft ? 1 : 0);
  }

  trail() {
    const picked = this.#picks.map(({ text }) => text);
    return this.draft ? [...picked, commandText(this.draft.command)] : picked;
  }

  /** @returns {string[]} settled choices that nobody picked, in words */
  lead() {
    if (this.draft || this.#starts().length > 0) return [];

    const open = settled(this.#left()).filter((choice, depth) => {
      return !this.#picks.some((pick) => isPicked(choice, depth, pick));
    });
    return open.map(({ text }) => text);
  }

  /** @returns {Choice[]} the next choices. None if a move is complete or in a composer */
  alternatives() {
    if (this.draft) return [];

    const left = this.#left();
    const starts = this.#starts();
    if (starts.length > 0) return givingUpLast([...firstChoices(left), ...starts]);
    return givingUpLast(questionOf(left)?.alternatives ?? []);
  }

  // True if the complete move may be made unasked: it gives nothing up. The only legal move may
  // give up the rest.
  get isSimple() {
    const choices = this.#found() === null ? [] : (this.#left()[0]?.choices ?? []);
    const losses = choices.flatMap(({ givesUp }) => givesUp ?? []);
    return this.isForced ? !losses.includes("value") : losses.length === 0;
  }

  /** @returns {Move | null} */
  move() {
    if (this.draft) return this.#drafts.move();
    const { adjusting } = this;
    return adjusting ? adjusting.composer.move(adjusting.value) : this.#found();
  }

  /** @param {string} key */
  choose(key) {
    const choice = this.alternatives().find((alternative) => alternative.key === key);
    if (!choice) return;

    const startsSomething = this.#starts().length > 0;
    if (startsSomething && this.#drafts.start(key)) return;
    this.#picks.push({ depth: this.#depth(), key, text: choice.text });
  }

  /** @param {Move} move @returns {boolean} true: it can be chosen */
  take(move) {
    this.backTo(0);
    const path = this.#paths.find((known) => isSameMove(known.move, move));
    if (!path) return this.#drafts.take(move);

    // One choice beyond the path is "Nothing more".
    for (let left = path.choices.length + 1; left > 0 && !this.#found(); left -= 1) {
      this.choose(choiceAt(path, this.#depth()).key);
    }
    return true;
  }

  /** @param {string} place */
  pick(place) {
    if (this.draft) return this.#drafts.pick(place);

    const { adjusting } = this;
    if (adjusting && targetsOf(adjusting).has(place)) {
      this.change(adjusting.composer.pick(adjusting.value, place));
      return true;
    }

    // A composer comes before later choices, such as the brick that a card asks for.
    const left = this.#left();
    const first = this.#firstPick(left, place);
    if (!first && this.#picks.length === 0 && this.#drafts.pick(place)) return true;

    const pick = first ?? pickAt(left, place);
    if (pick) this.#picks.push(pick);
    return pick !== null || this.#pickInstead(place);
  }

  // Change one's mind: pick a place in the stead of the last choices, as few of them as possible.
  /** @param {string} place */
  #pickInstead(place) {
    for (let kept = this.#picks.length - 1; kept >= 0; kept -= 1) {
      const before = this.#picks.slice(0, kept);
      const pick = pickAt(narrowed(this.#paths, before), place);
      if (!pick) continue;
      this.#picks = [...before, pick];
      return true;
    }
    return false;
  }

  /** @param {unknown} value */
  change(value) {
    const found = this.#found();
    if (this.draft) this.#drafts.change(value);
    else if (found) this.#drafts.adjust(found, value);
  }

  back() {
    if (this.draft) this.#drafts.current = null;
    else this.#picks.pop();
  }

  /** @param {number} steps */
  backTo(steps) {
    while (this.steps > steps) this.back();
  }

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

  picked() {
    if (this.draft) return new Set();

    const left = this.#left();
    const isBegun = this.#picks.length > 0 || this.move() !== null;
    const choices = isBegun ? [...settled(left), ...this.#picks] : [];
    return new Set(choices.flatMap(({ place }) => (place === undefined ? [] : [place])));
  }

  // Repeat the choices of an older position, if they still lead to a legal move.
  /** @param {Choosing} before */
  resume(before) {
    if (narrowed(this.#paths, before.#picks).length > 0) this.#picks = [...before.#picks];
    this.#drafts.resume(before.#drafts);
  }

  /** @returns {Path[]} */
  #left() {
    return narrowed(this.#paths, this.#picks);
  }

  /** @returns {number} index of the next choice in a path */
  #depth() {
    return this.#starts().length > 0 ? 0 : (questionOf(this.#left())?.depth ?? 0);
  }

  /** @returns {Move | null} */
  #found() {
    if (this.draft || this.alternatives().length > 0) return null;
    return this.#left()[0]?.move ?? null;
  }

  /** @returns {Choice[]} the composers that can be started beside the first choice */
  #starts() {
    return this.#picks.length === 0 ? this.#drafts.starts() : [];
  }

  /**
   * @param {Path[]} left @param {string} place
   * @returns {Pick | null} the first choice. It may be the only one beside a composer
   */
  #firstPick(left, place) {
    if (this.#starts().length === 0) return null;
    const choice = firstChoices(left).find((candidate) => candidate.place === place);
    return choice ? { depth: 0, key: choice.key, text: choice.text } : null;
  }
}

/** @param {Choice[]} choices @returns {Choice[]} */
function givingUpLast(choices) {
  const cost = (/** @type {Choice} */ { givesUp }) => ["rest", "value"].indexOf(givesUp ?? "");
  return choices.toSorted((one, other) => cost(one) - cost(other));
}

// ---- the legal moves of the reader's seat at the last version, and the choices made --------------

export class Turn {
  /** @type {Frame | null} */ frame = null;
  /** @type {Legal | null} */
  legal = null;
  /** null: no choice is possible. @type {Choosing | null} */
  choosing = null;

  #api;
  #board;
  #loading = new AbortController();

  /** @param {Api} api @param {Board} board */
  constructor(api, board) {
    this.#api = api;
    this.#board = board;
  }

  get isOwn() {
    const seat = this.legal?.seat ?? null;
    return seat !== null && this.frame !== null && isAwaited(this.frame, [seat]);
  }

  // True if choices can be made: the moves are those of the present version.
  get isReady() {
    const isPresent = this.legal !== null && this.legal.version === this.frame?.version;
    return isPresent && this.isOwn && this.choosing !== null;
  }

  /** @param {Match} match @returns {Promise<boolean>} false: other moves are being loaded already */
  async load(match) {
    this.#loading.abort();
    this.#loading = new AbortController();
    const { signal } = this.#loading;

    const isOthers = this.legal !== null && !this.isOwn;
    if (!isOthers) {
      try {
        this.legal = await legalMoves(this.#api, match.match, signal);
      } catch (failure) {
        if (signal.aborted) return false;
        throw failure;
      }
    }

    if (signal.aborted) return false;
    this.#begin(match);
    return true;
  }

  /** @param {Match} match @returns {Scene} */
  scene(match) {
    return stillScene(this.frame?.state ?? {}, seatNames(match.seats), this.legal?.seat ?? null);
  }

  /** @param {Match} match */
  #begin(match) {
    const before = this.choosing;
    this.choosing = null;
    if (!this.legal || !this.isOwn) return;

    this.choosing = new Choosing(this.#board, this.scene(match), this.legal);
    if (before) this.choosing.resume(before);
  }
}
