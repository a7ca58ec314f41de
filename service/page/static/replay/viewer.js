// A match to look at: its board, its story, the controls to go through it, and each version's hash.
// It knows no network: everything comes from its source. So it serves the table of a live match as
// well as a file that holds one whole match.

import { announce, copy } from "../base/announce.js";
import { html, nothing, render } from "../base/dom.js";
import { moment } from "../base/words.js";
import { changedPlaces, showLabels } from "../boards/place.js";
import { drawControls, listen, showKeys } from "./controls.js";
import { Frames, Told, textOf } from "./frames.js";
import { Playing, Position } from "./position.js";

/** @import { Board, Scene, Seat } from "../boards/types.d.ts" */
/** @import { Entry, Frame, Group, Heading, Line, Move, Player, Sentence, Steps, StoryLinks,
 *   ViewerParts, Way } from "./types.d.ts" */

export class Viewer {
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
    this.isOver = parts.isOver;

    const panes = layOut(parts.root);
    this.panes = panes;
    this.pane = new BoardPane(panes.board, parts.board, parts.reader);
    this.story = new StoryPanel(panes.story, {
      gone: this.told.gone,
      version: parts.versionAddress,
      rule: parts.ruleAddress,
      open: (version) => this.show(version, "jump"),
    });

    this.steps = makeSteps({
      position: this.position,
      told: this.told,
      playing: this.playing,
      show: (version, move) => this.show(version, move),
      draw: () => this.draw(),
      help: () => showKeys(this.player !== null),
    });
    listen(this.steps, parts.signal);
    showLabels(panes.board, parts.signal);
    parts.signal.addEventListener("abort", () => this.playing.stop());
  }

  /**
   * @param {number | null} version null: the present, followed
   * @returns {Promise<void>} when the first frame is there; the story follows
   */
  async start(version) {
    const { position } = this;
    if (version !== null) position.stay(version);
    if (version !== null && version !== position.version) {
      this.parts.moved?.(position.version, false, "step");
    }
    await this.frames.first(position.version);
    this.#comparedWith = position.version - 1;
    this.#drawNow();
    this.#tell(false);
  }

  get present() {
    return this.frames.get(this.position.last);
  }

  /** @param {number} version @param {Move} move */
  show(version, move) {
    const { position } = this;
    position.go(version);
    this.#comparedWith = position.version - 1;
    this.parts.moved?.(position.version, position.follows, move);
    this.frames.gather(position.version);
    if (!this.playing.isOn) announce(textOf(this.told.line(position.version)));
    this.draw();
  }

  /** @param {number | null} version */
  revisit(version) {
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
    if (this.#isScheduled) return;
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
        // The board is asked for before the story, and is drawn without waiting for it.
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
    }
    this.draw();
  }

  /** @param {boolean} isNews whether to say what comes */
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
    const { position, told, playing, panes } = this;
    const frame = this.frames.get(position.version);
    const isTurn = this.player?.isTurn ?? false;
    const now = { position, playing, told, isOver: this.isOver, isTurn };
    render(drawControls(now, this.steps), panes.controls);
    if (frame) this.#drawFrame(frame, isTurn);
    else this.#await(position.version);

    // At the end, because it asks where things stand: so the page is laid out once, not twice.
    this.story.mark(position.version);
  }

  /** @param {Frame} frame @param {boolean} isTurn */
  #drawFrame(frame, isTurn) {
    const { position, panes, told } = this;
    // Whoever only looks at the present may never go back: no need to fetch and make 15 kB for that.
    if (!position.follows) this.frames.prefetch(position.version);
    const before = this.frames.get(this.#comparedWith);
    const player = position.follows ? this.player : null;
    if (this.player) this.player.isShown = position.follows;
    const scene = this.pane.draw(frame, before, this.seats, player);
    render(drawStamp(frame, told.gone.has(frame.version)), panes.stamp);
    render(this.parts.aside?.(frame.version) ?? nothing, panes.aside);
    render(player ? player.draw(scene) : nothing, panes.play);
    panes.play.classList.toggle("replay-turn", player !== null && isTurn);
    this.parts.shown?.(frame);
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

  #playOn() {
    const { position } = this;
    if (position.version < position.last) this.show(position.version + 1, "step");
    this.draw();
    return position.version < position.last;
  }
}

// ---- the parts of the page that a replay draws one by one ---------------------------------------

