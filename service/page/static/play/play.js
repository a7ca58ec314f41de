// Playing: what the reader's seat may do, how they choose, and what becomes of it. A move is chosen
// step by step, then tried (`dry_run`) and shown, then sent with one more press.

import { announce } from "../base/announce.js";
import { isUnanswered } from "../base/api.js";
import { HOME } from "../base/home.js";
import { read, write } from "../base/storage.js";
import { isAwaited, seatNames } from "../base/words.js";
import { isSilent } from "../replay/controls.js";
import { inBoardWords, legalMoves } from "./asking.js";
import { Choosing } from "./choosing.js";
import { Making } from "./making.js";
import { DIGITS, drawPanel, focusPanel, inOrder } from "./panel.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { Board, Choice, Move, Scene } from "../boards/types.d.ts" */
/** @import { Advice } from "./advice.js" */
/** @import { AdviserParts, Drawn, Hands, Legal, PlayParts, Position, Preview } from "./types.d.ts" */
/** @import { Frame } from "../replay/types.d.ts" */

const QUICK = `giornale${HOME}/quick`; // whether simple moves are made without asking

export class Play {
  /** @type {Match} */
  match;

  isShown = true;

  #board;
  #changed;
  #turn;
  #making;
  #adviser;
  #digits = new Digits();
  #isFolded = false;

