// What becomes of the move that is chosen: it is tried, then sent; and what goes wrong is told.

import { Problem } from "../base/api.js";
import { announce } from "../base/page.js";
import { tried } from "./asking.js";
import { Delivery } from "./delivery.js";
import { happenedSince } from "./telling.js";
import { Trial } from "./trial.js";

/** @import { Turn } from "./turn.js" */
/** @import { Legal, MakingParts, Preview, Sentence } from "./types.d.ts" */

export class Making {
  /** What went wrong last; null: nothing. @type {unknown} */ problem = null;
  /** What has happened since the moves were read. @type {Sentence[]} */ news = [];

  /** @type {MakingParts} */ #parts;
  /** @type {Turn} */ #turn;
  /** @type {Trial} */ #trial;
  /** @type {Delivery} */ #delivery;

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

  /** @param {any} match */
  async look(match) {
    const move = this.#turn.choosing?.move();
    const { legal, frame } = this.#turn;
    this.#trial.stop();
    if (!move || !legal) return;

    try {
      const isNew = await this.#trial.start(match, move, legal, frame?.state);
      if (isNew) this.#parts.changed();
    } catch (failure) {
      await this.#fail(match, failure, legal);
    }
  }

  /**
   * Say why a place cannot be picked: the service refuses the move that the click seems to want.
   * @param {any} match @param {string} place
   */
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

  /**
   * Send the move that was chosen, or once more the one that no answer came to.
   * @param {any} match
   */
  async send(match) {
    const { legal, choosing } = this.#turn;
    if (!legal || !this.canSend) return;

    this.problem = null;
    const delivered = this.#delivery.send(match.id, choosing?.move(), legal);
    this.#parts.changed();

    try {
      this.#sent(await delivered);
    } catch (failure) {
      await this.#fail(match, failure, legal);
    }
    this.#parts.changed();
  }

  /** @param {any} commit */
  #sent(commit) {
    announce("Your move is made.");
    this.news = [];
    const isFollowed = (this.#turn.frame?.version ?? 0) >= commit.version;
    if (isFollowed) return;

    this.#turn.choosing = null;
    this.#trial.stop();
  }

  /**
   * Show what went wrong. A match that has moved on tells what has happened, and one starts anew.
   * @param {any} match @param {unknown} failure @param {Legal} legal
   */
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
