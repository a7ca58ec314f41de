// The panel for trying moves: the tried ones, the next choices, and the end.

import { html, nothing } from "../base/dom.js";
import { problemBox } from "../base/page.js";
import { straight } from "../base/words.js";
import { drawHeld } from "../boards/place.js";
import { drawHead, drawHow, ruleLinks } from "./panel.js";

/** @import { Scene } from "../boards/types.d.ts" */
/** @import { Trying } from "./trying.js" */
/** @import { ChoicePanel, LineEvent, LineStep } from "./types.d.ts" */

const IMAGINED = "Drawn for this try alone: the match draws anew.";

/** @param {Trying} trying @param {Scene} scene @param {number} shift */
export function drawTrying(trying, scene, shift) {
  const { choosing, isReady, parts } = trying;
  const { ending } = parts;
  return html`
    <section
      class="play-panel play-turn play-trying sheet unprinted ${trying.isFolded ? "play-is-folded" : ""}"
      aria-labelledby="play-title"
      aria-busy=${trying.isAsking || ending.isBusy ? "true" : "false"}
    >
      ${drawHead(ending.title(trying), headOf(trying), nothing)}
      ${ending.isOver ? nothing : drawOwn(trying, scene)}
      <div class="play-body">
        ${ending.drawTop?.(trying) ?? nothing}
        ${ending.isOver ? nothing : drawSteps(trying)}
        ${trying.problem ? drawProblem(trying) : nothing}
        ${isReady && choosing ? drawHow(handsOf(trying, scene, shift), choosing) : nothing}
      </div>
      <div class="row play-end">
        ${trying.waiting ? drawTry(trying) : nothing} ${ending.drawEnd(trying)}
      </div>
    </section>`;
}

/** @param {Trying} trying */
function headOf(trying) {
  const fold = () => {
    trying.isFolded = !trying.isFolded;
    trying.changed();
  };
  return { isTurn: true, isFolded: trying.isFolded, fold };
}

// Draw the holdings of the next seat, with the changes by the last tried move.
/** @param {Trying} trying @param {Scene} scene */
function drawOwn(trying, scene) {
  const { line, parts, mover, showsAllHeld } = trying;
  const reader = mover ?? line.reader;
  if (reader === null) return nothing;
  const before = line.moves.length > 0 ? line.viewBefore : undefined;
  return drawHeld(parts.board, { ...scene, reader, before }, showsAllHeld, () => {
    trying.showsAllHeld = !showsAllHeld;
    trying.changed();
  });
}

// Scroll to the board if it begins far below the window's top: it shows the tried moves.
export function showBoard() {
  const top = document.querySelector(".replay-board")?.getBoundingClientRect().top ?? 0;
  if (top > window.innerHeight / 4) window.scrollBy({ top });
}

// Scroll to the last tried move, once it is drawn.
export function showLast() {
  requestAnimationFrame(() => {
    const list = document.querySelector(".play-tried");
    list?.scrollTo({ top: list.scrollHeight });
  });
}

// Return the hands of a panel for trying moves.
/** @param {Trying} trying @param {Scene} scene @param {number} shift @returns {ChoicePanel} */
function handsOf(trying, scene, shift) {
  return {
    scene,
    shift,
    choose: (key) => trying.choose(key),
    change: (draft) => trying.change(draft),
    backTo: (steps) => trying.unchoose(steps),
    shiftDigits: () => trying.shiftDigits(),
  };
}

/** @param {Trying} trying */
function drawTry(trying) {
  return html`<button type="button" class="primary" @click=${() => trying.waiting && trying.try(trying.waiting)}>
    Try this move <kbd aria-hidden="true">Enter</kbd>
  </button>`;
}

/** @param {Trying} trying */
function drawProblem({ problemInWords, parts, again }) {
  return html`
    ${problemBox(problemInWords, parts.match.game)}
    ${again ? html`<button type="button" @click=${again}>Try again</button>` : nothing}`;
}

// ---- tried moves --------------------------------------------------------------------------------

/** @param {Trying} trying */
function drawSteps(trying) {
  const { steps } = trying.line;
  if (steps.length === 0) return nothing;

  const hasImagined = steps.some(({ events }) => events.some(isImagined));
  return html`
    <ol class="play-tried" aria-label=${trying.parts.ending.mark}>
      ${steps.map((step) => drawStep(step, trying))}
    </ol>
    ${hasImagined ? html`<p class="play-hint muted">${IMAGINED}</p>` : nothing}`;
}

/** @param {LineStep} step @param {Trying} trying */
function drawStep({ move_index: index, events }, trying) {
  const { game } = trying.parts.match;
  const told = straight(events[0]?.sentence.text ?? "");
  const label = `Take back: ${told}`;
  const back = html`
    <button
      type="button"
      class="quiet play-tried-back"
      title=${label}
      aria-label=${label}
      @click=${() => trying.backTo(index ?? 0)}
    >
      <span aria-hidden="true">×</span>
    </button>`;
  const isOpen = index !== null && !trying.isAsking && !trying.parts.ending.isBusy;
  return html`<li>
    <div>${events.map((event) => drawEvent(event, game))}</div>
    ${isOpen ? back : nothing}
  </li>`;
}

/** @param {LineEvent} event @param {string} game */
function drawEvent(event, game) {
  const { text, rules } = event.sentence;
  const mark = html` <span class="play-imagined" title=${IMAGINED}>imagined</span>`;
  return html`<p>${straight(text)}${ruleLinks(rules, game)}${isImagined(event) ? mark : nothing}</p>`;
}

/** @param {LineEvent} event */
function isImagined({ drawn }) {
  return drawn !== undefined && drawn.length > 0;
}
