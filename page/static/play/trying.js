// Trying moves on a board of one's own: each choice builds on the moves before it. It serves a turn
// that is to be sent, and another course of a match that is over.

import { seatOf } from "../base/actors.js";
import { announce } from "../base/announce.js";
import { isUnanswered } from "../base/api.js";
import { seatNames, straight } from "../base/words.js";
import { Branch } from "../replay/branch.js";
import { inBoardWords, stillScene } from "./asking.js";
import { Digits, listenToKeys } from "./choices.js";
import { Choosing } from "./choosing.js";
import { Line } from "./line.js";
import { focusPanel } from "./panel.js";
import { drawTrying, showBoard, showLast } from "./trying_panel.js";
import { WholeTurn } from "./whole_turn.js";

/** @import { Move, Scene } from "../boards/types.d.ts" */
/** @import { Frame } from "../replay/types.d.ts" */
/** @import { Ending, TryingParts } from "./types.d.ts" */

export class Trying {
  isShown = true;
  isFolded = false;
  showsAllHeld = false;
  isTurn = true;

  /** null: no choice is possible. @type {Choosing | null} */ choosing = null;
  /** The next seat in the line. null: none that may be played here. @type {number | null} */
  mover = null;
  /** The last failure. null: none. @type {unknown} */ problem = null;
  /** The retry after a failure. @type {(() => Promise<void>) | null} */ again = null;
  isAsking = false;

  #digits = new Digits();
  #life = new AbortController();

  /** @param {TryingParts} parts */
  constructor(parts) {
    const { api, match, reader, signal } = parts;
    /** @type {Ending} */
    const ending = reader === null ? new Branch(api, match) : new WholeTurn(api, match);
    this.parts = { ...parts, ending };
    this.seats = seatNames(parts.match.seats);
    this.line = new Line(parts.api, parts.match.match, parts.frame.version);
    const hands = {
      digit: (/** @type {number} */ digit) => this.isShown && this.#onDigit(digit),
      confirm: () => this.isShown && this.#onEnter(),
      back: () => this.isShown && this.#onEscape(),
    };
    listenToKeys(hands, AbortSignal.any([this.#life.signal, signal]));
  }

  /** @param {Move | null} first a move to be tried at once */
  async begin(first) {
    this.parts.viewer.branch(this);
    showBoard();
    await this.#do(() => this.line.begin(this.#eyes()));
    if (first) await this.try(first);
  }

  // The match has moved on.
  /** @param {Frame} frame */
  follow(frame) {
    this.parts.ending.follow?.(frame, this);
  }

  changed() {
    this.parts.viewer.draw();
  }

  get isReady() {
    return !this.isAsking && this.choosing !== null && !this.parts.ending.isBusy;
  }

  /** @returns {Move | null} the move that waits to be tried */
  get waiting() {
    return this.isReady ? (this.choosing?.move() ?? null) : null;
  }

  targets() {
    return this.isReady ? (this.choosing?.targets() ?? new Set()) : new Set();
  }

  picked() {
    return this.isReady ? (this.choosing?.picked() ?? new Set()) : new Set();
  }

  /** The view on the board. null: the match itself. */
  preview() {
    const { now, reader, moves } = this.line;
    if (!now || this.parts.ending.isBusy) return null;
    const mark = moves.length > 0 ? this.parts.ending.mark : "";
    return {
      view: this.line.view,
      since: this.line.viewBefore,
      reader: this.mover ?? reader,
      mark,
    };
  }

  /** @param {string} place */
  pick(place) {
    if (!this.isReady) return;
    if (this.choosing?.pick(place)) this.#chosen();
    else announce("That is not part of a move that can be tried now.");
  }

  /** @param {Scene} scene */
  draw(scene) {
    const view = this.line.now ? this.line.view : scene.view;
    return drawTrying(this, { ...scene, view, reader: this.mover }, this.#digits.shift);
  }

  get problemInWords() {
    return inBoardWords(this.problem, this.parts.board, this.scene());
  }

  /** @returns {Scene} the scene of the choices */
  scene() {
    return stillScene(this.line.view, this.seats, this.mover);
  }

  // ---- trying and taking back -------------------------------------------------------------------

  /** @param {Move} move */
  async try(move) {
    const seat = this.mover;
    if (seat === null) return;
    const before = this.line.steps.length;
    await this.#do(() => this.line.go(move, seat, this.#eyes()));
    const news = this.line.steps.slice(before).flatMap(({ events }) => events);
    announce(news.map(({ sentence }) => straight(sentence.text)).join(" "));
  }

  // Repeat moves from a later version, as far as they are still possible there.
  /** @param {number} version @param {Move[]} moves */
  async tryAgainFrom(version, moves) {
    this.line = new Line(this.parts.api, this.parts.match.match, version);
    await this.#do(() => this.line.begin(this.#eyes()));
    for (const move of moves) {
      if (this.problem === null) await this.try(move);
    }
  }

  /** @param {number} moves number of moves that stay */
  backTo(moves) {
    this.line.backTo(moves);
    this.#choose();
    focusPanel();
  }

  // Show the match itself again.
  leave() {
    this.#life.abort();
    this.parts.viewer.branch(null);
  }

  // Send a request. Without an answer it may be repeated.
  /** @param {() => Promise<void>} ask */
  async #do(ask) {
    this.isAsking = true;
    this.problem = null;
    this.again = null;
    this.changed();

    let left = ask;
    try {
      await ask();
      // It is done: a retry must not do it twice.
      left = async () => {};
      const eyes = this.#eyes();
      if (eyes !== null && eyes !== this.line.reader) await this.line.lookAs(eyes);
    } catch (failure) {
      this.problem = failure;
      if (isUnanswered(failure)) this.again = () => this.#do(left);
    }
    if (this.#life.signal.aborted) return;
    this.isAsking = false;
    this.#choose();
    focusPanel();
    showLast();
  }

  // Return the viewing seat of the line: the next one to move. null: one's own.
  #eyes() {
    if (this.parts.reader !== null) return null;
    return this.#actors()[0] ?? this.line.reader ?? this.parts.frame.waiting_for.seats[0] ?? null;
  }

  /** @returns {number[]} the seats that may move next */
  #actors() {
    const { moves = [], beyond = {} } = this.line.now?.answer ?? {};
    return [...new Set([...moves.map(({ seat }) => seat), ...Object.keys(beyond).map(seatOf)])];
  }

  // Let the next seat choose at the end of the line.
  #choose() {
    const actors = this.#actors();
    const { reader } = this.parts;
    this.mover = reader === null || actors.includes(reader) ? (reader ?? actors[0] ?? null) : null;
    this.#digits.reset();
    this.choosing = this.mover === null ? null : this.#choosingOf(this.mover);
    this.changed();
  }

  /** @param {number} mover */
  #choosingOf(mover) {
    const { moves = [], beyond = {} } = this.line.now?.answer ?? {};
    const own = moves.filter(({ seat }) => seat === mover).map(({ seat: _, ...move }) => move);
    const legal = { moves: own, beyond: beyond[`seat:${mover}`] ?? {} };
    return new Choosing(this.parts.board, this.scene(), legal);
  }

