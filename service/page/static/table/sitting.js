// One reader's sitting at a match: the page's parts, the live stream, and the reader's own seat.

import { announce } from "../base/announce.js";
import { Api, NetworkFailure, newKey } from "../base/api.js";
import { html, nothing, render } from "../base/dom.js";
import { addressOf, HOME, paths, place, rulesAddress } from "../base/home.js";
import { forgetToken, remember, tokens } from "../base/memory.js";
import { nameTab, problemBox } from "../base/page.js";
import { follow } from "../base/stream.js";
import { forgetLostSeats, SeatTaking } from "../base/tokens.js";
import { seatNames } from "../base/words.js";
import { Play } from "../play/play.js";
import { ApiSource } from "../replay/frames.js";
import { Viewer } from "../replay/viewer.js";
import { drawGathering, drawManaging } from "./gathering.js";
import { drawHead, drawOutcome, isOver, isRevealed, tabTitle, waitsFor } from "./head.js";

/** @import { Commit } from "../../api.d.ts" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Frame, Move } from "../replay/types.d.ts" */
/** @import { SittingParts, WeighingParts } from "./types.d.ts" */
/** @import { Weighing } from "./weighing.js" */

// The commands after which the match itself is read anew: seats, names, status.
const OF_THE_LOBBY = new Set([
  "join",
  "leave",
  "start",
  "replace",
  "restore",
  "abort",
  "expire",
  "erase_name",
  "reveal",
]);

// The commands after which a token of this browser may no longer count.
const OF_TOKENS = new Set(["replace_token", "revoke_token"]);

export class Sitting {
  /** @type {Frame | null} */
  #frame = null;

  /** @type {"live" | "reconnecting" | "ended" | ""} */
  #connection = "";

  #wasTurn = false;

  /** @type {unknown} */
  #problem = null;

  /** @param {SittingParts} parts */
  constructor(parts) {
    const { root, api, match, board, holder, signal } = parts;
    this.parts = parts;
    this.match = match;
    this.seats = seatNames(match.seats);
    this.reader = holder.startsWith("seat:") ? Number(holder.slice("seat:".length)) : null;
    this.panes = layOut(root);
    this.actions = new Actions(match.id, {
      changed: () => this.#drawAround(),
      renewed: parts.reopen,
    });

    this.aside = new Aside({
      api,
      match: match.id,
      board,
      frameAt: (version) => this.viewer.frames.load(version),
      changed: () => this.viewer.draw(),
    });

    this.play = this.reader === null ? null : this.#makePlay();
    this.viewer = new Viewer({
      root: this.panes.view,
      source: new ApiSource(api, match.id, match.version),
      board,
      seats: this.seats,
      reader: this.reader,
      player: this.play,
      isOver: isOver(match),
      aside: (version) => this.#drawAside(version),
      versionAddress: (version) => addressOf(match.id, version),
      ruleAddress: (rule) => rulesAddress(match.game, rule),
      moved: (version, follows, move) => tellAddress(match.id, follows ? null : version, move),
      shown: (frame) => this.#onShown(frame),
      failed: (problem) => this.#onFailed(problem),
      signal,
    });
  }

  /** @param {number | null} version */
  async begin(version) {
    const { signal } = this.parts;
    this.#drawAround();
    await this.viewer.start(version);
    onReturn((wanted) => this.viewer.revisit(wanted), signal);
    this.#onPresent();
    this.#follow();
  }

