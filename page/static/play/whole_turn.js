// A whole turn: tried first, then sent, its moves one after another. Sending stops if a move is
// refused or has another result than its try, if the match has moved on, or if the next step does
// not come.

import { announce } from "../base/announce.js";
import { isUnanswered } from "../base/api.js";
import { html, nothing } from "../base/dom.js";
import { problemBox } from "../base/page.js";
import { counted } from "../base/words.js";
import { happenedSince } from "./asking.js";
import { Sender } from "./sender.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Api } from "../base/api.js" */
/** @import { Frame } from "../replay/types.d.ts" */
/** @import { Trying } from "./trying.js" */
/** @import { Ending, Sent } from "./types.d.ts" */

// The end of a turn that was tried at the table: it is sent, or dropped.
/** @implements {Ending} */
export class WholeTurn {
  mark = "Tried, not sent";

  /** The result of sending, at its end. null: sending has not ended. @type {Sent | null} */
  sent = null;
  /** Why the rest was not sent, while it is tried anew. @type {Sent | null} */ before = null;
  /** "lost": no answer came. @type {"" | "sending" | "lost"} */ state = "";

  #api;
  #match;
  #sender;

  /** @param {Api} api @param {Match} match */
  constructor(api, match) {
    this.#api = api;
    this.#match = match;
    this.#sender = new Sender(api, match);
  }

  get isBusy() {
    return this.state !== "" || this.isOver;
  }

  get isOver() {
    return this.sent !== null;
  }

  /** @param {Frame} frame @param {Trying} trying */
  follow(frame, trying) {
    if (this.isBusy || frame.version <= trying.line.version) return;
    this.sent = { made: 0, of: 0, why: "moved", happened: [], problem: null };
    trying.changed();
  }

  /** @param {Trying} trying */
  title({ choosing, line, isReady }) {
    if (this.sent) return this.sent.made === this.sent.of ? "All is sent" : "Not all is sent";
    if (this.state === "sending") return "Your turn is being sent";
    if (this.state === "lost") return "No answer came";
    if (!isReady || !choosing) {
      return line.moves.length > 0 ? "Tried: your turn ends here" : "One moment";
    }
    if (choosing.draft) return "Trying: put the move together";
    if (choosing.move()) return "Trying: is this it?";
    return line.moves.length + choosing.steps > 0 ? "Trying: what next?" : "Trying: what first?";
  }

  /** @param {Trying} trying */
  drawTop({ line, parts }) {
    if (this.sent) return drawSent(this.sent, parts.match.game);
    if (this.state === "lost") {
      return html`<p role="status">
        The sent moves may have been made or not. Going on is safe: each move is made once at most.
      </p>`;
    }
    if (this.before) {
      return html`${drawSent(this.before, parts.match.game)}
        <p class="muted">Effects of the rest now:</p>`;
    }
    if (line.moves.length > 0) return nothing;
    return html`<p class="muted">Nothing of it is sent before you say so.</p>`;
  }

  /** @param {Trying} trying */
  drawEnd(trying) {
    const { line, waiting, isAsking } = trying;
    if (this.sent) return drawGoOn(() => trying.leave());
    if (this.state === "lost") return drawSendOn(() => this.send(trying));
    const number = line.moves.length;
    const isEnter = trying.choosing === null && !waiting;
    const send = html`
      <button
        type="button"
        class=${waiting ? nothing : "primary"}
        ?disabled=${isAsking || this.isBusy}
        @click=${() => this.send(trying)}
      >
        Send ${number === 1 ? "this move" : `all ${number} moves`}
        ${isEnter ? html`<kbd aria-hidden="true">Enter</kbd>` : nothing}
      </button>`;
    return html`
      ${number > 0 ? send : nothing}
      <button type="button" ?disabled=${this.isBusy} @click=${() => trying.leave()}>
        ${number > 0 ? "Drop all" : "Stop trying"}
      </button>`;
  }

  // Enter sends the turn if nothing more can be chosen.
  /** @param {Trying} trying */
  confirm(trying) {
    if (this.sent) trying.leave();
    else if (this.state === "lost") this.send(trying);
    else if (trying.choosing === null && trying.line.moves.length > 0 && !this.isBusy) {
      this.send(trying);
    } else return false;
    return true;
  }

  // Send the moves, or the rest of them after a lost answer.
  /** @param {Trying} trying */
  async send(trying) {
    if (this.state === "sending") return;
    this.state = "sending";
    trying.problem = null;
    trying.changed();

    try {
      await this.#sent(await this.#sender.send(trying.line), trying);
      this.state = "";
    } catch (failure) {
      this.state = isUnanswered(failure) ? "lost" : "";
      if (!isUnanswered(failure)) trying.problem = failure;
    }
    trying.changed();
  }

  /** @param {Sent} sent @param {Trying} trying */
  async #sent(sent, trying) {
    announce(summary(sent));
    if (sent.why === "") {
      trying.leave();
      return;
    }
    if (sent.why === "differs") {
      sent.happened = await happenedSince(this.#api, this.#match, this.#sender.lastSeen, []);
    }
    if (sent.why !== "differs" || sent.made === sent.of) {
      this.sent = sent;
      return;
    }

    // Show the effects of the rest before it is sent.
    this.before = sent;
    const rest = trying.line.moves.slice(sent.made).map(({ seat: _, ...move }) => move);
    const from = trying.line.version + trying.line.stepsBefore(sent.made);
    this.#sender = new Sender(this.#api, this.#match);
    await trying.tryAgainFrom(from, rest);
  }
}

/** @param {Sent} sent @returns {string} */
function summary({ made: number, of, why }) {
  const some = `${number} of ${counted(of, "move")} ${number === 1 ? "was" : "were"} made`;
  switch (why) {
    case "":
      return `${of === 1 ? "Your move is" : `All ${of} moves are`} made.`;
    case "differs":
      return number === of
        ? `All is made, but ${of === 1 ? "it" : "the last move"} came out otherwise than tried.`
        : `${some}. The last one came out otherwise than tried, so the rest was not sent.`;
    case "late":
      return `${some}. The next step has not come, so the rest was not sent.`;
    case "refused":
      return `${some}. The next one was refused, so the rest was not sent.`;
    default:
      return of === 0
        ? "The match has moved on, so the tried moves no longer fit. Nothing was sent."
        : `${some}. The match has moved on, so the rest was not sent.`;
  }
}

/** @param {Sent} sent @param {string} game */
function drawSent(sent, game) {
  const told = sent.happened.map(({ text }) => html`<li>${text}</li>`);
  return html`
    <div class="box play-sent" role="status">
      <p class="box-title">${summary(sent)}</p>
      ${told.length > 0 ? html`<ul class="play-preview" aria-label="What happened">${told}</ul>` : nothing}
    </div>
    ${sent.problem ? problemBox(sent.problem, game) : nothing}`;
}

/** @param {() => void} leave */
function drawGoOn(leave) {
  return html`<button type="button" class="primary" @click=${leave}>
    Go on <kbd aria-hidden="true">Enter</kbd>
  </button>`;
}

/** @param {() => void} send */
function drawSendOn(send) {
  return html`<button type="button" class="primary" @click=${send}>
    Go on sending <kbd aria-hidden="true">Enter</kbd>
  </button>`;
}
