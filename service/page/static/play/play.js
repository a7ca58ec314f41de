// Playing: what the reader's seat may do, how they choose, and what becomes of it. A move is chosen
// step by step, then tried (`dry_run`) and shown, then sent with one more press.

import { announce } from "../base/announce.js";
import { isUnanswered, Problem } from "../base/api.js";
import { seatNames } from "../base/words.js";
import { isSilent } from "../replay/controls.js";
import { happenedSince, legalMoves, made, parcelOf, previewOf, tried } from "./asking.js";
import { Choosing } from "./choosing.js";
import { DIGITS, drawPanel, focusPanel, inOrder } from "./panel.js";

/** @import { Commit, Match } from "../../api.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { Board, Choice, Move, Scene } from "../boards/types.d.ts" */
/** @import { Advice } from "./advice.js" */
/** @import { AdviserParts, Drawn, Hands, Legal, MakingParts, Parcel, PlayParts, Position, Preview,
 *   Sentence } from "./types.d.ts" */
/** @import { Frame } from "../replay/types.d.ts" */

export class Play {
  /** @type {Match} */
  match;

  isShown = true;

  #changed;
  #turn;
  #making;
  #adviser;
  #digits = new Digits();
  #isFolded = false;

  /** @param {PlayParts} parts */
  constructor({ api, match, board, changed, signal }) {
    this.match = match;
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

  targets() {
    return this.#making.isReady ? (this.#turn.choosing?.targets() ?? new Set()) : new Set();
  }

  picked() {
    return this.#making.isReady ? (this.#turn.choosing?.picked() ?? new Set()) : new Set();
  }

  /** @returns {Preview | null} */
  preview() {
    return this.#making.preview;
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
      advice: this.#drawAdvice(),
      problem: this.#making.problem,
      news: this.#making.news,
      sending: this.#making.sending,
      shift: this.#digits.shift,
      choose: (key) => this.#choose(key),
      change: (draft) => this.#change(draft),
      backTo: (steps) => this.#backTo(steps),
      shiftDigits: () => this.#onDigit(0),
      send: () => this.#making.send(this.match),
      reload: () => this.#load(),
    });
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
    this.#making.look(this.match);
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
    if (seat === null || this.frame?.status !== "running") return false;
    const { seats, bots } = this.frame.waiting_for;
    return seats.includes(seat) && !bots?.includes(seat);
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

// What Enter presses.
const PRESSED = `button, a, summary, [role="button"], [role="slider"], ${FIELDS}`;

/** @param {Hands} hands @param {AbortSignal} [signal] */
function listenToKeys(hands, signal) {
  document.addEventListener("keydown", (event) => onKey(event, hands), { signal });
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

// ---- what becomes of the move that is chosen ----------------------------------------------------

export class Making {
  /** What went wrong last; null: nothing. @type {unknown} */ problem = null;
  /** What has happened since the moves were read. @type {Sentence[]} */ news = [];

  #parts;
  #turn;
  #trial;
  #delivery;

  /** @param {MakingParts} parts @param {Turn} turn */
  constructor(parts, turn) {
    this.#parts = parts;
    this.#turn = turn;
    this.#trial = new Trial(parts.api);
    this.#delivery = new Delivery(parts.api);
  }

  /** @returns {Preview | null} */
  get preview() {
    return this.#trial.preview;
  }

  get sending() {
    return this.#delivery.state;
  }

  // Whether choices can be made: there are some, and no move is on its way.
  get isReady() {
    return this.#turn.isReady && this.sending === "";
  }

  // Whether there is a move to send: one that was tried, or one that no answer came to.
  get canSend() {
    const isTried = this.isReady && this.preview !== null;
    return isTried || this.sending === "lost";
  }

  follow() {
    // What became of a move without an answer is in the story now.
    if (this.sending === "lost") this.#delivery.settle();
    this.#trial.stop();
  }

  /** @param {Match} match */
  async look(match) {
    const move = this.#turn.choosing?.move();
    const { legal, frame } = this.#turn;
    this.#trial.stop();
    if (!move || !legal) return;

    try {
      const isNew = await this.#trial.start(match, move, legal, frame?.state ?? null);
      if (isNew) this.#parts.changed();
    } catch (failure) {
      await this.#fail(match, failure, legal);
    }
  }

  // Say why a place cannot be picked: the service refuses the move that the click seems to want.
  /** @param {Match} match @param {string} place */
  async refuse(match, place) {
    const { api, board } = this.#parts;
    const { legal } = this.#turn;
    const move = board.attempt?.(place, this.#turn.scene(match));
    if (!move || !legal) {
      announce("That is not part of a move you can make now.");
      return;
    }

    try {
      await tried(api, match.id, move, legal);
    } catch (failure) {
      await this.#fail(match, failure, legal);
    }
  }

  // Send the move that was chosen, or once more the one that no answer came to.
  /** @param {Match} match */
  async send(match) {
    const { legal, choosing } = this.#turn;
    if (!legal || !this.canSend) return;

    this.problem = null;
    const delivered = this.#delivery.send(match.id, choosing?.move() ?? null, legal);
    this.#parts.changed();

    try {
      this.#sent(await delivered);
    } catch (failure) {
      await this.#fail(match, failure, legal);
    }
    this.#parts.changed();
  }

  /** @param {Commit} commit */
  #sent(commit) {
    announce("Your move is made.");
    this.news = [];
    const isFollowed = (this.#turn.frame?.version ?? 0) >= commit.version;
    if (isFollowed) return;

    this.#turn.choosing = null;
    this.#trial.stop();
  }

  // Show what went wrong. A match that has moved on tells what has happened, and one starts anew.
  /** @param {Match} match @param {unknown} failure @param {Legal} legal */
  async #fail(match, failure, legal) {
    if (failure instanceof Problem && failure.status === 412) {
      this.#turn.choosing?.backTo(0);
      this.#trial.stop();
      const commits = failure.body.commits ?? [];
      this.news = await happenedSince(this.#parts.api, match, legal.version, commits);
    } else if (legal === this.#turn.legal) {
      this.problem = failure;
    }
    this.#parts.changed();
  }
}

// ---- looking ahead ------------------------------------------------------------------------------

// One look ahead at a time; a new one gives up the one before.
class Trial {
  /** @type {Preview | null} */ preview = null;

  #api;
  #running = new AbortController();

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
  }

  stop() {
    this.#running.abort();
    this.preview = null;
  }

  /**
   * @param {Match} match @param {Move} move @param {Legal} legal @param {object | null} view
   * @returns {Promise<boolean>} whether there is something new to show
   */
  async start(match, move, legal, view) {
    this.stop();
    this.#running = new AbortController();
    const { signal } = this.#running;

    try {
      const events = await tried(this.#api, match.id, move, legal, signal);
      if (signal.aborted) return false;
      this.preview = previewOf(events, view, seatNames(match.seats));
    } catch (failure) {
      if (signal.aborted) return false;
      throw failure;
    }

    announce(this.preview.sentences.map(({ text }) => text).join(" "));
    return true;
  }
}

// ---- sending a move, so that it is made once at most whatever becomes of the answer -------------

class Delivery {
  /** "lost": no answer came, and the same may be sent again. @type {"" | "sending" | "lost"} */
  state = "";

  #api;
  /** @type {Parcel | null} */ #parcel = null;

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
  }

  // Send a move, or once more the one that no answer came to. Throws why it was not made.
  /** @param {string} match @param {Move | null} move @param {Legal} legal */
  async send(match, move, legal) {
    this.#parcel ??= parcelOf(move, legal);
    this.state = "sending";

    try {
      const commit = await made(this.#api, match, this.#parcel);
      this.settle();
      return commit;
    } catch (failure) {
      if (isUnanswered(failure)) this.state = "lost";
      else this.settle();
      throw failure;
    }
  }

  // The move was answered, or what became of it is known in another way.
  settle() {
    this.#parcel = null;
    this.state = "";
  }
}
