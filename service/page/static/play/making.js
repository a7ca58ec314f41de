// What becomes of the move that is chosen: it is tried, then sent; and what goes wrong is told.

import { announce } from "../base/announce.js";
import { isUnanswered, Problem } from "../base/api.js";
import { seatNames } from "../base/words.js";
import { happenedSince, made, parcelOf, previewOf, tried } from "./asking.js";

/** @import { Match, Commit } from "../../api.d.ts" */
/** @import { Move } from "../boards/types.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { Turn } from "./play.js" */
/** @import { Legal, MakingParts, Parcel, Preview, Sentence } from "./types.d.ts" */

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