  /** @param {PlayParts} parts */
  constructor({ api, match, board, changed, signal }) {
    this.match = match;
    this.#board = board;
    this.#changed = changed;
    this.#turn = new Turn(api, board);
    this.#making = new Making({ api, board, changed }, this.#turn);
    this.#adviser = new Adviser({
      api,
      board,
      changed,
      take: (move) => this.#take(move),
      failed: (problem) => {
        this.#making.problem = problem;
        changed();
      },
    });

    this.#making.isQuick = read(QUICK) === "yes";
    const hands = {
      digit: (/** @type {number} */ digit) => this.isShown && this.#onDigit(digit),
      confirm: () => this.isShown && this.#onEnter(),
      back: () => this.isShown && this.#onEscape(),
    };
    listenToKeys(hands, signal);
  }

  get isTurn() {
    return this.#turn.isOwn;
  }

  /** @param {Frame} frame */
  async follow(frame) {
    const isSame = frame.version === this.#turn.frame?.version;
    this.#turn.frame = frame;
    if (isSame) return;

    this.#making.follow();
    this.#adviser.follow(this.match);
    await this.#load();
  }

  // The connection is there again: what did not come is asked for at once.
  reconnected() {
    this.#making.again();
    const isUnread = this.#turn.choosing === null && isUnanswered(this.#making.problem);
    if (isUnread && this.#making.sending === "") this.#load();
  }

  targets() {
    return this.#making.isReady ? (this.#turn.choosing?.targets() ?? new Set()) : new Set();
  }

  picked() {
    return this.#making.isReady ? (this.#turn.choosing?.picked() ?? new Set()) : new Set();
  }

  /** @returns {Preview | null} what the board shows; of the only legal move it shows nothing ahead */
  preview() {
    return this.#turn.choosing?.isForced ? null : this.#making.preview;
  }

  /** Pick a place on the board. One that cannot be picked says why not. @param {string} place */
  pick(place) {
    if (!this.#making.isReady || !this.#turn.choosing) return;

    if (this.#turn.choosing.pick(place)) this.#chosen();
    else this.#making.refuse(this.match, place);
  }

  /** @param {Scene} scene */
  draw(scene) {
    return drawPanel({
      // The board may show the preview; what is chosen is chosen in the present.
      scene: { ...scene, view: this.#turn.frame?.state ?? {} },
      game: this.match.game,
      frame: this.#turn.frame,
      isTurn: this.isTurn,
      isReady: this.#making.isReady,
      isFolded: this.#isFolded,
      fold: () => this.#fold(),
      choosing: this.#turn.choosing,
      preview: this.#making.preview,
      isBlind: this.#making.isBlind,
      lookAgain: () => {
        this.#making.again();
        focusPanel();
      },
      advice: this.#drawAdvice(),
      problem: inBoardWords(this.#making.problem, this.#board, this.#turn.scene(this.match)),
      news: this.#making.news,
      sending: this.#making.sending,
      shift: this.#digits.shift,
      choose: (key) => this.#choose(key),
      change: (draft) => this.#change(draft),
      backTo: (steps) => this.#backTo(steps),
      shiftDigits: () => this.#onDigit(0),
      send: () => this.#making.send(this.match),
      reload: () => this.#load(),
      isQuick: this.#making.isQuick,
      setQuick: (isQuick) => this.#setQuick(isQuick),
    });
  }

  /** @param {boolean} isQuick */
  #setQuick(isQuick) {
    this.#making.isQuick = isQuick;
    write(QUICK, isQuick ? "yes" : "no");
    this.#changed();
  }

  #fold() {
    this.#isFolded = !this.#isFolded;
    this.#changed();
  }

  // ---- the moves --------------------------------------------------------------------------------

  async #load() {
    try {
      const isLoaded = await this.#turn.load(this.match);
      if (!isLoaded) return;
      this.#making.problem = null;
      this.#digits.reset();
      this.#making.look(this.match);
    } catch (failure) {
      this.#making.problem = failure;
    }
    this.#changed();
  }

  // ---- choosing ---------------------------------------------------------------------------------

  /** @param {string} key */
  #choose(key) {
    this.#turn.choosing?.choose(key);
    this.#chosen();
    focusPanel();
  }

  /** @param {unknown} draft */
  #change(draft) {
    this.#turn.choosing?.change(draft);
    this.#chosen();
  }

  /** @param {number} steps */
  #backTo(steps) {
    this.#turn.choosing?.backTo(steps);
    this.#chosen();
    focusPanel();
  }

  #chosen() {
    this.#making.problem = null;
    this.#making.news = [];
    this.#digits.reset();
    this.#making.look(this.match, true);
    this.#changed();
  }

  // ---- advice -----------------------------------------------------------------------------------

  #drawAdvice() {
    const { match } = this;
    const { legal, choosing } = this.#turn;
    if (!match.advice || !legal || !this.#making.isReady) return null;

    const scene = this.#turn.scene(match);
    const chosen = choosing?.move() ?? null;
    return this.#adviser.draw({ match, version: legal.version, scene, chosen });
  }

  /** @param {Move} move */
  #take(move) {
    const isTaken = this.#turn.choosing?.take(move) ?? false;
    if (!isTaken) announce("This move cannot be put together here.");
    this.#chosen();
    focusPanel();
  }

  // ---- keys -------------------------------------------------------------------------------------

  /** @param {number} digit 0: the digits go on to the next choices */
  #onDigit(digit) {
    if (!this.#making.isReady) return false;
    const alternatives = this.#turn.choosing?.alternatives() ?? [];
    if (digit === 0) {
      const isShifted = this.#digits.further(alternatives);
      if (isShifted) this.#changed();
      return isShifted;
    }

    const choice = this.#digits.choice(digit, alternatives);
    if (!choice) return false;
    this.#choose(choice.key);
    return true;
  }

  #onEnter() {
    if (!this.#making.canSend) return false;
    this.#making.send(this.match);
    return true;
  }

  #onEscape() {
    const choosing = this.#turn.choosing;
    if (!this.#making.isReady || !choosing) return false;
    if (choosing.steps === 0 && !this.#making.problem) return false;

    this.#backTo(Math.max(0, choosing.steps - 1));
    return true;
  }
}

// ---- what the reader's seat may do at the last version of the match, and what was chosen of it --

export class Turn {
  /** @type {Frame | null} */ frame = null;
  /** @type {Legal | null} */
  legal = null;
  /** null: there is nothing to choose. @type {Choosing | null} */
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