/** @param {HTMLElement} root */
export function layOut(root) {
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

// ---- the board of a replay ----------------------------------------------------------------------

const NO_PLACES = /** @type {ReadonlySet<string>} */ (new Set());

class BoardPane {
  /** @type {{ frame: Frame, before: Frame | undefined, seats: Seat[], scene: Scene } | null} */
  #looked = null;

  /** @param {HTMLElement} root @param {Board} board @param {number | null} reader */
  constructor(root, board, reader) {
    this.root = root;
    this.board = board;
    this.reader = reader;
  }

  /**
   * @param {Frame} frame @param {Frame | undefined} before @param {Seat[]} seats
   * @param {Player | null} player @returns {Scene}
   */
  draw(frame, before, seats, player) {
    this.root.removeAttribute("aria-busy");

    // Where nobody can pick a place, the same frame looks the same: the story that comes after the
    // states of a live move does not draw the board again, which takes 20 ms.
    const looked = this.#looked;
    const isSame = looked?.frame === frame && looked.before === before && looked.seats === seats;
    if (player === null && looked && isSame) return looked.scene;

    const scene = this.#drawScene(frame, before, seats, player);
    this.#looked = player === null ? { frame, before, seats, scene } : null;
    return scene;
  }

  /**
   * @param {Frame} frame @param {Frame | undefined} before @param {Seat[]} seats
   * @param {Player | null} player @returns {Scene}
   */
  #drawScene(frame, before, seats, player) {
    const preview = player?.preview() ?? null;
    const view = preview ? preview.view : frame.state;
    const old = preview ? frame.state : before?.state;
    /** @type {Scene} */
    const scene = {
      view: view ?? {},
      seats,
      reader: this.reader,
      targets: player?.targets() ?? NO_PLACES,
      picked: player?.picked() ?? NO_PLACES,
      changed: old && view ? changedPlaces(this.board, old, view) : NO_PLACES,
      before: preview ? (frame.state ?? undefined) : undefined,
      pick: (place) => player?.pick(place),
    };

    render(view ? this.board.draw(scene) : notBegun(frame), this.root);
    this.root.classList.toggle("replay-previewed", preview !== null);
    return scene;
  }

  // The frame that is to be drawn is still on its way; the last one stays in sight.
  wait() {
    this.root.setAttribute("aria-busy", "true");
  }
}

/** @param {Frame} frame */
function notBegun({ status }) {
  const text =
    status === "aborted"
      ? "The match ended before it began."
      : "The board is laid out at the start.";
  return html`<p class="replay-empty">${text}</p>`;
}

// ---- the steps that lead through a match --------------------------------------------------------

/** @param {Way} way @returns {Steps} */
function makeSteps({ position, told, playing, show, draw, help }) {
  /** @param {number} version @param {Move} move */
  function go(version, move) {
    playing.stop();
    show(version, move);
  }

  function play() {
    playing.toggle();
    draw();
  }

  return {
    first: () => go(1, "jump"),
    last: () => go(position.last, "jump"),
    commit: (direction) => go(position.beside(direction), "step"),
    turn: (direction) => go(position.beside(direction, told.turns), "step"),
    scoring: (direction) => go(position.beside(direction, told.scorings), "jump"),
    slide: (version) => go(version, "step"),
    play,
    speed: (speed) => playing.change(speed),
    help,
  };
}

// ---- what proves a version ----------------------------------------------------------------------

const SHORT = 12; // hex digits that are shown at first

/** @param {Frame} frame @param {boolean} isGone */
function drawStamp({ version, time, hash }, isGone) {
  return html`
    <p class="replay-time numbers">
      Version ${version}, <time datetime=${time}>${moment(time)}</time>${isGone ? ", taken back" : ""}
    </p>
    ${hash ? drawHash(hash) : nothing}`;
}

/** @param {string} hash */
function drawHash(hash) {
  /** @param {Event} event */
  function onCopy(event) {
    copy(hash, /** @type {HTMLElement} */ (event.currentTarget));
  }

  return html`<details class="replay-hash">
    <summary>Hash <code>${hash.slice(0, SHORT)}</code></summary>
    <code>${hash}</code>
    <button type="button" @click=${onCopy}>Copy</button>
  </details>`;
}

// ---- the story beside the board -----------------------------------------------------------------

// Draws the story. Only the groups that lines are added to are drawn again.
class StoryPanel {
  /** @type {Group[]} */
  #groups = [];

  /** @type {HTMLElement[]} */
  #marked = [];

  #version = 0;

