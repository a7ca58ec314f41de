/**
 * Playing: what the reader's seat may do, how they choose, and what becomes of it.
 *
 * A move is chosen step by step, then tried (`dry_run`) and shown, then sent with one more press.
 */

import { Problem } from "../base/api.js";
import { seatNames } from "../base/names.js";
import { announce } from "../base/page.js";
import { tried } from "./asking.js";
import { DIGITS, inOrder } from "./choices.js";
import { Delivery } from "./delivery.js";
import { listenToKeys } from "./keys.js";
import { drawPanel, focusPanel } from "./panel.js";
import { happenedSince, toldCommits } from "./telling.js";
import { Trial } from "./trial.js";
import { Turn } from "./turn.js";

/** @typedef {import("../base/api.js").Api} Api */
/** @typedef {import("../base/dom.js").Template} Template */
/** @typedef {import("../boards/board.js").Board} Board */
/** @typedef {import("../boards/board.js").Scene} Scene */
/** @typedef {import("./advice.js").Advice} Advice */
/** @typedef {import("./asking.js").Legal} Legal */
/** @typedef {import("./asking.js").Preview} Preview */
/** @typedef {import("./telling.js").Sentence} Sentence */
/** @typedef {import("./turn.js").Frame} Frame */

/**
 * @typedef {object} Parts
 * @property {Api} api with the token of the seat
 * @property {any} match the answer of GET /matches/{id}
 * @property {Board} board
 * @property {() => void} changed called when what is drawn has changed
 * @property {AbortSignal} [signal] ends the listening to keys
 */

/** The play panel of one reader at one match. */
export class Play {
  /** The answer of GET /matches/{id}; it may be replaced when names change. @type {any} */
  match;

  /** Whether the panel is in sight; the keys do nothing without it. */
  isShown = true;

  /** @type {Api} */ #api;
  /** @type {Board} */ #board;
  /** @type {() => void} */ #changed;
  /** @type {Turn} */ #turn;
  /** @type {Trial} */ #trial;
  /** @type {Delivery} */ #delivery;
  /** null: it is not loaded, or nobody advises. @type {Advice | null} */ #advice = null;
  /** @type {unknown} */ #problem = null;
  /** @type {Sentence[]} */ #news = [];
  /** The first choice that has a digit now. */
  #shift = 0;
  /** Whether the panel hides most of itself on narrow screens. */
  #isFolded = false;

  /** @param {Parts} parts */
  constructor({ api, match, board, changed, signal }) {
    this.#api = api;
    this.match = match;
    this.#board = board;
    this.#changed = changed;
    this.#turn = new Turn(api, board);
    this.#trial = new Trial(api);
    this.#delivery = new Delivery(api);

    const hands = {
      digit: (/** @type {number} */ digit) => this.isShown && this.#onDigit(digit),
      confirm: () => this.isShown && this.#onEnter(),
      back: () => this.isShown && this.#onEscape(),
    };
    listenToKeys(hands, signal);
  }

  /** Whether the match waits for the reader's seat. */
  get isTurn() {
    return this.#turn.isOwn;
  }

