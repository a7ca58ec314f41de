// The story of a match as far as it was loaded, and where its turns and scorings begin.
/** @import { Line, Source } from "./types.d.ts" */

const PIECE = 500; // lines that are asked for at once; the source may give fewer

export class Told {
  /** @type {Line[]} */
  lines = [];

  /** @type {number[]} */
  turns = [];

  /** @type {number[]} */
  scorings = [];

  /** The loading that goes on, and those that wait for it. @type {Promise<unknown>} */
  #loading = Promise.resolve();

  /** @param {Source} source */
  constructor(source) {
    this.source = source;
  }

  /**
   * Load what is not there yet. Of two loadings the second begins where the first has ended.
   * @param {(lines: Line[]) => void} added
   */
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

      const lines = await this.source.story(after, PIECE);
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