  /** @param {HTMLElement} root @param {StoryLinks} links */
  constructor(root, links) {
    this.root = root;
    this.links = links;
    root.addEventListener("click", (event) => this.#onClick(event));
    root.addEventListener("keydown", (event) => this.#onKey(event));
  }

  clear() {
    this.#groups = [];
    this.#marked = [];
    this.root.replaceChildren();
  }

  /** @param {Line[]} lines */
  add(lines) {
    /** @type {Set<Group>} */
    const grown = new Set();
    for (const line of lines) {
      for (const sentence of line.sentences) grown.add(this.#place(line, sentence));
    }
    this.#drawGroups(grown);
  }

  drawAgain() {
    this.#drawGroups(this.#groups);
  }

  /** @param {Iterable<Group>} groups */
  #drawGroups(groups) {
    for (const group of groups) render(this.#drawGroup(group), group.element);
    this.mark(this.#version);
  }

  // Mark the sentences of a version, and scroll to them within the panel.
  /** @param {number} version */
  mark(version) {
    this.#version = version;
    for (const element of this.#marked) mark(element, false);

    const selector = `[data-version="${version}"]`;
    this.#marked = /** @type {HTMLElement[]} */ ([...this.root.querySelectorAll(selector)]);
    for (const element of this.#marked) mark(element, true);
    this.#scroll();
  }

  /** @param {Line} line @param {Sentence} sentence @returns {Group} */
  #place(line, sentence) {
    let group = this.#groups.at(-1);
    if (!group || sentence.heading) group = this.#begin(sentence.heading ?? null);

    const known = group.entries.at(-1);
    if (known?.version === line.version) {
      known.sentences.push(sentence);
    } else {
      group.entries.push({ version: line.version, time: line.time, sentences: [sentence] });
    }
    return group;
  }

  /** @param {Heading | null} heading */
  #begin(heading) {
    const element = document.createElement("section");
    element.className = `story-group story-${heading?.part ?? "turn"}`;
    this.root.append(element);
    const group = { heading, entries: [], element };
    this.#groups.push(group);
    return group;
  }

  /** @param {Group} group */
  #drawGroup({ heading, entries }) {
    return html`
      ${heading ? html`<h3>${heading.title}</h3>` : nothing}
      <ol>${entries.map((entry) => this.#drawEntry(entry))}</ol>`;
  }

  /** @param {Entry} entry */
  #drawEntry({ version, time, sentences }) {
    const address = this.links.version(version);
    const told = sentences.map(({ text, rules }) => {
      const link = html`<a class="story-sentence" tabindex="-1" href=${address}>${text}</a>`;
      return html`<p>${link}${rules.map((rule) => this.#drawRule(rule))}</p>`;
    });
    const isGone = this.links.gone.has(version);
    const title = `Version ${version}, ${moment(time)}${isGone ? ", taken back" : ""}`;
    return html`<li data-version=${version} title=${title}>
      ${isGone ? html`<del class="story-gone"><span class="unseen">Taken back: </span>${told}</del>` : told}
    </li>`;
  }

  /** @param {string} rule */
  #drawRule(rule) {
    const address = this.links.rule(rule);
    if (address === null) return html`\u00a0<span class="rule">${rule}</span>`;
    return html`\u00a0<a class="rule" tabindex="-1" href=${address} aria-label="Rule ${rule}">${rule}</a>`;
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    const isSelecting = !(window.getSelection()?.isCollapsed ?? true);
    const target = /** @type {Element} */ (event.target);
    const line = target.closest("[data-version]");
    if (!isPlain || isSelecting || target.closest("a.rule") || !(line instanceof HTMLElement))
      return;

    event.preventDefault();
    this.links.open(Number(line.dataset.version));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const line = /** @type {Element} */ (event.target).closest("[data-version]");
    if (!step || !(line instanceof HTMLElement)) return;

    event.preventDefault();
    this.links.open(Number(line.dataset.version) + step);
    this.#marked[0]?.querySelector("a")?.focus({ preventScroll: true });
  }

  #scroll() {
    const first = this.#marked[0];
    const last = this.#marked.at(-1);
    if (!first || !last) return;

    const panel = this.root.getBoundingClientRect();
    const top = first.getBoundingClientRect().top - panel.top;
    const bottom = last.getBoundingClientRect().bottom - panel.top;
    const isInView = top >= 40 && bottom <= panel.height - 40;
    if (!isInView) this.root.scrollTop += (top + bottom - panel.height) / 2;
  }
}

// Mark an entry or not. Only the links of marked ones are stops for the Tab key.
/** @param {HTMLElement} element @param {boolean} isNow */
function mark(element, isNow) {
  element.classList.toggle("story-now", isNow);
  if (isNow) element.setAttribute("aria-current", "step");
  else element.removeAttribute("aria-current");
  for (const link of element.querySelectorAll("a")) link.tabIndex = isNow ? 0 : -1;
}
