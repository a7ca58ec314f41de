// The states of a match by version, loaded in pieces around where one looks.

import { paths } from "../base/home.js";
import { seatNames, straightLines } from "../base/words.js";

/** @import { Api } from "../base/api.js" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Frame, Line, Source } from "./types.d.ts" */

const PIECE = 100; // versions that are loaded at once
const AHEAD = 40; // how near the end of a piece the next one is loaded
const MOST = 10; // pieces that are loaded in the background; a match has three or four

export class Frames {
  /** @type {Map<number, Frame>} */
  #known = new Map();

  /** @type {Map<number, Promise<void>>} */
  #coming = new Map();

  #isGathering = false;

  /** @param {Source} source */
  constructor(source) {
    this.source = source;
    this.newest = source.lastVersion;
  }

  /** @param {number} version @returns {Frame | undefined} */
  get(version) {
    return this.#known.get(version);
  }

  // Load one version and the one before it, to have something to show soon.
  /** @param {number} version */
  async first(version) {
    await this.#span(Math.max(0, version - 2), version);
  }

  /** @param {number} version @returns {Promise<Frame>} */
  async load(version) {
    if (!this.#known.has(version)) await this.#piece(pieceOf(version));

    // The piece may have been on its way since before the match had this version.
    if (!this.#known.has(version)) await this.#span(version - 1, version);
    const frame = this.#known.get(version);
    if (!frame) throw new Error(`There is no version ${version}.`);
    return frame;
  }

  /** @param {number} version */
  prefetch(version) {
    const near = [version, version - 1, version + AHEAD, version - AHEAD];
    for (const wanted of near) {
      const exists = wanted >= 1 && wanted <= this.newest;
      if (exists && !this.#known.has(wanted)) this.#piece(pieceOf(wanted)).catch(() => {});
    }
  }

  // Load the match in the background, piece by piece, for one who has begun to go through it and
  // may go anywhere next: a version that is there is shown ten times as fast.
  /** @param {number} version */
  async gather(version) {
    if (this.#isGathering) return;
    this.#isGathering = true;
    try {
      for (const piece of this.#piecesAround(pieceOf(version))) await this.#piece(piece);
    } catch {
      // Whoever looks at a version that did not come asks for it again, and is told why.
    } finally {
      this.#isGathering = false;
    }
  }

  // Return the pieces that are not there yet, the nearest first; no more than MOST.
  /** @param {number} middle */
  #piecesAround(middle) {
    const missing = [];
    for (let piece = 0; piece <= pieceOf(this.newest); piece += 1) {
      const last = Math.min((piece + 1) * PIECE, this.newest);
      const isThere = this.#known.has(piece * PIECE + 1) && this.#known.has(last);
      if (!isThere) missing.push(piece);
    }
    const distance = (/** @type {number} */ piece) => Math.abs(piece - middle);
    return missing.sort((one, other) => distance(one) - distance(other)).slice(0, MOST);
  }

  // Load what has been added to the match, up to the last version that the source knows of.
  async extend() {
    const last = this.source.lastVersion;
    await this.#span(this.newest, last);
    this.newest = last;
  }

  /** @param {number} piece */
  #piece(piece) {
    const known = this.#coming.get(piece);
    if (known) return known;

    const after = piece * PIECE;
    const until = Math.min(after + PIECE, this.newest);
    const coming = this.#span(after, until).finally(() => this.#coming.delete(piece));
    this.#coming.set(piece, coming);
    return coming;
  }

  // Load the versions after one, up to another. The source may give them in several portions.
  /** @param {number} after @param {number} until */
  async #span(after, until) {
    let reached = after;
    while (reached < until) {
      const frames = await this.source.states(reached, Math.min(until - reached, PIECE));
      this.#keep(frames);
      const newest = frames.at(-1)?.version;
      if (newest === undefined) return;
      reached = newest;
    }
  }

  /** @param {Frame[]} frames */
  #keep(frames) {
    for (const frame of frames) this.#known.set(frame.version, frame);
  }
}

/** @param {number} version */
function pieceOf(version) {
  return Math.floor((version - 1) / PIECE);
}

// ---- where a replay comes from ------------------------------------------------------------------

export class ApiSource {
  /**
   * @param {Api} api @param {string} match @param {number} lastVersion
   * @param {number | null} eyes the seat with whose eyes to look; null: with one's own
   */
  constructor(api, match, lastVersion, eyes) {
    this.api = api;
    this.match = match;
    this.lastVersion = lastVersion;
    this.eyes = eyes;
  }

  /** @returns {Promise<Seat[]>} */
  async seats() {
    const { value } = await this.api.get(paths.match(this.match));
    return seatNames(value.seats);
  }

  /** @param {number} after @param {number} limit @returns {Promise<Frame[]>} */
  async states(after, limit) {
    const query = { after, limit, seat: this.eyes };
    const { value } = await this.api.get(paths.match(this.match, "states"), { query });
    return value.states;
  }

  /** @param {number} after @param {number} limit @returns {Promise<Line[]>} */
  async story(after, limit) {
    const query = { after, limit, seat: this.eyes };
    const { value } = await this.api.get(paths.match(this.match, "story"), { query });
    return straightLines(value.lines);
  }
}

// ---- the story of a match as far as it was loaded, and where its turns and scorings begin -------

const LINES_AT_ONCE = 500; // lines that are asked for at once; the source may give fewer

export class Told {
  /** @type {Line[]} */
  lines = [];

  /** @type {number[]} */
  turns = [];

  /** @type {number[]} */
  scorings = [];

  /** The versions whose moves were taken back (M17). @type {Set<number>} */
  gone = new Set();

  /** The loading that goes on, and those that wait for it. @type {Promise<unknown>} */
  #loading = Promise.resolve();

  /** @param {Source} source */
  constructor(source) {
    this.source = source;
  }

  // Load what is not there yet. Of two loadings the second begins where the first has ended.
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
