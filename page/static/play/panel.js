// The play panel: the next choices, the effects of the chosen move, and failures.

import { Problem } from "../base/api.js";
import { fieldOf, html, nothing } from "../base/dom.js";
import { rulesAddress } from "../base/home.js";
import { problemBox } from "../base/page.js";
import { listed } from "../base/words.js";
import { foldButton } from "../boards/place.js";
import { drawChoices } from "./choices.js";

/** @import { Template } from "../base/types.d.ts" */
/** @import { Scene } from "../boards/types.d.ts" */
/** @import { Choosing } from "./choosing.js" */
/** @import { ChoicePanel, Draft, Panel, Preview, Sentence } from "./types.d.ts" */
/** @import { Frame } from "../replay/types.d.ts" */

const MOST_NEWS = 8;

/** @param {Panel} panel */
export function drawPanel(panel) {
  const isPlayed = panel.frame === null || panel.frame.status === "running";
  if (!isPlayed) return html``;

  const choosing = panel.isReady ? panel.choosing : null;
  const classes = `${panel.isTurn ? "play-turn" : ""} ${panel.isFolded ? "play-is-folded" : ""}`;
  return html`
    <section class="play-panel sheet unprinted ${classes}" aria-labelledby="play-title">
      ${drawHead(titleOf(panel), panel, panel.advice?.button ?? nothing)}
      ${panel.held}
      <div class="play-body">
        ${panel.hint}
        ${drawNews(panel)}
        ${panel.problem ? drawProblem(panel) : nothing}
        ${panel.advice?.answer ?? nothing}
        ${choosing ? drawChoosing(panel, choosing) : nothing}
        ${panel.sending === "lost" ? drawLost(panel) : nothing}
        ${panel.isTurn ? drawWays(panel) : nothing}
      </div>
      ${choosing?.move() ? drawEnd(panel, choosing) : nothing}
    </section>
  `;
}

// Draw other ways to move: without being asked, or only after a try of the whole turn.
/** @param {Panel} panel */
function drawWays({ isQuick, setQuick, isReady, tryTurn }) {
  const onChange = (/** @type {Event} */ event) => setQuick(fieldOf(event).checked);
  const trying = html`<button type="button" class="quiet play-try" @click=${tryTurn}>
    Try a whole turn
  </button>`;
  return html`<p class="play-quick">
    <input id="play-quick" type="checkbox" .checked=${isQuick} @change=${onChange} />
    <label for="play-quick">Make simple moves without asking</label>
    ${isReady ? trying : nothing}
  </p>`;
}

// Draw the stand-in of the panel while the board does not show the present yet.
export function drawBehind() {
  return html`
    <section class="play-panel sheet unprinted" aria-labelledby="play-title">
      <div class="play-head"><h2 id="play-title" tabindex="-1">Others move</h2></div>
      <p class="muted">Your choices come with the last of their moves.</p>
    </section>`;
}

export function focusPanel() {
  requestAnimationFrame(() => {
    const title = /** @type {HTMLElement | null} */ (document.querySelector("#play-title"));
    title?.focus({ preventScroll: true });
  });
}

/** @param {Panel} panel */
function titleOf({ frame, isTurn, isReady, choosing, preview, isBlind, sending, scene }) {
  if (frame === null) return "The match is being read";
  if (!isTurn) return `Waiting for ${listed(waitedFor(frame, scene))}`;
  if (sending === "sending") return "Your move is being made";
  if (sending === "lost") return "No answer came";
  if (!isReady || !choosing) return "One moment";
  if (choosing.draft) return "Your turn: put the move together";
  if (choosing.alternatives().length > 0) {
    return choosing.steps === 0 ? "Your turn: what do you do?" : "Your turn: what next?";
  }
  return preview || isBlind ? "Your turn: is this what you want?" : "Your turn: a look ahead";
}

/** @param {Frame} frame @param {Scene} scene */
function waitedFor({ waiting_for: waiting }, { seats }) {
  const names = waiting.seats
    .concat(waiting.bots ?? [])
    .map((seat) => seats[seat]?.name ?? "a player");
  return waiting.house || names.length === 0 ? ["the next step"] : [...new Set(names)];
}

