// The states of a match by version, loaded in pieces around the shown version, and their board.

import { copy } from "../base/announce.js";
import { html, nothing, render } from "../base/dom.js";
import { paths } from "../base/home.js";
import { moment, possessive, seatNames, straightLines } from "../base/words.js";
import { changedPlaces } from "../boards/place.js";

/** @import { Api } from "../base/api.js" */
/** @import { Scene, Seat } from "../boards/types.d.ts" */
/** @import { Frame, Line, Player, Source, ViewerParts } from "./types.d.ts" */

const PIECE = 100; // versions in one request
const AHEAD = 40; // versions on both sides of the shown one that are loaded with it
const MOST = 10; // pieces that are loaded in the background

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

  // Load one version and the one before it, for a first picture soon.
  /** @param {number} version */
  async first(version) {
    await this.#span(Math.max(0, version - 2), version);
  }

  /** @param {number} version @returns {Promise<Frame>} */
  async load(version) {
    if (!this.#known.has(version)) await this.#piece(pieceOf(version));

    // The request for the piece may be older than this version.
    if (!this.#known.has(version)) await this.#span(version - 1, version);
    const frame = this.#known.get(version);
    if (!frame) throw new Error(`There is no move ${version}.`);
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

  // Load the match in the background, piece by piece, once the reader has begun to go through it and
  // may go anywhere next: a loaded version needs no request.
  /** @param {number} version */
  async gather(version) {
    if (this.#isGathering) return;
    this.#isGathering = true;
    try {
      for (const piece of this.#piecesAround(pieceOf(version))) await this.#piece(piece);
    } catch {
      // A look at a missing version requests it again, and shows the reason.
    } finally {
      this.#isGathering = false;
    }
  }

  // Return the missing pieces, the nearest first, at most MOST.
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

  // Load the versions added to the match, up to the last one of the source.
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

  // Load the versions after one, up to another. The source may send them in several portions.
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

// ---- the source of a replay ---------------------------------------------------------------------

export class ApiSource {
  /**
   * @param {Api} api @param {string} match @param {number} lastVersion
   * @param {number | null} eyes the viewing seat; null: the reader's own view
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

// ---- the board of a replay ----------------------------------------------------------------------

const NO_PLACES = /** @type {ReadonlySet<string>} */ (new Set());

// Return a view with the ranks of the match in place of the game's: resigned seats rank last (M16).
/** @param {object | null} view @param {Frame} frame @returns {object | null} */
function resultShown(view, { outcome }) {
  const { ranks } = /** @type {{ ranks?: number[] | null }} */ (view ?? {});
  return outcome?.resigned && ranks?.length ? { ...view, ranks: outcome.ranks } : view;
}

export class BoardPane {
  /** @type {{ frame: Frame, before: Frame | undefined, seats: Seat[], scene: Scene } | null} */
  #looked = null;

  /**
   * @param {HTMLElement} root
   * @param {Pick<ViewerParts, "board" | "reader" | "ruleAddress">} parts
   */
  constructor(root, { board, reader, ruleAddress }) {
    this.root = root;
    this.board = board;
    this.reader = reader;
    this.ruleAddress = ruleAddress;
  }

  /**
   * @param {Frame} frame @param {Frame | undefined} before @param {Seat[]} seats
   * @param {Player | null} player @returns {Scene}
   */
  draw(frame, before, seats, player) {
    this.root.removeAttribute("aria-busy");

    // Without a player the same frame looks the same. The story of a live move comes after its states,
    // and must not draw the board again: that is slow.
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
    const view = resultShown(preview ? preview.view : frame.state, frame);
    const old = preview
      ? (preview.since ?? frame.state)
      : before && resultShown(before.state, before);
    const isNext = preview !== null && preview.since === undefined;
    /** @type {Scene} */
    const scene = {
      view: view ?? {},
      seats,
      reader: preview?.reader ?? this.reader,
      targets: player?.targets() ?? NO_PLACES,
      picked: player?.picked() ?? NO_PLACES,
      changed: old && view ? changedPlaces(this.board, old, view) : NO_PLACES,
      before: isNext ? (frame.state ?? undefined) : undefined,
      rule: this.ruleAddress,
      pick: (place) => player?.pick(place),
    };

    render(view ? this.board.draw(scene) : notBegun(frame), this.root);
    const mark = preview ? (preview.mark ?? "Not made yet") : "";
    this.root.classList.toggle("replay-previewed", mark !== "");
    this.root.dataset.mark = mark;
    return scene;
  }

  // The frame to draw is still under way. The last one stays in sight.
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

// ---- the proof of a version ---------------------------------------------------------------------

/** @param {Frame} frame @param {boolean} isGone @param {string} signed the signer, in words */
export function drawStamp({ version, time, hash }, isGone, signed) {
  return html`
    <p class="replay-time numbers">
      Move ${version}, <time datetime=${time}>${moment(time)}</time>${isGone ? ", taken back" : ""}
    </p>
    ${signed ? html`<p class="replay-signed">${signed}</p>` : nothing}
    ${hash ? drawHash(hash) : nothing}`;
}

// Say if a seat with a key has signed a commit (M18).
/** @param {Line | undefined} line @param {Seat[]} seats */
export function signedInWords(line, seats) {
  if (line?.signed === undefined) return "";
  const name = seats[Number(line.actor.slice("seat:".length))]?.name ?? line.actor;
  return line.signed
    ? `Signed by ${possessive(name)} key`
    : `Not signed by ${name}: a bot moved here`;
}

/** @param {string} hash */
function drawHash(hash) {
  /** @param {Event} event */
  function onCopy(event) {
    copy(hash, /** @type {HTMLElement} */ (event.currentTarget));
  }

  return html`<details class="replay-hash">
    <summary>Fingerprint</summary>
    <code>${hash}</code>
    <button type="button" @click=${onCopy}>Copy</button>
  </details>`;
}
