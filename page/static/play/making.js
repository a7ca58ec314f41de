// From the chosen move to the made one: a look ahead, then the move itself.

import { announce } from "../base/announce.js";
import { isUnanswered, Problem } from "../base/api.js";
import { rest } from "../base/stream.js";
import { seatNames } from "../base/words.js";
import { happenedSince, made, parcelOf, previewOf, signingOf, tried } from "./asking.js";

/** @import { Commit, Match } from "../../api.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { Move } from "../boards/types.d.ts" */
/** @import { Turn } from "./choosing.js" */
/** @import { Legal, MakingParts, Parcel, Preview, Sentence } from "./types.d.ts" */

export class Making {
  /** The last failure. null: none. @type {unknown} */ problem = null;
  /** Events since the moves were read. @type {Sentence[]} */ news = [];
  /** True if simple moves are made without asking. */ isQuick = false;

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

  // True if choices can be made: there are some, and no move is under way.
  get isReady() {
    return this.#turn.isReady && this.sending === "";
  }

  // True if a look ahead fails now. It is retried again and again.
  get isBlind() {
    return this.#trial.isLost;
  }

  // True if there is a move to send: a tried one, one that cannot be tried now, or one without an
  // answer.
  get canSend() {
    const isTried = this.isReady && (this.preview !== null || this.isBlind);
    return isTried || this.sending === "lost";
  }

  // Look ahead at once, if the last look failed.
  again() {
    this.#trial.again();
  }

  follow() {
    // The story now tells if a move without an answer was made.
    if (this.sending === "lost") this.#delivery.settle();
    this.#trial.stop();
  }

  // Look ahead. With `isQuick`, make a simple move without asking if the reader has just picked it,
  // or if it is the only legal one. Picks of an earlier position do not count.
  /** @param {Match} match @param {boolean} [isPicked] true: the reader has just picked something */
  async look(match, isPicked = false) {
    const move = this.#turn.choosing?.move();
    const { legal, frame } = this.#turn;
    this.#trial.stop();
    if (!move || !legal) return;

    try {
      const view = frame?.state ?? null;
      const isNew = await this.#trial.start(match, move, legal, view, this.#parts.changed);
      if (!isNew) return;
      this.#parts.changed();
      if (this.#isSimple(isPicked)) await this.send(match);
    } catch (failure) {
      await this.#fail(match, failure, legal);
    }
  }

  // True if the move is to be made unasked: the reader chose so, and the move was picked or is
  // forced, was not composed, and is simple.
  /** @param {boolean} isPicked */
  #isSimple(isPicked) {
    const { choosing } = this.#turn;
    const isComposed = Boolean(choosing?.draft || choosing?.adjusting);
    const isWanted = isPicked || choosing?.isForced === true;
    return this.isQuick && !isComposed && isWanted && choosing?.isSimple === true;
  }

  // Say why a place cannot be picked: the service refuses the apparent move of the click.
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
      await tried(api, match.match, move, legal);
    } catch (failure) {
      await this.#fail(match, failure, legal);
    }
  }

  // Send the chosen move, or repeat the one without an answer.
  /** @param {Match} match */
  async send(match) {
    const { legal, choosing, frame } = this.#turn;
    if (!legal || !this.canSend) return;

    this.problem = null;
    const signing = frame && signingOf(match, legal.seat ?? -1, frame);
    const parcel = parcelOf(choosing?.move() ?? null, legal, signing);
    const delivered = this.#delivery.send(match.match, parcel);
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

  // Show a failure. If the match has moved on, tell the new events and let the reader choose anew.
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

const FIRST_PAUSE = 1_000; // milliseconds before the second attempt. Later pauses are longer
const LONGEST_PAUSE = 15_000;
const SILENCE = 10_000; // milliseconds until a request is given up

// One look ahead at a time: a new one ends the one before. One without an answer is lost. It is
// retried again and again, and the move may be made without it.
class Trial {
  /** @type {Preview | null} */ preview = null;
  isLost = false;

  #api;
  #running = new AbortController();
  #pause = new AbortController();

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
  }

  stop() {
    this.#running.abort();
    this.preview = null;
    this.isLost = false;
  }

  // Retry at once.
  again() {
    this.#pause.abort();
  }

  /**
   * @param {Match} match @param {Move} move @param {Legal} legal @param {object | null} view
   * @param {() => void} lost called after each attempt without an answer
   * @returns {Promise<boolean>} true: there is something new to show
   */
  async start(match, move, legal, view, lost) {
    this.stop();
    this.#running = new AbortController();
    const { signal } = this.#running;

    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        const inTime = AbortSignal.any([signal, AbortSignal.timeout(SILENCE)]);
        const events = await tried(this.#api, match.match, move, legal, inTime);
        if (signal.aborted) return false;
        this.preview = previewOf(events, view, seatNames(match.seats));
        break;
      } catch (failure) {
        if (signal.aborted) return false;
        if (!isUnanswered(failure)) throw failure;
        await this.#rest(pause, failure, signal, lost);
        if (signal.aborted) return false;
      }
    }

    this.isLost = false;
    announce(this.preview.sentences.map(({ text }) => text).join(" "));
    return true;
  }

  /** @param {number} pause @param {unknown} failure @param {AbortSignal} signal @param {() => void} lost */
  async #rest(pause, failure, signal, lost) {
    if (!this.isLost)
      announce("The effects of this move did not come. It can be made all the same.");
    this.isLost = true;
    this.#pause = new AbortController();
    lost();
    const asked = failure instanceof Problem ? 1000 * (failure.retryAfter ?? 0) : 0;
    await rest(Math.max(pause, asked), AbortSignal.any([signal, this.#pause.signal]));
  }
}

// ---- sending a move, so that it is made once at most even if answers are lost -------------------

class Delivery {
  /** "lost": no answer came, and the request may be repeated. @type {"" | "sending" | "lost"} */
  state = "";

  #api;
  /** @type {Parcel | null} */ #parcel = null;

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
  }

  // Send a move, or repeat the one without an answer. Throws the reason if it was not made.
  /** @param {string} match @param {Parcel} parcel */
  async send(match, parcel) {
    this.#parcel ??= parcel;
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

  // The move was answered, or its fate is known in another way.
  settle() {
    this.#parcel = null;
    this.state = "";
  }
}