  #makePlay() {
    const { api, match, board, signal } = this.parts;
    return new Play({ api, match, board, signal, changed: () => this.viewer.draw() });
  }

  /** @param {number} version */
  #drawAside(version) {
    return isRevealed(this.match) ? this.aside.draw(version, this.seats) : nothing;
  }

  #follow() {
    const { api, match, reopen, signal } = this.parts;
    follow(api, match.id, match.version, {
      commit: (commit) => this.#onCommit(commit),
      rewritten: () => {
        announce("The server has lost a part of this match. It is read anew.");
        reopen();
      },
      state: (state) => this.#onConnection(state),
      // The seat is played elsewhere now, or this browser has another token of it.
      refused: (problem) => (problem.status === 401 ? reopen() : this.#onFailed(problem)),
      signal,
    });
  }

  /** @param {"live" | "reconnecting" | "ended"} state */
  async #onConnection(state) {
    this.#connection = state;
    this.#drawAround();
    if (state !== "live") return;

    // What could not be loaded while the network was away is loaded now.
    await this.viewer.grow(0);
    this.viewer.draw();
  }

  /** @param {Commit} commit */
  async #onCommit(commit) {
    const { type } = commit.command;
    const isOfLobby = OF_THE_LOBBY.has(type);
    await Promise.all([
      OF_TOKENS.has(type) ? forgetLostSeats(this.match.id) : Promise.resolve(),
      this.viewer.grow(commit.version),
      isOfLobby ? this.#readMatch() : Promise.resolve(),
    ]);
    const hasEnded = this.viewer.present?.status !== this.match.status;
    if (hasEnded) await this.#readMatch();
    this.#onPresent();
  }

  async #readMatch() {
    const { api, match, signal } = this.parts;
    try {
      const { value } = await api.get(paths.match(match.id), { signal });
      this.match = value;
      this.seats = seatNames(value.seats);
      this.viewer.seats = this.seats;
      this.viewer.isOver = isOver(value);
      if (this.play) this.play.match = value;
      this.viewer.draw();
    } catch (problem) {
      this.#onFailed(problem);
    }
  }

  #onPresent() {
    const { present } = this.viewer;
    const standing = present ?? this.match;
    const isTurn = waitsFor(standing, this.reader);
    if (isTurn && !this.#wasTurn) announce("It is your turn.");
    this.#wasTurn = isTurn;
    nameTab(tabTitle(this.match, standing, this.seats, this.reader), isTurn);
    if (present) this.play?.follow(present);
    this.#drawAround();
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

  /** @param {unknown} problem */
  #onFailed(problem) {
    if (this.parts.signal.aborted) return;
    this.#problem = problem;
    this.#drawAround();
  }

  #drawHead() {
    const { match, seats, reader, parts } = this;
    const head = drawHead({
      match,
      seats,
      reader,
      frame: this.#frame,
      follows: this.viewer.position.follows,
      connection: this.#connection,
      holder: parts.holder,
      holders: Object.keys(tokens(match.id)),
      look: (holder) => {
        remember(match.id, { reader: holder });
        parts.reopen();
      },
    });
    render(head, this.panes.head);
  }

  #drawAround() {
    if (this.parts.signal.aborted) return;
    const { match, seats, panes } = this;
    if (this.viewer) this.#drawHead();
    render(this.#problem ? problemBox(this.#problem, match.game) : nothing, panes.problem);

    const { reader, actions, parts } = this;
    const now = { match, seats, reader, actions, levels: parts.game.levels };
    const failed = (/** @type {unknown} */ problem) => this.#onFailed(problem);
    const isPast = this.#isPast();
    const end = isOver(match) ? drawOutcome(match, seats, parts.api, failed, isPast) : nothing;
    parts.root.classList.toggle("table-open", match.status === "open");
    render(match.status === "open" ? drawGathering(now) : end, panes.top);
    render(match.status === "running" ? drawManaging(now) : nothing, panes.foot);
  }
}

// ---- the parts of the table page that are drawn one by one --------------------------------------

/** @param {HTMLElement} root */
export function layOut(root) {
  const frame = html`
    <header class="table-head"></header>
    <div class="table-problem"></div>
    <div class="table-top"></div>
    <div class="table-view"></div>
    <div class="table-foot"></div>`;
  root.className = "table";
  render(frame, root);

  /** @param {string} selector */
  const pane = (selector) => /** @type {HTMLElement} */ (root.querySelector(selector));
  return {
    head: pane(".table-head"),
    problem: pane(".table-problem"),
    top: pane(".table-top"),
    view: pane(".table-view"),
    foot: pane(".table-foot"),
  };
}

// ---- the address of the table page, which tells the version that is looked at -------------------

const CALM = 250; // milliseconds without a step after which the address is changed

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