  // Whether choices can be made: the moves are those of the present version.
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
        this.legal = await legalMoves(this.#api, match.id, signal);
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
    return {
      view: this.frame?.state ?? {},
      seats: seatNames(match.seats),
      reader: this.legal?.seat ?? null,
      targets: new Set(),
      picked: new Set(),
      changed: new Set(),
      pick: () => {},
    };
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

// ---- the way to advice --------------------------------------------------------------------------

class Adviser {
  /** null: nobody advises, or it is not loaded yet. @type {Advice | null} */ #advice = null;

  /** @param {AdviserParts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  /** @param {{ advice: boolean }} match */
  follow(match) {
    this.#advice?.stop();
    if (match.advice && !this.#advice) this.#load();
  }

  /** @param {Position} position @returns {Drawn | null} */
  draw(position) {
    return this.#advice?.draw(position) ?? null;
  }

  // What does not come is asked for again at the next move.
  async #load() {
    try {
      const { Advice } = await import("./advice.js");
      this.#advice ??= new Advice(this.parts);
      this.parts.changed();
    } catch (problem) {
      this.parts.failed(problem);
    }
  }
}

// ---- which of the next choices have a key -------------------------------------------------------

export class Digits {
  shift = 0;

  reset() {
    this.shift = 0;
  }

  // Let the next choices have the digits; after the last ones the first again.
  /** @param {Choice[]} alternatives */
  further(alternatives) {
    if (alternatives.length <= DIGITS) return false;
    const next = this.shift + DIGITS;
    this.shift = next < alternatives.length ? next : 0;
    return true;
  }

  /** @param {number} digit @param {Choice[]} alternatives @returns {Choice | undefined} */
  choice(digit, alternatives) {
    return inOrder(alternatives)[this.shift + digit - 1];
  }
}

// ---- the keys of the play panel -----------------------------------------------------------------

// What has a use of its own for keys.
const FIELDS = "input, select, textarea, dialog, [contenteditable]";

// Where Enter makes the move if there is one to make: what was pressed last there has put it together.
const PICKED = ".play-composer button, .replay-board [data-place]";

// What Enter presses.
const PRESSED = `button, a, summary, [role="button"], [role="slider"], ${FIELDS}`;

/** @param {Hands} hands @param {AbortSignal} [signal] */
function listenToKeys(hands, signal) {
  document.addEventListener("keydown", (event) => onKey(event, hands), { signal });
  const first = (/** @type {KeyboardEvent} */ event) => onEnterFirst(event, hands);
  document.addEventListener("keydown", first, { signal, capture: true });
}

// Let Enter make the move, as its button says, before it presses again what was picked. The space bar
// still does.
/** @param {KeyboardEvent} event @param {Hands} hands */
function onEnterFirst(event, hands) {
  const isCommand = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
  if (event.key !== "Enter" || isCommand || event.repeat || !isWithin(event, PICKED)) return;
  if (!hands.confirm()) return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {KeyboardEvent} event @param {Hands} hands */
function onKey(event, hands) {
  const isCommand = event.ctrlKey || event.altKey || event.metaKey;
  if (isCommand || event.repeat || event.defaultPrevented) return;
  if (isWithin(event, FIELDS)) return;

  if (pressed(event, hands)) event.preventDefault();
}

/** @param {KeyboardEvent} event @param {Hands} hands */
function pressed(event, hands) {
  if (event.key === "Escape") return hands.back();
  if (event.key === "Enter") return !isWithin(event, PRESSED) && hands.confirm();
  if (/^[0-9]$/.test(event.key) && !isSilent()) return hands.digit(Number(event.key));
  return false;
}

/** @param {KeyboardEvent} event @param {string} selector */
function isWithin(event, selector) {
  return event.target instanceof Element && event.target.closest(selector) !== null;
}
