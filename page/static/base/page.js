// Common parts of all pages: the shell, boxes for problems, and the title and icon of the tab.

import { counting, NetworkFailure, Problem } from "./api.js";
import { html, nothing, render } from "./dom.js";
import { addressOf, rulesAddress } from "./home.js";
import { mayPlayAgain } from "./tokens.js";

/** @import { Question, Template, TrustedTypes } from "./types.d.ts" */

const ICONS = new URL("../icons/", import.meta.url).href;

// Complete the shell: a link for the keyboard past the header, and a mark at the current
// page in the navigation.
/** @returns {HTMLElement} */
export function dressPage() {
  const main = /** @type {HTMLElement} */ (document.querySelector("#page"));
  main.tabIndex = -1;
  main.replaceChildren();
  if (document.querySelector(".page-skip")) return main;
  window.addEventListener("storage-full", tellFullStorage);

  for (const way of document.querySelectorAll(".page-nav a")) {
    const isHere = way.getAttribute("href") === window.location.pathname;
    if (isHere) way.setAttribute("aria-current", "page");
  }

  const skip = document.createElement("a");
  skip.className = "page-skip";
  skip.href = "#page";
  skip.textContent = "Skip to the page";
  skip.addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  document.body.prepend(skip);
  return main;
}

/** @param {number} turns number of matches with the reader's turn */
export function turnsInWords(turns) {
  return turns === 1 ? "Your turn" : `Your turn in ${turns} matches`;
}

/** @param {string} title @param {boolean} [isTurn] */
export function nameTab(title, isTurn = false) {
  document.title = title;
  const href = `${ICONS}${isTurn ? "icon-turn.svg" : "icon.svg"}`;
  let icon = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel~=icon]"));
  if (!icon) {
    icon = document.createElement("link");
    icon.rel = "icon";
    document.head.append(icon);
  }
  if (icon.getAttribute("href") !== href) icon.href = href;
}

/** @param {unknown} problem @param {string} [game] */
export function problemBox(problem, game = "") {
  if (!(problem instanceof Problem)) return otherBox(problem);

  const { rule } = problem;
  const address = problem.body.rule_url ?? (rule ? rulesAddress(game, rule) : "");
  return html`
    <div class="box box-bad" role="alert">
      <p class="box-title">${problem.title}</p>
      <p>${problem.detail} ${rule ? html`<a class="rule" href=${address}>${rule}</a>` : nothing}</p>
      ${problem.errors.length > 0 ? wrongPlaces(problem) : nothing}
      ${problem.retryAfter ? html`<p>Try again in ${problem.retryAfter} seconds.</p>` : nothing}
    </div>`;
}

/** @param {Problem} problem */
function wrongPlaces({ errors }) {
  const lines = errors.map((one) => {
    const place = "parameter" in one ? one.parameter : one.pointer;
    return html`<li>${place ? html`<code>${place}</code>: ` : nothing}${one.detail}</li>`;
  });
  return html`<ul>${lines}</ul>`;
}

/** @param {unknown} failure */
function otherBox(failure) {
  const isAway = failure instanceof NetworkFailure;
  const title = isAway ? "The service cannot be reached" : "The page has a fault";
  const detail = isAway
    ? "Check the network. Nothing that was done is lost."
    : `${failure instanceof Error ? failure.message : failure}`;
  return html`
    <div class="box box-bad" role="alert">
      <p class="box-title">${title}</p>
      <p>${detail}</p>
    </div>`;
}

/**
 * Draw the way to the rematch of an ended match.
 * @param {{ match: string, rematch?: string }} match @param {boolean} isBusy @param {() => void} ask
 */
export function drawRematch({ match, rematch }, isBusy, ask) {
  const isTaken = rematch !== undefined && mayPlayAgain(rematch);
  if (rematch !== undefined && (isTaken || !mayPlayAgain(match))) {
    return html`<a class="button" href=${addressOf(rematch)}>To the rematch</a>`;
  }
  if (!mayPlayAgain(match)) return nothing;

  const text = rematch === undefined ? "Play again" : "Take your seat in the rematch";
  return html`<button type="button" class="primary" ?disabled=${isBusy} @click=${ask}>${text}</button>`;
}

// ---- questions before an action, and problems without a place on the page -----------------------

/** @param {Question} question */
export function confirm({ title, text, yes, no, act, otherwise }) {
  const question = html`<form method="dialog">
    <h2 id="page-question">${title}</h2>
    <p>${text}</p>
    <p class="row">
      <button value="yes" class="danger">${yes}</button>
      <button value="" class="primary" autofocus>${no}</button>
    </p>
  </form>`;
  const dialog = showDialog(question, "page-question");
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "yes") act();
    else otherwise?.();
  });
}

// Show a problem without a place of its own on the page. It replaces an earlier one.
/** @param {Problem} problem */
export function tellProblem(problem) {
  const told = html`<form method="dialog">
    <div id="page-told">${problemBox(problem)}</div>
    <p class="row"><button class="primary" autofocus>Close</button></p>
  </form>`;
  document.querySelector("#page-told")?.closest("dialog")?.close();
  showDialog(told, "page-told");
}

function tellFullStorage() {
  tellProblem(
    new Problem(507, {
      title: "This browser's storage for this page is full",
      detail:
        "New data, such as the token of your seat, is lost when you close the page. " +
        "Save your matches as a file in the lobby, or copy the links of your seats.",
    }),
  );
}

/** @param {Template} content @param {string} label the id of its label */
function showDialog(content, label) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", label);
  dialog.addEventListener("close", () => dialog.remove());
  render(content, dialog);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// ---- the worker for checking records ------------------------------------------------------------

const WORKER = new URL("../verify/worker.js", import.meta.url).href;

const { trustedTypes } = /** @type {{ trustedTypes?: TrustedTypes }} */ (globalThis);
const policy = trustedTypes?.createPolicy("giornale", {
  createScriptURL: onlyWorker,
});

export function workerAddress() {
  return policy === undefined ? WORKER : policy.createScriptURL(WORKER);
}

/** @param {string} url */
function onlyWorker(url) {
  if (url !== WORKER) throw new TypeError("no other script is run");
  return url;
}

// ---- modules on demand --------------------------------------------------------------------------

// A module that is loaded at its first use.
/** @template Module */
export class Later {
  /** @type {Module | null} */ #module = null;
  #isAsked = false;

  /** @param {() => Promise<Module>} load @param {() => void} changed called once it is loaded */
  constructor(load, changed) {
    this.load = load;
    this.changed = changed;
  }

  get module() {
    if (!this.#isAsked) this.ask();
    return this.#module;
  }

  // After a failure the next use loads it again.
  async ask() {
    this.#isAsked = true;
    try {
      this.#module = await counting(this.load());
      this.changed();
    } catch {
      this.#isAsked = false;
    }
  }
}