  /**
   * Take the present state of the match. Loads the moves if the seat may act.
   *
   * @param {Frame} frame
   */
  async follow(frame) {
    const isSame = frame.version === this.#turn.frame?.version;
    this.#turn.frame = frame;
    if (isSame) return;

    // What became of a move without an answer is in the story now.
    if (this.#delivery.state === "lost") this.#delivery.settle();
    this.#trial.stop();
    this.#advice?.stop();
    if (this.match.advice && !this.#advice) this.#loadAdvice();
    await this.#load();
  }

  /** @returns {Set<string>} the places on the board that can be picked now */
  targets() {
    return this.#isReady() ? (this.#turn.choosing?.targets() ?? new Set()) : new Set();
  }

  /** @returns {Set<string>} the places that the choices so far have picked */
  picked() {
    return this.#isReady() ? (this.#turn.choosing?.picked() ?? new Set()) : new Set();
  }

  /** @returns {Preview | null} what the chosen move would cause */
  preview() {
    return this.#trial.preview;
  }

  /**
   * Pick a place on the board. One that cannot be picked says why not.
   *
   * @param {string} place
   */
  pick(place) {
    if (!this.#isReady() || !this.#turn.choosing) return;

    if (this.#turn.choosing.pick(place)) this.#chosen();
    else this.#refuse(place);
  }

  /** Take back all choices. */
  cancel() {
    this.#turn.choosing?.backTo(0);
    this.#chosen();
  }

  /**
   * Draw the panel.
   *
   * @param {Scene} scene
   * @returns {Template}
   */
  draw(scene) {
    return drawPanel({
      // The board may show the preview; what is chosen is chosen in the present.
      scene: { ...scene, view: this.#turn.frame?.state },
      game: this.match.game,
      frame: this.#turn.frame,
      isTurn: this.isTurn,
      isReady: this.#isReady(),
      isFolded: this.#isFolded,
      fold: () => this.#fold(),
      choosing: this.#turn.choosing,
      preview: this.#trial.preview,
      advice: this.#drawAdvice(),
      problem: this.#problem,
      news: this.#news,
      sending: this.#delivery.state,
      shift: this.#shift,
      choose: (key) => this.#choose(key),
      change: (draft) => this.#change(draft),
      backTo: (steps) => this.#backTo(steps),
      shiftDigits: () => this.#onDigit(0),
      send: () => this.#send(),
      reload: () => this.#load(),
    });
  }

  #fold() {
    this.#isFolded = !this.#isFolded;
    this.#changed();
  }

  // ---- the moves --------------------------------------------------------------------------------

  /** Whether choices can be made: there are some, and no move is on its way. */
  #isReady() {
    return this.#turn.isReady && this.#delivery.state === "";
  }

  async #load() {
    try {
      const isLoaded = await this.#turn.load(this.match);
      if (!isLoaded) return;
      this.#problem = null;
      this.#shift = 0;
      this.#try();
    } catch (failure) {
      this.#problem = failure;
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

  /** @param {any} draft */
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

  /** A choice was made or taken back: what was said of the one before no longer holds. */
  #chosen() {
    this.#problem = null;
    this.#news = [];
    this.#shift = 0;
    this.#try();
    this.#changed();
  }

  /** Look ahead at the move that was chosen, if there is one. */
  async #try() {
    const move = this.#turn.choosing?.move();
    const legal = this.#turn.legal;
    this.#trial.stop();
    if (!move || !legal) return;

    try {
      const isNew = await this.#trial.start(this.match, move, legal, this.#turn.frame?.state);
      if (isNew) this.#changed();
    } catch (failure) {
      await this.#fail(failure, legal);
    }
  }

  /**
   * Say why a place cannot be picked: the service refuses the move that the click seems to want.
   *
   * @param {string} place
   */
  async #refuse(place) {
    const legal = this.#turn.legal;
    const move = this.#board.attempt?.(place, this.#turn.scene(this.match));
    if (!move || !legal) {
      announce("That is not part of a move you can make now.");
      return;
    }

    try {
      await tried(this.#api, this.match.id, move, legal);
    } catch (failure) {
      await this.#fail(failure, legal);
    }
  }

  // ---- advice -----------------------------------------------------------------------------------

  /** Load what asks for advice; where that does not come, it is tried again at the next move. */
  async #loadAdvice() {
    try {
      const { Advice } = await import("./advice.js");
      const take = (/** @type {any} */ move) => this.#take(move);
      const parts = { api: this.#api, board: this.#board, changed: this.#changed, take };
      this.#advice ??= new Advice(parts);
      this.#changed();
    } catch (failure) {
      this.#problem = failure;
    }
  }

  #drawAdvice() {
    const version = this.#turn.legal?.version;
    if (!this.#advice || version === undefined || !this.#isReady()) return null;

    const { match } = this;
    const chosen = this.#turn.choosing?.move();
    return this.#advice.draw({ match, version, scene: this.#turn.scene(match), chosen });
  }

  /** @param {any} move that was advised */
  #take(move) {
    const isTaken = this.#turn.choosing?.take(move) ?? false;
    if (!isTaken) announce("This move cannot be put together here.");
    this.#chosen();
    focusPanel();
  }

  // ---- sending ----------------------------------------------------------------------------------

  /** Send the move that was chosen, or once more the one that no answer came to. */
  async #send() {
    const { state } = this.#delivery;
    const isChosen = state === "" && this.#isReady() && this.#trial.preview !== null;
    const legal = this.#turn.legal;
    if (!legal || !(isChosen || state === "lost")) return;

    this.#problem = null;
    const delivered = this.#delivery.send(this.match.id, this.#turn.choosing?.move(), legal);
    this.#changed();

    try {
      this.#sent(await delivered);
    } catch (failure) {
      await this.#fail(failure, legal);
    }
    this.#changed();
  }

  /** @param {any} commit */
  #sent(commit) {
    announce("Your move is made.");
    this.#news = [];
    const isFollowed = (this.#turn.frame?.version ?? 0) >= commit.version;
    if (isFollowed) return;

    this.#turn.choosing = null;
    this.#trial.stop();
  }

  /**
   * Show what went wrong. A match that has moved on tells what has happened, and one starts anew.
   *
   * @param {unknown} failure
   * @param {Legal} legal
   */
  async #fail(failure, legal) {
    if (failure instanceof Problem && failure.status === 412) {
      this.#turn.choosing?.backTo(0);
      this.#trial.stop();
      const seats = seatNames(this.match.seats);
      const story = happenedSince(this.#api, this.match.id, legal.version);
      this.#news = await story.catch(() => toldCommits(failure.body.commits ?? [], seats));
    } else if (legal === this.#turn.legal) {
      this.#problem = failure;
    }
    this.#changed();
  }

  // ---- keys -------------------------------------------------------------------------------------

  /**
   * @param {number} digit 0: the digits go on to the next choices
   * @returns {boolean}
   */
  #onDigit(digit) {
    if (!this.#isReady()) return false;
    const alternatives = inOrder(this.#turn.choosing?.alternatives() ?? []);

    if (digit === 0 && alternatives.length > DIGITS) {
      const next = this.#shift + DIGITS;
      this.#shift = next < alternatives.length ? next : 0;
      this.#changed();
      return true;
    }

    const choice = alternatives[this.#shift + digit - 1];
    if (!choice) return false;
    this.#choose(choice.key);
    return true;
  }

  /** @returns {boolean} */
  #onEnter() {
    const canSend = this.#isReady() && this.#trial.preview !== null;
    if (!canSend && this.#delivery.state !== "lost") return false;
    this.#send();
    return true;
  }

  /** @returns {boolean} */
  #onEscape() {
    const choosing = this.#turn.choosing;
    if (!this.#isReady() || !choosing) return false;
    if (choosing.steps === 0 && !this.#problem) return false;

    this.#backTo(Math.max(0, choosing.steps - 1));
    return true;
  }
}
