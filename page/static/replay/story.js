// The loaded story of a match, and its panel.

import { html, nothing, render } from "../base/dom.js";
import { moment } from "../base/words.js";

/** @import { Entry, Group, Heading, Line, Sentence, Source, StoryLinks } from "./types.d.ts" */

const LINES_AT_ONCE = 500; // lines in one request. The source may send fewer

export class Told {
  /** @type {Line[]} */
  lines = [];

  /** @type {number[]} */
  turns = [];

  /** @type {number[]} */
  scorings = [];

  /** The versions whose moves were taken back (M17). @type {Set<number>} */
  gone = new Set();

  /** The current loading, with the waiting ones. @type {Promise<unknown>} */
  #loading = Promise.resolve();

  /** @param {Source} source */
  constructor(source) {
    this.source = source;
  }

  // Load the missing lines. Of two loadings the second begins at the end of the first.
  /** @param {(lines: Line[]) => void} added */
  extend(added) {
    const loaded = this.#loading.catch(() => {}).then(() => this.#extend(added));
    this.#loading = loaded;
    return loaded;
  }

  /** @param {(lines: Line[]) => void} added */
  async #extend(added) {
    while (true) {
      const after = this.lines.at(-1)?.version ?? 0;
      if (after >= this.source.lastVersion) return;

      const lines = await this.source.story(after, LINES_AT_ONCE);
      if (lines.length === 0) return;
      this.#keep(lines);
      added(lines);
    }
  }

  /** @param {number} version @returns {Line | undefined} */
  line(version) {
    return this.lines[version - 1];
  }

  /** @param {Line[]} lines */
  #keep(lines) {
    for (const line of lines) {
      this.lines.push(line);
      if (line.taken_back) this.gone.add(line.version);
      const parts = new Set(line.sentences.map(({ heading }) => heading?.part));
      const ends = parts.has("end");
      if (ends || parts.has("turn") || parts.has("setup")) this.turns.push(line.version);
      if (ends || parts.has("scoring")) this.scorings.push(line.version);
    }
  }
}

/** @param {Line | undefined} line @returns {string} */
export function textOf(line) {
  return line?.sentences.map(({ text }) => text).join(" ") ?? "";
}

// ---- the story beside the board -----------------------------------------------------------------

// Draws the story, by groups of lines.
export class StoryPanel {
  /** @type {Group[]} */
  #groups = [];

  /** @type {HTMLElement[]} */
  #marked = [];

  #version = 0;

  /** The version of the reader's last move. @type {number | null} */
  #since = null;

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

  // Draw a line between the reader's last move and the later ones. null: none.
  /** @param {number | null} since the version of the move */
  divide(since) {
    if (since === this.#since) return;
    const before = this.#divided();
    this.#since = since;
    this.#drawGroups(new Set([before, this.#divided()].flatMap((group) => group ?? [])));
  }

  // Return the group that has the line in it or before it.
  #divided() {
    const since = this.#since;
    if (since === null) return undefined;
    return this.#groups.find(({ entries }) => (entries.at(-1)?.version ?? 0) > since);
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
  #drawGroup(group) {
    const { heading, entries } = group;
    const since = group === this.#divided() ? this.#since : null;
    const first = since === null ? -1 : entries.findIndex(({ version }) => version > since);
    const items = entries.map((entry, index) => {
      const line = first > 0 && index === first ? html`<li>${this.#drawLine()}</li>` : nothing;
      return html`${line}${this.#drawEntry(entry)}`;
    });
    return html`
      ${first === 0 ? this.#drawLine() : nothing}
      ${heading ? html`<h3>${heading.title}</h3>` : nothing}
      <ol>${items}</ol>`;
  }

  #drawLine() {
    return html`<p class="story-since">
      <span>Since your last move</span>
      <button type="button" class="quiet" @click=${this.links.again}>Show again</button>
    </p>`;
  }

  /** @param {Entry} entry */
  #drawEntry({ version, time, sentences }) {
    const address = this.links.version(version);
    const told = sentences.map(({ text, rules }) => {
      const link = html`<a class="story-sentence" tabindex="-1" href=${address}>${text}</a>`;
      return html`<p>${link}${rules.map((rule) => this.#drawRule(rule))}</p>`;
    });
    const isGone = this.links.gone.has(version);
    const title = `Move ${version}, ${moment(time)}${isGone ? ", taken back" : ""}`;
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