// Let the address tell what is looked at. Browsers refuse to change it too often, so steps change
// it once they have come to rest.
/** @param {string} match @param {number | null} version @param {Move} move */
function tellAddress(match, version, move) {
  const address = addressOf(match, version) + window.location.search;
  clearTimeout(waiting);
  if (move === "jump") {
    if (address !== here()) history.pushState(null, "", address);
    return;
  }
  waiting = setTimeout(() => {
    if (address !== here()) history.replaceState(null, "", address);
  }, CALM);
}

/** @param {(version: number | null) => void} visit @param {AbortSignal} signal */
function onReturn(visit, signal) {
  const listener = () => {
    clearTimeout(waiting);
    visit(place().version);
  };
  window.addEventListener("popstate", listener, { signal });
}

function here() {
  return window.location.pathname + window.location.search;
}

// ---- what stands beside the replay of a match that is revealed ----------------------------------

class Aside {
  #isAsked = false;

  /** @type {Weighing | null} */
  #weighing = null;

  /** @param {WeighingParts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  /** @param {number} version @param {Seat[]} seats */
  draw(version, seats) {
    if (!this.#isAsked) this.#ask();
    return this.#weighing?.draw(version, seats) ?? nothing;
  }

  // Without an answer it is asked again at the next look.
  async #ask() {
    this.#isAsked = true;
    const { api, match, changed } = this.parts;
    const query = { limit: 1 };

    try {
      const { value } = await api.get(paths.match(match, "thoughts"), { query });
      if (value.thoughts.length === 0) return;
      const { Weighing } = await import("./weighing.js");
      this.#weighing = new Weighing(this.parts);
      changed();
    } catch {
      this.#isAsked = false;
    }
  }
}

// ---- what the page asks the service to do with a match ------------------------------------------

export class Actions {
  isBusy = false;

  #taking = new SeatTaking();

  /** @type {unknown} */
  problem = null;

  /**
   * @param {string} match
   * @param {{ changed: () => void, renewed: () => void }} page changed: draw again; renewed: this
   *   browser has other tokens now, so read all anew
   */
  constructor(match, page) {
    this.match = match;
    this.page = page;
  }

  /** @param {number} seat @param {string} name */
  join(seat, name) {
    const { owner, invitation } = tokens(this.match);
    return this.#ask(invitation ?? owner ?? null, async (api) => {
      await this.#taking.take(api, this.match, seat, name);
      this.page.renewed();
    });
  }

  /** @param {number} seat */
  leave(seat) {
    const holder = `seat:${seat}`;
    return this.#ask(tokens(this.match)[holder] ?? null, async (api) => {
      await api.delete(this.#path(`seats/${seat}`));
      forgetToken(this.match, holder);
      this.page.renewed();
    });
  }

  start() {
    return this.#asOwner((api, key) => api.post(this.#path("start"), undefined, { key }));
  }

  abort() {
    return this.#asOwner((api, key) => api.post(this.#path("abort"), undefined, { key }));
  }

  /** @param {number} seat @param {string} level */
  putBot(seat, level) {
    const path = this.#path(`seats/${seat}/bot`);
    return this.#asOwner((api, key) => api.post(path, { level }, { key }));
  }

  /** @param {number} seat */
  dismissBot(seat) {
    const path = this.#path(`seats/${seat}/bot`);
    return this.#asOwner((api, key) => api.delete(path, { key }));
  }

  // Make a new token for those who are to join or to watch; the old one no longer counts.
  /** @param {"invitation" | "spectator"} holder */
  renewToken(holder) {
    return this.#asOwner(async (api, key) => {
      const { token } = await api.post(paths.match(this.match, "tokens"), { holder }, { key });
      remember(this.match, { tokens: { [holder]: token } });
    });
  }

  /** @param {string} below */
  #path(below) {
    return paths.match(this.match, below);
  }

  /** @param {(api: Api, key: string) => Promise<unknown>} request */
  #asOwner(request) {
    return this.#ask(tokens(this.match).owner ?? null, request);
  }

  /** @param {string | null} token @param {(api: Api, key: string) => Promise<unknown>} request */
  async #ask(token, request) {
    if (this.isBusy) return;
    this.isBusy = true;
    this.problem = null;
    this.page.changed();
    try {
      await request(new Api(HOME, token), newKey());
    } catch (problem) {
      this.problem = problem;
    }
    this.isBusy = false;
    this.page.changed();
  }
}
