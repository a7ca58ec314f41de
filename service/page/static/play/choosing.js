// How a person puts a move together: choice by choice, or with a composer. It asks no server.

import { fieldOf, html, nothing } from "../base/dom.js";
import { capital, worded } from "../base/words.js";
import { board as plainBoard, textOf } from "../boards/plain.js";
import {
  choiceAt,
  isSameMove,
  narrowed,
  openPlaces,
  pathsOf,
  pickAt,
  questionOf,
} from "./paths.js";

/** @import { Board, Choice, Composer, Move, Scene, Seat } from "../boards/types.d.ts" */
/** @import { Draft, Path, Pick } from "./types.d.ts" */

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

  // What can be adjusted of the listed move that was found; null: nothing.
  /** @returns {Draft | null} */
  get adjusting() {
    const found = this.#found();
    return found ? this.#drafts.adjusting(found) : null;
  }

  // Whether no other move is legal: nothing was chosen, and nothing can be.
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

  /** @param {Move} move @returns {boolean} whether it can be chosen */
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

  /** @param {string} place */
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
    return pick !== null || this.#pickInstead(place);
  }

  // Change one's mind: pick a place in the stead of the last choices, as few of them as must be.
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

  // Make the choices of an older position again, as far as they still lead to a legal move.
  /** @param {Choosing} before */
  resume(before) {
    if (narrowed(this.#paths, before.#picks).length > 0) this.#picks = [...before.#picks];
    this.#drafts.resume(before.#drafts);
  }

  /** @returns {Path[]} */
  #left() {
    return narrowed(this.#paths, this.#picks);
  }

  /** @returns {number} which choice of a path is made next */
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

/** @param {Path[]} paths @returns {Choice[]} */
function firstChoices(paths) {
  /** @type {Map<string, Choice>} */
  const first = new Map();
  for (const { choices } of paths) {
    const [choice] = choices;
    if (choice && !first.has(choice.key)) first.set(choice.key, choice);
  }
  return [...first.values()];
}

/** @param {Choice} choice @param {number} depth @param {Pick} pick */
function isPicked(choice, depth, pick) {
  if (pick.key === undefined) return choice.place === pick.place;
  return choice.key === pick.key && depth === pick.depth;
}

// ---- the moves that are put together with a composer because no list holds them all -------------

const COMPOSE = "compose:";

class Drafts {
  /** @type {Draft | null} */
  current = null;

  #all;
  #board;
  #scene;

  /** @type {{move: Move | null, draft: Draft | null}} */
  #adjusted = { move: null, draft: null };

  /** @param {Board} board @param {Scene} scene @param {Record<string, object>} beyond */
  constructor(board, scene, beyond) {
    this.#board = board;
    this.#scene = scene;
    this.#all = Object.entries(beyond).map(([command, described]) => {
      const composer = board.composers[command] ?? freehand(command);
      return { command, composer, beyond: described, value: composer.start(described, scene) };
    });
  }

  /** @returns {Choice[]} */
  starts() {
    return this.#all.map(({ command, composer }) => {
      const title = commandText(command);
      const text = "byHand" in composer ? `${title} in a way that is not listed` : title;
      return { key: COMPOSE + command, text };
    });
  }

  /** @param {string} key */
  start(key) {
    const draft = this.#all.find(({ command }) => COMPOSE + command === key);
    this.current = draft ?? null;
    return draft !== undefined;
  }

  /** @param {Move} move */
  take(move) {
    const draft = this.#all.find(({ command }) => command === move.type);
    if (!draft?.composer.from) return false;

    const value = draft.composer.from(move, draft.beyond, this.#scene);
    this.current = { ...draft, value };
    return true;
  }

  /** @param {string} place @returns {boolean} whether that did anything */
  pick(place) {
    const draft = this.#open().find((candidate) => targetsOf(candidate).has(place));
    if (!draft) return false;

    this.current = { ...draft, value: draft.composer.pick(draft.value, place) };
    return true;
  }

  targets() {
    const places = new Set();
    for (const draft of this.#open()) {
      for (const place of targetsOf(draft)) places.add(place);
    }
    return places;
  }

  /** @param {unknown} value */
  change(value) {
    if (this.current) this.current = { ...this.current, value };
  }

  /** @returns {Move | null} the move as it may be posted; null while it is unfinished */
  move() {
    if (!this.current) return null;
    const { composer, value, beyond } = this.current;
    return composer.problem(value, beyond) === "" ? composer.move(value) : null;
  }

  /** @param {Move} move @returns {Draft | null} null where nothing can be adjusted */
  adjusting(move) {
    if (this.#adjusted.move !== move) this.#adjusted = { move, draft: this.#adjustable(move) };
    return this.#adjusted.draft;
  }

  /** @param {Move} move @param {unknown} value */
  adjust(move, value) {
    const draft = this.adjusting(move);
    if (draft) this.#adjusted = { move, draft: { ...draft, value } };
  }

  /** @param {Move} move @returns {Draft | null} */
  #adjustable(move) {
    const composer = this.#board.adjust?.[move.type];
    const value = composer?.start(move, this.#scene) ?? null;
    return composer && value !== null
      ? { command: move.type, composer, beyond: move, value }
      : null;
  }

  // Go on with the draft of an older position, if the same can still be composed.
  /** @param {Drafts} before */
  resume({ current }) {
    const same = this.#all.find(({ command }) => command === current?.command);
    if (!current || !same) return;
    if (JSON.stringify(same.beyond) === JSON.stringify(current.beyond)) this.current = current;
  }

  /** @returns {Draft[]} */
  #open() {
    return this.current ? [this.current] : this.#all;
  }
}

/** @param {string} command */
function commandText(command) {
  return capital(worded(command));
}

/** @param {Draft} draft */
export function targetsOf({ composer, value, beyond }) {
  return composer.targets(value, beyond);
}

// ---- the composer for moves of which only the api knows the form --------------------------------

/** @param {string} command @returns {Composer & {byHand: true}} */
function freehand(command) {
  return {
    byHand: true,
    start: () => JSON.stringify({ type: command }, null, 2),
    draw: (draft, beyond, scene, change) => drawFreehand(draft, beyond, scene.seats, change),
    move: (draft) => JSON.parse(draft),
    problem: problemOf,
    pick: (draft) => draft,
    targets: () => new Set(),
    from: (move) => JSON.stringify(move, null, 2),
  };
}

/**
 * @param {string} draft @param {object} beyond @param {Seat[]} seats
 * @param {(draft: string) => void} change
 */
function drawFreehand(draft, beyond, seats, change) {
  const problem = problemOf(draft);
  const known = Object.entries(beyond ?? {});

  return html`
    <dl class="play-known">
      ${known.map(
        ([key, value]) =>
          html`<div><dt>${capital(worded(key))}</dt><dd>${textOf(value, key, seats)}</dd></div>`,
      )}
    </dl>
    <label class="play-label" for="play-json">The move as JSON</label>
    <textarea
      id="play-json"
      class="play-json"
      rows="6"
      spellcheck="false"
      aria-describedby="play-json-problem"
      aria-invalid=${problem ? "true" : "false"}
      .value=${draft}
      @change=${(/** @type {Event} */ event) => change(fieldOf(event).value)}
    ></textarea>
    <p id="play-json-problem" class="play-field-problem">${problem || nothing}</p>
  `;
}

/** @param {string} draft */
function problemOf(draft) {
  try {
    const move = JSON.parse(draft);
    if (move !== null && typeof move === "object" && !Array.isArray(move)) return "";
    return "A move is an object.";
  } catch {
    return "This is not JSON yet.";
  }
}
