// The advice in the play panel: the button that asks for it, and what the bot would do.

import { html, nothing } from "../base/dom.js";
import { problemBox } from "../base/page.js";

/** @import { Advice, Line } from "./types.d.ts" */

/** @param {Advice["state"]} state @param {() => void} ask */
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

/** @param {Advice} advice @param {string} game */
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

export function focusAdvice() {
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
