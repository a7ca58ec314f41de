// Playing: the legal moves of the reader's seat, the choice of one, and its way to the service. A move
// is chosen step by step, then tried (`dry_run`) and shown, then sent with one more press, or at
// once if it is simple and the reader chose so.

import { announce } from "../base/announce.js";
import { isUnanswered } from "../base/api.js";
import { nothing } from "../base/dom.js";
import { HOME } from "../base/home.js";
import { Later } from "../base/page.js";
import { read, write } from "../base/storage.js";
import { drawHeld } from "../boards/place.js";
import { inBoardWords } from "./asking.js";
import { Digits, listenToKeys } from "./choices.js";
import { Turn } from "./choosing.js";
import { Making } from "./making.js";
import { drawBehind, drawPanel, focusPanel } from "./panel.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Move, Scene } from "../boards/types.d.ts" */
/** @import { Hints } from "./hints.js" */
/** @import { PlayParts, Preview } from "./types.d.ts" */
/** @import { Frame } from "../replay/types.d.ts" */

const HINTS = `giornale${HOME}/hints`; // "off", or the match of the first move and the next hint
const QUICK = `giornale${HOME}/quick`; // "yes": simple moves are made without asking

export class Play {
  /** @type {Match} */
  match;

  isShown = true;

  #board;
  #changed;
  #tryTurn;
  #turn;
  #making;
  #advice;
  /** null: none is shown, or they are not loaded yet. @type {Hints | null} */ #hints = null;
  #digits = new Digits();
  #isFolded = false;
  #showsAllHeld = false;

  /** @param {PlayParts} parts */
  constructor({ api, match, board, changed, signal, tryTurn }) {
    this.match = match;
    this.#board = board;
    this.#changed = changed;
    this.#tryTurn = tryTurn;
    this.#turn = new Turn(api, board);
    this.#making = new Making({ api, board, changed }, this.#turn);
    this.#advice = new Later(async () => {
      const { Advice } = await import("./advice.js");
      return new Advice({ api, board, changed, take: (move) => this.#take(move) });
    }, changed);

    this.#making.isQuick = read(QUICK) === "yes";
    const hands = {
      digit: (/** @type {number} */ digit) => this.isShown && this.#onDigit(digit),
      confirm: () => this.isShown && this.#onEnter(),
      back: () => this.isShown && this.#onEscape(),
    };
    listenToKeys(hands, signal);
    this.#loadHints();
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
    if (this.match.advice) this.#advice.module?.stop();
    await this.#load();
  }

  // The connection is back: repeat failed requests at once.
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

  /** @returns {Preview | null} shown on the board. The only legal move has none */
  preview() {
    return this.#turn.choosing?.isForced ? null : this.#making.preview;
  }

  /** Pick a place on the board, or tell why it cannot be picked. @param {string} place */
  pick(place) {
    if (!this.#making.isReady || !this.#turn.choosing) return;

    if (this.#turn.choosing.pick(place)) this.#chosen();
    else this.#making.refuse(this.match, place);
  }

  /** @param {Scene} scene */
  draw(scene) {
    return drawPanel({
      // The board may show the preview, but choices belong to the present.
      scene: { ...scene, view: this.#turn.frame?.state ?? {} },
      game: this.match.game,
      frame: this.#turn.frame,
      isTurn: this.isTurn,
      isReady: this.#making.isReady,
      isFolded: this.#isFolded,
      fold: () => this.#fold(),
      held: drawHeld(this.#board, scene, this.#showsAllHeld, () => this.#toggleHeld()),
      hint: this.#drawHint(),
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
      tryTurn: () => this.#tryTurn(this.#turn.choosing?.move() ?? null),
    });
  }

  drawBehind() {
    return drawBehind();
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

  #toggleHeld() {
    this.#showsAllHeld = !this.#showsAllHeld;
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
    return this.#advice.module?.draw({ match, version: legal.version, scene, chosen }) ?? null;
  }

  /** @param {Move} move */
  #take(move) {
    const isTaken = this.#turn.choosing?.take(move) ?? false;
    if (!isTaken) announce("This move cannot be put together here.");
    this.#chosen();
    focusPanel();
  }

  // ---- hints ------------------------------------------------------------------------------------

  // Load the hints until the first move in this browser, and in the match of that move.
  async #loadHints() {
    const [of = "", at = "0"] = (read(HINTS) ?? "/0").split("/");
    const isPlayed = this.match.status === "open" || this.match.status === "running";
    if (!isPlayed || (of !== "" && of !== this.match.match)) return;

    try {
      const { Hints } = await import("./hints.js");
      const closed = () => {
        this.#changed();
        focusPanel();
      };
      const when = { match: this.match.match, at: Number(at), isMoved: of !== "" };
      this.#hints = new Hints({ key: HINTS, ...when, closed });
      this.#changed();
    } catch {
      // A match can be played without hints.
    }
  }

  #drawHint() {
    const { isReady, preview, sending } = this.#making;
    const now = {
      game: this.match.game,
      hasAdvice: this.match.advice,
      isReady,
      isAhead: isReady && preview !== null,
      isSent: sending !== "",
    };
    this.#hints?.follow(now);
    return this.#hints?.draw(now) ?? nothing;
  }

  // ---- keys -------------------------------------------------------------------------------------

  /** @param {number} digit 0: the digits move on to the next choices */
  #onDigit(digit) {
    if (!this.#making.isReady) return false;
    const alternatives = this.#turn.choosing?.alternatives() ?? [];
    return this.#digits.press(digit, alternatives, {
      choose: (key) => this.#choose(key),
      shifted: this.#changed,
    });
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
