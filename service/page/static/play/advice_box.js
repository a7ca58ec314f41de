/** The advice in the play panel: the button that asks for it, and what the bot would do. */

import { html, nothing } from "../base/dom.js";
import { problemBox } from "../base/page.js";

/** @typedef {import("../base/dom.js").Template} Template */

/**
 * A move that the bot advises.
 *
 * @typedef {object} Line
 * @property {string} text the move in words
 * @property {string} chance how likely it wins, in words
 * @property {boolean} isPicked whether it is the move that is chosen now
 * @property {() => void} pick choose it
 */

/**
 * @typedef {object} Advice
 * @property {"" | "thinking" | "ready"} state
 * @property {Line[]} lines the best move first
 * @property {unknown} problem
 */

/**
 * Draw the button that asks for advice; nothing once it is there.
 *
 * @param {Advice["state"]} state
 * @param {() => void} ask
 * @returns {Template | typeof nothing}
 */
export function drawAsk(state, ask) {
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

/**
 * Draw what was advised, or why nothing was.
 *
 * @param {Advice} advice
 * @param {string} game
 * @returns {Template | typeof nothing}
 */
export function drawAdvice({ state, lines, problem }, game) {
  if (problem) return problemBox(problem, game);
  if (state === "thinking") {
    return html`<p class="play-advice muted">The strong bot thinks …</p>`;
  }
  if (lines.length === 0) return nothing;

  return html`
    <section class="play-advice" aria-labelledby="play-advice-title">
      <h3 id="play-advice-title">What the strong bot would do</h3>
      <ol>${lines.map(drawLine)}</ol>
    </section>`;
}

/** Put the focus on the best move, if it is still on the button that has asked for it. */
export function focusAdvice() {
  if (!document.activeElement?.classList.contains("play-ask")) return;
  requestAnimationFrame(() => {
    const best = /** @type {HTMLElement | null} */ (document.querySelector(".play-advised"));
    best?.focus({ preventScroll: true });
  });
}

/** @param {Line} line @returns {Template} */
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