/** @param {Panel} panel @param {Choosing} choosing */
function drawChoosing(panel, choosing) {
  return html`
    ${drawHow(panel, choosing)}
    ${choosing.move() ? drawMove(panel, choosing) : nothing}
  `;
}

// Draw the making of a move: the choices so far, and the next ones.
/** @param {ChoicePanel} panel @param {Choosing} choosing */
export function drawHow(panel, choosing) {
  const composed = choosing.draft ?? choosing.adjusting;
  return html`
    ${drawLead(choosing)}
    ${drawTrail(panel, choosing)}
    ${drawChoices(panel, choosing)}
    ${composed ? drawDraft(panel, composed) : nothing}
  `;
}

/** @param {ChoicePanel} panel @param {Choosing} choosing */
function drawTrail({ backTo }, choosing) {
  const trail = choosing.trail();
  if (trail.length === 0) return nothing;

  const steps = trail.map((text, step) => {
    const label = `Take back: ${text}`;
    return html`
      <li>
        <button type="button" class="play-step" title=${label} @click=${() => backTo(step)}>
          <span class="unseen">Take back:</span> ${text} <span aria-hidden="true">×</span>
        </button>
      </li>`;
  });
  return html`<ol class="play-trail" aria-label="Your choices so far">${steps}</ol>`;
}

/** @param {Choosing} choosing */
function drawLead(choosing) {
  const lead = choosing.lead();
  return lead.length > 0 ? html`<p class="play-lead">${lead.join(", ")}</p>` : nothing;
}

/** @param {ChoicePanel} panel @param {Draft} draft */
function drawDraft({ scene, change }, { composer, value, beyond }) {
  const problem = composer.problem(value, beyond);

  return html`
    <div class="play-composer">${composer.draw(value, beyond, scene, change)}</div>
    ${problem ? html`<p class="play-unfinished" role="status">${problem}</p>` : nothing}
  `;
}

/** @param {Panel} panel @param {Choosing} choosing */
function drawMove(panel, choosing) {
  const { preview, game } = panel;
  return html`
    ${choosing.isForced ? html`<p class="muted">No other move is legal now.</p>` : nothing}
    ${preview ? drawPreview(preview, game) : drawAwaited(panel)}
  `;
}

/** @param {Panel} panel */
function drawAwaited({ isBlind, lookAgain }) {
  if (!isBlind) return html`<p class="muted">Asking for its effects …</p>`;
  return html`
    <div class="play-blind row" role="status">
      <span>Its effects did not come, and are asked for again. You can make the move without them.</span>
      <button type="button" @click=${lookAgain}>Try again</button>
    </div>`;
}

/** @param {Panel} panel @param {Choosing} choosing */
function drawEnd({ preview, isBlind, send, backTo }, choosing) {
  return html`
    <div class="row play-end">
      <button type="button" class="primary" ?disabled=${!preview && !isBlind} @click=${send}>
        Make this move <kbd aria-hidden="true">Enter</kbd>
      </button>
      ${choosing.steps === 0 ? nothing : drawBack(choosing, backTo)}
    </div>
  `;
}

/** @param {Choosing} choosing @param {(steps: number) => void} backTo */
function drawBack(choosing, backTo) {
  return html`
    <button type="button" @click=${() => backTo(choosing.steps - 1)}>
      Back <kbd aria-hidden="true">Esc</kbd>
    </button>`;
}

/** @param {Preview} preview @param {string} game */
function drawPreview({ sentences, isOpen }, game) {
  return html`
    <ul class="play-preview" aria-label="Effects of this move">
      ${sentences.map((sentence) => drawSentence(sentence, game))}
    </ul>
    ${isOpen ? html`<p class="muted">The rest is for chance to decide.</p>` : nothing}
  `;
}

/** @param {Sentence} sentence @param {string} game */
function drawSentence({ text, rules }, game) {
  return html`<li>${text}${ruleLinks(rules, game)}</li>`;
}

