// A match to look at: its board, its story, the controls to go through it, and each version's hash.
// It sends no request itself: the match comes from its source. So it serves both the table of a
// live match and a file with one whole match.

import { announce } from "../base/announce.js";
import { html, nothing, render } from "../base/dom.js";
import { showLabels } from "../boards/place.js";
import { drawControls, listen, showKeys } from "./controls.js";
import { BoardPane, drawStamp, Frames, signedInWords } from "./frames.js";
import { makeSteps, Playing, Position } from "./position.js";
import { StoryPanel, Told, textOf } from "./story.js";

/** @import { Frame, Move, Player, ViewerParts } from "./types.d.ts" */

export class Viewer {
  #hasBegun = false;
  #isScheduled = false;
  #comparedWith = 0;

  /** @type {Promise<void> | null} */
  #growing = null;

  /** @param {ViewerParts} parts */
  constructor(parts) {
    this.parts = parts;
    this.seats = parts.seats;
    this.frames = new Frames(parts.source);
    this.told = new Told(parts.source);
    this.position = new Position(parts.source.lastVersion);
    this.playing = new Playing(() => this.#playOn());
    this.player = parts.player ?? null;
    /** The tried moves, shown in the place of the match. @type {Player | null} */
    this.tried = null;
    this.isOver = parts.isOver;

    const panes = layOut(parts.root);
    this.panes = panes;
    this.pane = new BoardPane(panes.board, parts);
    this.story = new StoryPanel(panes.story, {
      gone: this.told.gone,
      version: parts.versionAddress,
      rule: parts.ruleAddress,
      open: (version) => this.show(version, "jump"),
      again: () => this.parts.again?.(),
    });

    this.steps = makeSteps({
      position: this.position,
      told: this.told,
      playing: this.playing,
      show: (version, move) => this.show(version, move),
      draw: () => this.draw(),
      help: () => showKeys(this.player !== null),
      isAway: () => this.tried !== null,
    });
    listen(this.steps, parts.signal);
    showLabels(panes.board, parts.signal);
    parts.signal.addEventListener("abort", () => this.playing.stop());
  }

  /**
   * @param {number | null} version null: the present, followed
   * @returns {Promise<void>} at the first frame; the story follows
   */
  async start(version) {
    const { position } = this;
    if (version !== null) position.stay(version);
    if (version !== null && version !== position.version) {
      this.parts.moved?.(position.version, false, "step");
    }
    await this.frames.first(position.version);
    this.#comparedWith = position.version - 1;
    this.#hasBegun = true;
    this.#drawNow();
    this.#tell(false);
  }

  get present() {
    return this.frames.get(this.position.last);
  }

  /** @param {number} version @param {Move} move */
  show(version, move) {
    const { position } = this;
    this.tried?.leave?.();
    position.go(version);
    this.#comparedWith = position.version - 1;
    this.parts.moved?.(position.version, position.follows, move);
    this.frames.gather(position.version);
    if (!this.playing.isOn) announce(textOf(this.told.line(position.version)));

    // Draw at once: the browser's next frame then paints it, not the one after.
    if (this.#hasBegun) this.#drawNow();
  }

  // Show a version on the way to the present, and still follow the present.
  /** @param {number} version */
  pass(version) {
    this.position.version = Math.min(version, this.position.last);
    this.#comparedWith = version - 1;
    this.draw();
  }

  /** @param {number | null} version */
  revisit(version) {
    this.tried?.leave?.();
    this.playing.stop();
    if (version === null) this.position.go(this.position.last);
    else this.position.stay(version);
    this.#comparedWith = this.position.version - 1;
    this.draw();
  }

  /** @param {number} last */
  grow(last) {
    const { source } = this.parts;
    source.lastVersion = Math.max(source.lastVersion, last);
    this.#growing ??= this.#growOn().finally(() => {
      this.#growing = null;
    });
    return this.#growing;
  }

  // Show tried moves from the shown version on. null: the match again.
  /** @param {Player | null} tried */
  branch(tried) {
    this.playing.stop();
    this.tried = tried;
    // The player has not followed the match meanwhile.
    if (tried === null && this.present) this.player?.follow(this.present);
    this.draw();
  }

  // Show that the moves of some versions were taken back (M17).
  /** @param {number[]} versions */
  strike(versions) {
    const { gone } = this.told;
    if (versions.every((version) => gone.has(version))) return;
    for (const version of versions) gone.add(version);
    this.story.drawAgain();
    this.draw();
  }

