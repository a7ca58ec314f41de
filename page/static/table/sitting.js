// A sitting: one reader at the page of a match. It connects the page's parts, the live stream of
// commits, and the play of the reader's own seat.

import { seatOf } from "../base/actors.js";
import { announce } from "../base/announce.js";
import { calm, NetworkFailure, oneByOne, Problem, serverNow } from "../base/api.js";
import { addressOf, onReturn, paths, rulesAddress, tellAddress } from "../base/home.js";
import { remember, tokens } from "../base/memory.js";
import { nameTab } from "../base/page.js";
import { forgetLostSeats, heldSeats } from "../base/tokens.js";
import { isAsked, isAwaited, seatNames } from "../base/words.js";
import { Play } from "../play/play.js";
import { ApiSource } from "../replay/frames.js";
import { Viewer } from "../replay/viewer.js";
import { Actions, OF_THE_LOBBY, OF_TOKENS } from "./actions.js";
import { Following, Presence } from "./following.js";
import { drawHead, isOver, isRevealed, isTurnOf, tabTitle } from "./head.js";
import { Beside, Panes } from "./panes.js";

/** @import { Commit } from "../../api.d.ts" */
/** @import { Move } from "../boards/types.d.ts" */
/** @import { Frame } from "../replay/types.d.ts" */
/** @import { Around, SittingParts } from "./types.d.ts" */

const LONGEST_LOADING = 1500; // milliseconds after which the table is shown even if it still loads
const TICK = 1000; // milliseconds between two updates of the clocks

export class Sitting {
  /** @type {Frame | null} */
  #frame = null;

  #wasTurn = false;
  #presence = new Presence();

  /** The seats that the last curtain was drawn for, such as "1,2". "": no curtain. */
  #handedTo = "";

  /** @type {unknown} */
  #problem = null;

  /** @param {SittingParts} parts */
  constructor(parts) {
    const { root, api, match, board, holder, eyes, signal } = parts;
    this.parts = parts;
    this.match = match;
    this.seats = seatNames(match.seats);
    this.reader = holder.startsWith("seat:") ? seatOf(holder) : null;
    this.panes = new Panes(root, () => this.#drawAround());
    this.actions = new Actions(match.match, {
      changed: () => this.#drawAround(),
      renewed: parts.reopen,
      now: () => this.match,
    });

    this.beside = new Beside(this);
    this.play = this.reader === null ? null : this.#makePlay();
    this.viewer = new Viewer({
      root: this.panes.view,
      source: new ApiSource(api, match.match, match.version, eyes),
      board,
      seats: this.seats,
      reader: eyes ?? this.reader,
      player: eyes === null ? this.play : null,
      isOver: isOver(match),
      goOn: isRevealed(match) ? (frame) => this.#tryFrom(frame) : undefined,
      aside: (version) => this.beside.draw(version),
      versionAddress: (version) => addressOf(match.match, version),
      ruleAddress: (rule) => rulesAddress(match.game, rule),
      moved: (version, follows, move) => tellAddress(match.match, follows ? null : version, move),
      shown: (frame) => this.#onShown(frame),
      arrived: (seen) => this.beside.since.module?.arrived(seen),
      since: () => (isOver(this.match) ? null : (this.beside.since.module?.version() ?? null)),
      again: () => this.beside.since.module?.again(),
      failed: (problem) => this.#onFailed(problem),
      signal,
    });
  }

  /** @param {number | null} version */
  async begin(version) {
    const { signal } = this.parts;
    this.panes.root.classList.add("table-loading");
    this.#drawAround();
    await this.viewer.start(version);
    if (signal.aborted) return;
    calm(LONGEST_LOADING).then(() => this.panes.root.classList.remove("table-loading"));
    onReturn((wanted) => this.viewer.revisit(wanted), signal);
    this.#runClocks();
    this.#onPresent();
    this.viewer.strike(this.match.take_back?.taken_back ?? []);
    this.beside.readStanding().then(
      () => this.viewer.draw(),
      (problem) => this.#onRefused(problem),
    );
    this.#follow();
  }

  #runClocks() {
    const tick = setInterval(() => {
      if (document.hidden) return;
      const runs = this.viewer.present?.clock?.paying.length ?? 0;
      if (runs > 0 && this.viewer.position.follows) this.#drawHead();
      if (tokens(this.match.match).owner) this.panes.drawFoot(this.#around());
    }, TICK);
    this.parts.signal.addEventListener("abort", () => clearInterval(tick));
  }

  #makePlay() {
    const { api, match, board, signal } = this.parts;
    const changed = () => this.viewer.draw();
    const tryTurn = (/** @type {Move | null} */ first) => this.#tryFrom(this.viewer.present, first);
    return new Play({ api, match, board, signal, tryTurn, changed });
  }

