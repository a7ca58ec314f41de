// The advice of a strong bot in the play panel. Only matches with advice (M14) load this module.

import { announce } from "../base/announce.js";
import { Problem } from "../base/api.js";
import { html, nothing } from "../base/dom.js";
import { paths } from "../base/home.js";
import { problemBox } from "../base/page.js";
import { rest } from "../base/stream.js";
import { chanceInWords, movesInWords } from "../boards/board.js";
import { isSameMove } from "./paths.js";

/** @import { Api } from "../base/api.js" */
/** @import { AdviceParts, Advised, Candidate, Drawn, Line, Position } from "./types.d.ts" */

export class Advice {
  #advising;

  /** @param {AdviceParts} parts */
  constructor(parts) {
    this.parts = parts;
    this.#advising = new Advising(parts.api);
  }

  stop() {
    this.#advising.stop();
  }

  /** @param {Position} position @returns {Drawn} */
  draw(position) {
    const { state, best, problem } = this.#advising;
    const texts = this.#texts(position);
    const lines = best.map(({ move, win_chance: chance }, index) => ({
      text: texts[index] ?? "",
      chance: chanceInWords(chance),
      isPicked: isSameMove(move, position.chosen),
      pick: () => this.parts.take(move),
    }));

    return {
      button: drawAsk(state, () => this.#ask(position)),
      answer: drawAdvice({ state, lines, problem }, position.match.game),
    };
  }

  /** @param {Position} position */
  async #ask(position) {
    const asked = this.#advising.ask(position.match.match, position.version);
    announce("A bot thinks about it.");
    this.parts.changed();

    const isNews = await asked;
    if (!isNews) return;

    const { best } = this.#advising;
    const texts = this.#texts(position);
    const told = best.map(({ win_chance: chance }, index) => {
      return `${texts[index]}: ${chanceInWords(chance)}.`;
    });
    announce(told.join(" "));
    focusAdvice();
    this.parts.changed();
  }

  /** @param {Position} position */
  #texts({ scene }) {
    const moves = this.#advising.best.map(({ move }) => move);
    return movesInWords(moves, this.parts.board, scene);
  }
}

// ---- the advice in the play panel ---------------------------------------------------------------

/** @param {Advised["state"]} state @param {() => void} ask */
function drawAsk(state, ask) {
  if (state === "ready") return nothing;
  const isIdle = state === "";
  return html`
    <button
      type="button"
      class="quiet play-ask"
      aria-disabled=${isIdle ? "false" : "true"}
      @click=${() => isIdle && ask()}
    >
      Advice
    </button>`;
}

/** @param {Advised} advice @param {string} game */
function drawAdvice({ state, lines, problem }, game) {
  if (problem) return problemBox(problem, game);
  if (state === "thinking") {
    return html`<p class="play-advice muted">The strong bot thinks …</p>`;
  }
  if (lines.length === 0) return nothing;

  return html`
    <section class="play-advice" aria-labelledby="play-advice-title">
      <h3 id="play-advice-title">Moves of the strong bot</h3>
      <ol>${lines.map(drawLine)}</ol>
    </section>`;
}

function focusAdvice() {
  if (!document.activeElement?.classList.contains("play-ask")) return;
  requestAnimationFrame(() => {
    const best = /** @type {HTMLElement | null} */ (document.querySelector(".play-advised"));
    best?.focus({ preventScroll: true });
  });
}

/** @param {Line} line */
function drawLine({ text, chance, isPicked, pick }) {
  return html`
    <li>
      <button
        type="button"
        class="play-advised"
        aria-pressed=${isPicked ? "true" : "false"}
        @click=${pick}
      >
        <span>${text}</span> <small class="numbers">${chance}</small>
      </button>
    </li>`;
}

// ---- asking a strong bot, if the match allows it (m14) ------------------------------------------

const MOST_READS = 60; // of one advice
const PAUSE = 1; // seconds between two reads, if the service names none

const NO_ANSWER = {
  title: "No advice has come",
  detail: "The bot that gives it has not answered for a minute. You can ask again.",
};

// Return true if the match has moved on since the question: its advice is deleted.
/** @param {unknown} failure */
function isGone(failure) {
  return failure instanceof Problem && failure.status === 404;
}

export class Advising {
  /** @type {"" | "thinking" | "ready"} */ state = "";
  /** @type {Candidate[]} */
  best = [];
  /** @type {unknown} */
  problem = null;

  #api;
  #asking = new AbortController();

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
  }

  stop() {
    this.#asking.abort();
    this.state = "";
    this.best = [];
    this.problem = null;
  }

  /** @param {string} match @param {number} version */
  async ask(match, version) {
    this.stop();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    this.state = "thinking";

    try {
      const best = await this.#answer(match, version, signal);
      if (signal.aborted) return false;
      this.best = best ?? [];
      this.state = best ? "ready" : "";
    } catch (failure) {
      if (signal.aborted) return false;
      this.problem = isGone(failure) ? null : failure;
      this.state = "";
    }
    return true;
  }

  /**
   * @param {string} match @param {number} version @param {AbortSignal} signal
   * @returns {Promise<Candidate[] | null>} null: the match has moved on
   */
  async #answer(match, version, signal) {
    const path = paths.match(match, "advice");
    await this.#api.post(path, undefined, { signal });
    for (let reads = 0; reads < MOST_READS; reads += 1) {
      const { value, status, retryAfter } = await this.#api.get(path, { signal });
      if (value.version !== version) return null;
      if (status === 200) return value.best;
      await rest(1000 * (retryAfter ?? PAUSE), signal);
    }
    throw new Problem(504, NO_ANSWER);
  }
}
