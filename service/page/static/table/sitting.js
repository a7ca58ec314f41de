// One reader's sitting at a match: the page's parts, the live stream, and the reader's own seat.

import { announce } from "../base/announce.js";
import { NetworkFailure, oneByOne, Problem } from "../base/api.js";
import { fieldOf, html, nothing, render } from "../base/dom.js";
import { addressOf, paths, place, rulesAddress } from "../base/home.js";
import { remember, tokens } from "../base/memory.js";
import { nameTab, problemBox } from "../base/page.js";
import { Stream, whileShown } from "../base/stream.js";
import { forgetLostSeats } from "../base/tokens.js";
import { isAsked, seatNames } from "../base/words.js";
import { Play } from "../play/play.js";
import { ApiSource } from "../replay/frames.js";
import { Viewer } from "../replay/viewer.js";
import {
  Actions,
  drawOwnSeat,
  drawTakeBack,
  OF_THE_LOBBY,
  OF_TOKENS,
  standingOf,
} from "./actions.js";
import { drawGathering, drawManaging } from "./gathering.js";
import { drawHead, drawOutcome, isOver, isRevealed, isTurnOf, tabTitle } from "./head.js";
import { askForSeat } from "./links.js";

/** @import { Commit, MatchNews } from "../../api.d.ts" */
/** @import { MyNews, StreamEvent, Template } from "../base/types.d.ts" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Frame, Move } from "../replay/types.d.ts" */
/** @import { AsideParts, SittingParts, Standing } from "./types.d.ts" */
/** @import { Weighing } from "./weighing.js" */

const MOST_STANDING = 200; // commits that may be taken back
const TICK = 1000; // milliseconds between two looks at the clocks

export class Sitting {
  /** @type {Frame | null} */
  #frame = null;

  /** @type {"live" | "reconnecting" | "ended" | ""} */
  #connection = "";

  #wasTurn = false;

  #isWatched = false;

  /** @type {Standing[]} */
  #standing = [];

  /** @type {unknown} */
  #problem = null;