/** @param {string[]} rules @param {string} game */
export function ruleLinks(rules, game) {
  return rules.map((rule) => html` <a class="rule" href=${rulesAddress(game, rule)}>${rule}</a>`);
}

/** @param {Panel} panel */
function drawNews({ news, game }) {
  if (news.length === 0) return nothing;

  return html`
    <div class="box" role="status">
      <p class="box-title">Meanwhile the match has moved on</p>
      <ul class="play-preview">
        ${news.slice(-MOST_NEWS).map((sentence) => drawSentence(sentence, game))}
      </ul>
      <p>Your move was not made. Choose anew.</p>
    </div>
  `;
}

/** @param {Panel} panel */
function drawProblem({ problem, game, choosing, sending, reload }) {
  const isUnread = choosing === null && sending === "";

  return html`
    ${isRefusal(problem) ? drawRefusal(problem, game) : problemBox(problem, game)}
    ${isUnread ? html`<button type="button" @click=${reload}>Try again</button>` : nothing}
  `;
}

/** @param {unknown} problem @returns {problem is Problem} true: the rules do not allow a move */
function isRefusal(problem) {
  return problem instanceof Problem && problem.rule !== null;
}

// Draw the reason in one sentence, with the rule. The choices below it are the legal ones.
/** @param {Problem} problem @param {string} game */
function drawRefusal({ detail, rule, body }, game) {
  const [sentence = ""] = detail.split(/(?<=[.!?])\s/, 1);
  const reason = sentence.replace(/(?::|;) .*$/, ".");
  const address = body.rule_url ?? rulesAddress(game, rule ?? "");
  return html`<p class="box box-bad play-refusal" role="alert">
    ${reason} <a class="rule" href=${address}>${rule}</a>
  </p>`;
}

/** @param {Panel} panel */
function drawLost({ send }) {
  return html`
    <p>Your move may have been made or not. Sending it again is safe: it is made once at most.</p>
    <button type="button" class="primary" @click=${send}>
      Send it again <kbd aria-hidden="true">Enter</kbd>
    </button>
  `;
}

// ---- the head of the play panel -----------------------------------------------------------------

// The marks on the board: changed places come before pickable ones.
const MARKED = [".replay-previewed .place.changed", ".place.target", ".place.picked"];

// Begins titles on the reader's turn. A small screen has no room for it.
const YOURS = "Your turn: ";

const CALM = window.matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @param {string} title @param {{ isTurn: boolean, isFolded: boolean, fold: () => void }} sheet
 * @param {Template | typeof nothing} more
 */
export function drawHead(title, { isTurn, isFolded, fold }, more) {
  const ways = html`
    <div class="play-ways">
      <button type="button" class="quiet" @click=${showOnBoard}>
        Show<span class="unseen"> on the board</span>
      </button>
      ${foldButton("The whole panel", !isFolded, fold)}
    </div>`;
  const whose = title.startsWith(YOURS) ? YOURS : "";
  return html`
    <div class="play-head">
      <h2 id="play-title" tabindex="-1">
        <span class="play-whose">${whose}</span>${title.slice(whose.length)}
      </h2>
      ${more} ${isTurn ? ways : nothing}
    </div>`;
}

// Scroll to the next marked place of the board that is out of sight or behind the panel.
function showOnBoard() {
  const board = document.querySelector(".replay-board");
  const panel = document.querySelector(".play-panel");
  if (!board || !panel) return;

  const top = 0;
  const bottom = Math.min(panel.getBoundingClientRect().top, window.innerHeight);
  const found = MARKED.map((marked) => [...board.querySelectorAll(marked)]);
  const places = found.find((elements) => elements.length > 0) ?? [];
  const boxes = places.map((element) => element.getBoundingClientRect());
  const hidden = boxes.filter((box) => box.top < top || box.bottom > bottom);
  const next = hidden.find((box) => box.bottom > bottom) ?? hidden[0];
  if (!next) return;

  const middle = (top + bottom) / 2;
  const behavior = CALM.matches ? "auto" : "smooth";
  window.scrollBy({ top: (next.top + next.bottom) / 2 - middle, behavior });
}