  draw() {
    // The first frames are under way at the start, and are not requested twice.
    if (this.#isScheduled || !this.#hasBegun) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      if (!this.parts.signal.aborted) this.#drawNow();
    });
  }

  async #growOn() {
    const { source } = this.parts;
    try {
      while (this.frames.newest < source.lastVersion) {
        // Request the board before the story, and draw it without waiting for the story.
        const extended = this.frames.extend();
        const told = this.#tell(true);
        await extended;
        this.#showNewest();
        await told;
      }
    } catch (problem) {
      this.parts.failed(problem);
    }
  }

  #showNewest() {
    const { position } = this;
    const seen = position.version;
    position.grow(this.frames.newest);
    if (position.follows) {
      this.#comparedWith = seen;
      this.parts.moved?.(position.version, true, "live");
      if (this.tried === null) this.parts.arrived?.(seen);
    }
    this.draw();
  }

  /** @param {boolean} isNews true: announce the lines */
  async #tell(isNews) {
    try {
      await this.told.extend((lines) => {
        this.story.add(lines);
        if (isNews) for (const line of lines) announce(textOf(line));
        this.draw();
      });
    } catch (problem) {
      this.parts.failed(problem);
    }
  }

  #drawNow() {
    const { position, told, playing, panes, isOver } = this;
    const frame = this.frames.get(position.version);
    const isTurn = this.player?.isTurn ?? false;
    const now = { position, playing, told, isOver, isTurn, goOn: this.#wayOn(frame) };
    render(this.tried ? nothing : drawControls(now, this.steps), panes.controls);
    if (frame) this.#drawFrame(frame, isTurn || this.tried !== null);
    else this.#await(position.version);

    // Last, because it measures the page: so the layout is computed once, not twice.
    this.story.divide(this.parts.since?.() ?? null);
    this.story.mark(position.version);
  }

  /** @param {Frame} frame @param {boolean} isTurn */
  #drawFrame(frame, isTurn) {
    const { position, panes, told } = this;
    // A reader of the present may never go back, so nothing is fetched in advance.
    if (!position.follows) this.frames.prefetch(position.version);
    const player = this.tried ?? (position.follows ? this.player : null);
    if (this.player) this.player.isShown = player === this.player;
    const onBoard = position.isBehind && !this.tried ? null : player;
    const scene = this.pane.draw(frame, this.#before(), this.seats, onBoard);
    const signed = signedInWords(told.line(frame.version), this.seats);
    render(drawStamp(frame, told.gone.has(frame.version), signed), panes.stamp);
    const aside = this.tried ? nothing : this.parts.aside?.(frame.version);
    render(aside ?? nothing, panes.aside);
    const isBehind = onBoard === null && player !== null;
    render(isBehind ? player.drawBehind?.() : (player?.draw(scene) ?? nothing), panes.play);
    panes.play.classList.toggle("replay-turn", player !== null && isTurn && !isBehind);
    this.parts.shown?.(frame);
  }

  // Return the frame to compare the board with: the one before, for new versions the one shown when
  // they came, or that of the reader's last move.
  #before() {
    const { version, last } = this.position;
    const since = version === last ? (this.parts.since?.() ?? null) : null;
    const own = since === null ? undefined : this.frames.get(since);
    return own ?? this.frames.get(this.#comparedWith);
  }

  /** @param {number} version */
  async #await(version) {
    this.pane.wait();
    try {
      await this.frames.load(version);
      if (this.position.version === version) this.draw();
    } catch (problem) {
      if (this.position.version === version) this.parts.failed(problem);
    }
  }

  // Return the way on from the shown version. null: the viewer has none, or the game has not begun
  // or is over.
  /** @param {Frame | undefined} frame */
  #wayOn(frame) {
    const { goOn } = this.parts;
    const isPlayed = frame?.status === "running" && frame.state !== null;
    return goOn && isPlayed ? () => goOn(frame) : null;
  }

  #playOn() {
    const { position } = this;
    if (position.version < position.last) this.show(position.version + 1, "step");
    this.draw();
    return position.version < position.last;
  }
}

// ---- the panes of a replay, drawn one by one ----------------------------------------------------

/** @param {HTMLElement} root */
function layOut(root) {
  const frame = html`<div class="replay">
    <section class="replay-board" aria-label="Board"></section>
    <div class="replay-side">
      <div class="replay-play"></div>
      <section class="replay-controls" aria-label="Replay"></section>
      <div class="replay-aside"></div>
      <section class="story" aria-label="Story" tabindex="0"></section>
      <div class="replay-stamp"></div>
    </div>
  </div>`;
  render(frame, root);

  /** @param {string} selector */
  const pane = (selector) => /** @type {HTMLElement} */ (root.querySelector(selector));
  return {
    board: pane(".replay-board"),
    controls: pane(".replay-controls"),
    play: pane(".replay-play"),
    aside: pane(".replay-aside"),
    story: pane(".story"),
    stamp: pane(".replay-stamp"),
  };
}