  /** @param {SittingParts} parts */
  constructor(parts) {
    const { root, api, match, board, holder, eyes, signal } = parts;
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
      present: () => this.viewer.frames.load(this.viewer.position.last),
      last: () => this.viewer.position.last,
      eyes,
      reader: this.reader,
      look: parts.look,
      open: (version) => this.viewer.show(version, "jump"),
      changed: () => this.viewer.draw(),
    });

    this.play = this.reader === null ? null : this.#makePlay();
    this.viewer = new Viewer({
      root: this.panes.view,
      source: new ApiSource(api, match.id, match.version, eyes),
      board,
      seats: this.seats,
      reader: eyes ?? this.reader,
      player: eyes === null ? this.play : null,
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
    if (signal.aborted) return;
    onReturn((wanted) => this.viewer.revisit(wanted), signal);
    this.#runClocks();
    this.#onPresent();
    this.viewer.strike(this.match.take_back?.taken_back ?? []);
    this.#readStanding().then(
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
      if (tokens(this.match.id).owner) this.#drawFoot();
    }, TICK);
    this.parts.signal.addEventListener("abort", () => clearInterval(tick));
  }

  #makePlay() {
    const { api, match, board, signal } = this.parts;
    return new Play({ api, match, board, signal, changed: () => this.viewer.draw() });
  }

  /** @param {number} version */
  #drawAside(version) {
    if (isRevealed(this.match)) return this.aside.draw(version, this.seats);
    const { match, seats, reader, actions } = this;
    if (reader === null || match.status !== "running") return nothing;
    const at = { version, last: this.viewer.position.last };
    return drawTakeBack({ match, seats, reader, actions }, this.#standing, at);
  }

  // The one stream of this browser tells of the matches of its tokens. Who only watches follows the
  // match itself.
  #follow() {
    const { api, mine, signal } = this.parts;
    if (api.token === null) {
      this.#watch();
      return;
    }

    const listener = {
      heard: (/** @type {MatchNews} */ news) => this.#onNews(news),
      changed: () => this.#onMine(mine.connection),
    };
    mine.listen(listener, signal);
  }

  /** @param {MyNews["connection"]} connection */
  #onMine(connection) {
    this.#nameTab();
    if (connection === this.#connection || this.#isWatched) return;
    if (connection === "refused") this.#watch();
    else this.#onConnection(connection);
  }

  #watch() {
    this.#isWatched = true;
    const { api, match, signal } = this.parts;
    const stream = new Stream(paths.match(match.id, "stream"), String(match.version));
    const hearer = {
      heard: (/** @type {StreamEvent} */ event) => this.#onEvent(event),
      state: (/** @type {"live" | "reconnecting" | "ended"} */ state) => this.#onConnection(state),
      refused: (/** @type {Problem} */ problem) => this.#onRefused(problem),
    };
    whileShown((shown) => stream.follow(api, hearer, shown), signal);
  }

  /** @param {StreamEvent} event @returns {"enough" | undefined} */
  #onEvent({ name, data }) {
    if (name === "commit") this.#onCommit(JSON.parse(data));
    if (name !== "rewritten") return undefined;
    this.#onRewritten();
    return "enough";
  }

  /** @param {MatchNews} news */
  #onNews({ event, match, version }) {
    if (match !== this.match.id) return;
    if (event === "rewritten") this.#onRewritten();
    else if (event === "gone") this.#readMatch();
    else if (version > this.viewer.position.last) this.#catchUp(version);
  }

  #onRewritten() {
    announce("The server has lost a part of this match. It is read anew.");
    this.parts.reopen();
  }

  /** @param {number} version */
  async #catchUp(version) {
    await Promise.all([this.viewer.grow(version), this.#readMatch()]);
    this.#onPresent();
  }

  /** @param {"live" | "reconnecting" | "ended" | ""} state */
  async #onConnection(state) {
    this.#connection = state;
    this.#drawAround();
    if (state !== "live") return;

    // What could not be loaded while the network was away is loaded now.
    this.play?.reconnected();
    await this.viewer.grow(0);
    this.viewer.draw();
  }

  /** @param {Commit} commit */
  async #onCommit(commit) {
    const { type } = commit.command;
    // Who may take moves back needs to know after each move what stands.
    const mayTakeBack = this.reader !== null && Boolean(this.match.take_back);
    const changesMatch = OF_THE_LOBBY.has(type) || mayTakeBack;
    await Promise.all([
      OF_TOKENS.has(type) ? forgetLostSeats(this.match.id) : Promise.resolve(),
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
      const { value } = await api.get(paths.match(match.id), { signal });
      this.match = value;
      this.seats = seatNames(value.seats);
      this.viewer.seats = this.seats;
      this.viewer.isOver = isOver(value);
      this.viewer.strike(value.take_back?.taken_back ?? []);
      if (this.play) this.play.match = value;
      await this.#readStanding();
      this.viewer.draw();
    } catch (problem) {
      this.#onRefused(problem);
    }
  });

  async #readStanding() {
    const { api, match, signal } = this.parts;
    const takeBack = this.match.take_back;
    if (this.reader === null || !takeBack) return;
    const query = { after: takeBack.earliest, limit: MOST_STANDING };
    const { value } = await api.get(paths.match(match.id, "commits"), { query, signal });
    this.#standing = [{ version: takeBack.earliest, mover: null }, ...standingOf(value.commits)];
  }

  #onPresent() {
    const { present } = this.viewer;
    const isTurn = isTurnOf(present ?? this.match, this.reader);
    if (isTurn && !this.#wasTurn) announce("It is your turn.");
    this.#wasTurn = isTurn;
    this.#nameTab();
    if (present) this.play?.follow(present);
    this.#drawAround();
  }

  #nameTab() {
    const standing = this.viewer.present ?? this.match;
    const elsewhere = this.parts.mine.turns(this.match.id).size;
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

  // A seat that is played elsewhere now, or of which this browser has another token, is read anew.
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
    const head = drawHead({
      match,
      seats,
      reader,
      frame: this.#frame,
      follows: this.viewer.position.follows,
      connection: this.#connection,
      holder: parts.holder,
      holders: Object.keys(tokens(match.id)),
      claim: () => askForSeat(parts.enter),
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
    const ending = { match, seats, api: parts.api, actions, failed, isPast };
    let top = isOver(match) ? drawOutcome(ending) : nothing;
    if (match.status === "open") top = drawGathering(now);
    else if (match.status === "running" && reader !== null) {
      top = drawOwnSeat({ match, seats, reader, actions });
    }
    parts.root.classList.toggle("table-open", match.status === "open");
    render(top, panes.top);
    this.#drawFoot();
  }

  #drawFoot() {
    const { match, seats, reader, actions, parts, panes } = this;
    const present = this.viewer?.present;
    const now = { match, seats, reader, actions, levels: parts.game.levels, present };
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

  /** @type {((version: number, seats: Seat[]) => Template | typeof nothing) | null} */
  #drawCurve = null;

  #hasMoreToSee = false;

  /** @param {AsideParts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  /** @param {number} version @param {Seat[]} seats */
  draw(version, seats) {
    if (!this.#isAsked) this.#ask();
    const eyes = this.#hasMoreToSee ? chooseEyes(seats, this.parts) : nothing;
    const curve = this.#drawCurve?.(version, seats) ?? nothing;
    return html`${eyes} ${curve} ${this.#weighing?.draw(version, seats) ?? nothing}`;
  }

  // Without an answer it is asked again at the next look.
  async #ask() {
    this.#isAsked = true;
    try {
      await Promise.all([this.#askCurve(), this.#askThoughts(), this.#askWhatSeatsSaw()]);
      this.parts.changed();
    } catch {
      this.#isAsked = false;
    }
  }

  async #askCurve() {
    const { api, match, last, open } = this.parts;
    const { value } = await api.get(paths.match(match, "curve"));
    const { drawCurve } = await import("../replay/curve.js");
    this.#drawCurve = (version, seats) => {
      return drawCurve(value, seats, { version, last: last(), open });
    };
  }

  // Find out whether a seat sees more of this game than others do.
  async #askWhatSeatsSaw() {
    const { api, match, eyes, reader, last, present } = this.parts;
    const query = { after: last() - 1, limit: 1, seat: (eyes ?? reader) === 0 ? 1 : 0 };
    const { value } = await api.get(paths.match(match, "states"), { query });
    const { state } = await present();
    this.#hasMoreToSee = JSON.stringify(value.states[0]?.state) !== JSON.stringify(state);
  }

  async #askThoughts() {
    const { api, match } = this.parts;
    const query = { limit: 1 };
    const { value } = await api.get(paths.match(match, "thoughts"), { query });
    if (value.thoughts.length === 0) return;
    const { Weighing } = await import("./weighing.js");
    this.#weighing = new Weighing(this.parts);
  }
}

/** @param {Seat[]} seats @param {AsideParts} parts */
function chooseEyes(seats, { eyes, look }) {
  /** @param {Event} event */
  function onChange(event) {
    const { value } = fieldOf(event);
    look(value === "" ? null : Number(value));
  }

  return html`<label class="row replay-eyes unprinted">
    Seen by
    <select @change=${onChange}>
      <option value="" ?selected=${eyes === null}>you</option>
      ${seats.map(({ name }, seat) => html`<option value=${seat} ?selected=${seat === eyes}>${name}</option>`)}
    </select>
  </label>`;
}