  // ---- choosing ---------------------------------------------------------------------------------

  /** @param {string} key */
  choose(key) {
    this.choosing?.choose(key);
    this.#chosen();
    focusPanel();
  }

  /** @param {unknown} draft */
  change(draft) {
    this.choosing?.change(draft);
    this.#chosen();
  }

  /** @param {number} steps */
  unchoose(steps) {
    this.choosing?.backTo(steps);
    this.#chosen();
    focusPanel();
  }

  // Choose a move that was advised.
  /** @param {Move} move */
  take(move) {
    const isTaken = this.choosing?.take(move) ?? false;
    if (!isTaken) announce("This move cannot be put together here.");
    this.#chosen();
    focusPanel();
  }

  // A listed move is tried as soon as it is chosen. An adjustable one and the only legal one wait.
  #chosen() {
    this.problem = null;
    this.#digits.reset();
    const { choosing, waiting } = this;
    const mayChange = Boolean(choosing?.draft || choosing?.adjusting);
    if (waiting && !mayChange && !choosing?.isForced) this.try(waiting);
    else this.changed();
  }

  // ---- keys -------------------------------------------------------------------------------------

  shiftDigits() {
    this.#onDigit(0);
  }

  /** @param {number} digit 0: the digits move on to the next choices */
  #onDigit(digit) {
    if (!this.isReady) return false;
    const alternatives = this.choosing?.alternatives() ?? [];
    return this.#digits.press(digit, alternatives, {
      choose: (key) => this.choose(key),
      shifted: () => this.changed(),
    });
  }

  #onEnter() {
    if (this.again && !this.isAsking) this.again();
    else if (this.waiting) this.try(this.waiting);
    else return this.parts.ending.confirm(this);
    return true;
  }

  #onEscape() {
    if (this.isAsking || this.parts.ending.isBusy) return false;
    const chosen = this.choosing?.steps ?? 0;
    if (chosen > 0) this.unchoose(chosen - 1);
    else if (this.line.moves.length > 0) this.backTo(this.line.moves.length - 1);
    else this.leave();
    return true;
  }
}
