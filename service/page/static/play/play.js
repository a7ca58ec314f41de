// Playing: what the reader's seat may do, how they choose, and what becomes of it. A move is chosen
// step by step, then tried (`dry_run`) and shown, then sent with one more press.

import { announce } from "../base/page.js";
import { Adviser } from "./adviser.js";
import { Digits } from "./digits.js";
import { listenToKeys } from "./keys.js";
import { Making } from "./making.js";
import { drawPanel, focusPanel } from "./panel.js";
import { Turn } from "./turn.js";

/** @import { Scene } from "../boards/types.d.ts" */
/** @import { Frame, PlayParts, Preview } from "./types.d.ts" */

export class Play {
  /** @type {any} */
  match;

  isShown = true;

  /** @type {() => void} */ #changed;
  /** @type {Turn} */ #turn;
  /** @type {Making} */ #making;
  /** @type {Adviser} */ #adviser;
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
      scene: { ...scene, view: this.#turn.frame?.state },
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

  /** @param {any} move */
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
