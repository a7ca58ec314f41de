// The board of a replay: the view of a frame, with what has changed in it and what can be picked.

import { html, render } from "../base/dom.js";
import { changedPlaces } from "../boards/board.js";

/** @import { Board, Scene, Seat } from "../boards/types.d.ts" */
/** @import { Frame, Player } from "./types.d.ts" */

const NO_PLACES = /** @type {ReadonlySet<string>} */ (new Set());

export class BoardPane {
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
      view,
      seats,
      reader: this.reader,
      targets: player?.targets() ?? NO_PLACES,
      picked: player?.picked() ?? NO_PLACES,
      changed: old && view ? changedPlaces(this.board, old, view) : NO_PLACES,
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