  // Open a board for trying moves: of the reader's seat, or of every seat after the end.
  /** @param {Frame | undefined} frame @param {Move | null} [first] */
  async #tryFrom(frame, first = null) {
    if (!frame) return;
    const { api, board, signal } = this.parts;
    const { match, viewer } = this;
    const reader = isOver(match) ? null : this.reader;
    try {
      const { Trying } = await import("../play/trying.js");
      await new Trying({ api, match, board, reader, frame, viewer, signal }).begin(first);
    } catch (problem) {
      this.#onFailed(problem);
    }
  }

  #follow() {
    const { api, mine, signal } = this.parts;
    this.following = new Following({
      api,
      match: this.match,
      mine,
      signal,
      elsewhere: () => {
        this.#nameTab();
        this.#drawHead();
      },
      connected: (isLive) => this.#onConnection(isLive),
      grown: (version) => this.#onGrown(version),
      committed: (commit) => this.#onCommit(commit),
      rewritten: () => this.#onRewritten(),
      gone: () => this.#readMatch(),
      refused: (problem) => this.#onRefused(problem),
    });
    this.following.begin();
  }

  #onRewritten() {
    announce("The server has lost a part of this match. The match is loaded again.");
    this.parts.reopen();
  }

  /** @param {number} version */
  async #onGrown(version) {
    if (version <= this.viewer.position.last) return;
    await Promise.all([this.viewer.grow(version), this.#readMatch()]);
    this.#onPresent();
  }

  /** @param {boolean} isLive */
  async #onConnection(isLive) {
    this.#drawAround();
    if (!isLive) return;

    // Retry the loads that failed while the network was away.
    this.play?.reconnected();
    await this.viewer.grow(0);
    this.viewer.draw();
  }

  /** @param {Commit} commit */
  async #onCommit(commit) {
    const { type } = commit.command;
    // For a player the match's `take_back` may change with each commit.
    const mayTakeBack = this.reader !== null && Boolean(this.match.take_back);
    const changesMatch = OF_THE_LOBBY.has(type) || mayTakeBack;
    await Promise.all([
      OF_TOKENS.has(type) ? forgetLostSeats(this.match.match) : Promise.resolve(),
      this.viewer.grow(commit.version),
      changesMatch ? this.#readMatch() : Promise.resolve(),
    ]);
    const hasEnded = this.viewer.present?.status !== this.match.status;
    if (hasEnded) await this.#readMatch();
    this.#onPresent();
  }

  #readMatch = oneByOne(async () => {
    const { api, match, signal } = this.parts;
    try {
      const { value } = await api.get(paths.match(match.match), { signal });
      this.#presence.compare(this.match.seats, value.seats, serverNow());
      this.match = value;
      this.seats = seatNames(value.seats);
      this.viewer.seats = this.seats;
      this.viewer.isOver = isOver(value);
      this.viewer.strike(value.take_back?.taken_back ?? []);
      if (this.play) this.play.match = value;
      await this.beside.readStanding();
      this.viewer.draw();
    } catch (problem) {
      this.#onRefused(problem);
    }
  });

  #onPresent() {
    const { present } = this.viewer;
    const isTurn = isTurnOf(present ?? this.match, this.reader);
    if (isTurn && !this.#wasTurn) announce("It is your turn.");
    this.#wasTurn = isTurn;
    this.#nameTab();
    if (present) (this.viewer.tried ?? this.play)?.follow(present);
    this.#drawAround();
    this.#handOver();
  }

  // Draw a curtain if another seat of this browser is awaited, and the reader's seat is not.
  // Otherwise open the curtain.
  async #handOver() {
    const { match, reader, seats, parts } = this;
    const { present } = this.viewer;
    const isWaiting =
      present && reader !== null && parts.eyes === null && !isTurnOf(present, reader);
    const held = isWaiting ? heldSeats(match.match) : [];
    const nexts = held.filter((seat) => seat !== reader && present && isAwaited(present, [seat]));
    const awaited = nexts.join();
    if (awaited === this.#handedTo) return;
    this.#handedTo = awaited;
    if (reader === null) return;

    const { drawCurtain, openCurtain } = await import("./handing.js");
    if (parts.signal.aborted || awaited !== this.#handedTo) return;
    if (nexts.length === 0) return openCurtain();
    drawCurtain({
      nexts: nexts.map((seat) => ({ seat, name: seats[seat]?.name ?? "" })),
      own: seats[reader]?.name ?? "",
      take: (seat) => {
        remember(match.match, { reader: `seat:${seat}` });
        parts.reopen();
      },
      signal: parts.signal,
    });
  }

  #nameTab() {
    const standing = this.viewer.present ?? this.match;
    const elsewhere = this.parts.mine.turns(this.match.match).size;
    const title = tabTitle(this.match, standing, this.seats, this.reader, elsewhere);
    const own = this.reader === null ? [] : [this.reader];
    nameTab(title, isTurnOf(standing, this.reader) || isAsked(this.match, own));
  }

  /** @param {Frame} frame */
  #onShown(frame) {
    const wasPast = this.#isPast();
    this.#frame = frame;
    const isConnected = this.#problem instanceof NetworkFailure;
    if (isConnected) this.#problem = null;

    if (isConnected || this.#isPast() !== wasPast) this.#drawAround();
    else this.#drawHead();
  }

  #isPast() {
    return (this.#frame?.version ?? 0) < this.match.version;
  }

  // If the token is no longer valid (401), open the match again: this browser may have another
  // token.
  /** @param {unknown} problem */
  #onRefused(problem) {
    if (problem instanceof Problem && problem.status === 401) this.parts.reopen();
    else this.#onFailed(problem);
  }

  /** @param {unknown} problem */
  #onFailed(problem) {
    if (this.parts.signal.aborted) return;
    this.#problem = problem;
    this.#drawAround();
  }

  #drawHead() {
    const { match, seats, reader, parts } = this;
    const { position } = this.viewer;
    const head = drawHead({
      match,
      seats,
      reader,
      frame: this.#frame,
      follows: position.follows && !position.isBehind,
      connection: this.following?.connection ?? "",
      isHere: this.#presence.at(parts.mine.here(match.match), this.viewer.told.lines, serverNow()),
      holder: parts.holder,
      holders: Object.keys(tokens(match.match)),
      claim: () => import("./door.js").then(({ askForSeat }) => askForSeat(parts.enter)),
      look: (holder) => {
        remember(match.match, { reader: holder });
        parts.reopen();
      },
    });
    this.panes.drawHead(head);
  }

  #drawAround() {
    if (this.parts.signal.aborted) return;
    if (this.viewer) this.#drawHead();
    this.panes.draw(this.#around());
  }

  /** @returns {Around} */
  #around() {
    const { match, seats, reader, actions, parts } = this;
    return {
      match,
      seats,
      reader,
      actions,
      api: parts.api,
      levels: parts.game.levels,
      present: this.viewer?.present,
      problem: this.#problem,
      isPast: this.#isPast(),
      failed: (problem) => this.#onFailed(problem),
    };
  }
}
