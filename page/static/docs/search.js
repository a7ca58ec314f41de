// Find an operation, a schema or a kind of problem in the documentation, without a server. The page
// itself has all entries: links with `data-found` (the kind of the target, then its names), links
// to the schemas, and the rows of the table of problems. Without scripts the page has its menu and
// the browser's own search.

import "../base/page.js";
import "./examples.js";
import { html, nothing, render } from "../base/dom.js";
import { found } from "./finding.js";

/** @import { Entry } from "./types.d.ts" */

/** @returns {Entry[]} */
function entriesOfPage() {
  const links = Array.from(document.querySelectorAll("a[data-found], .docs-names a"), (link) => {
    const [kind = "", ...names] = (link.getAttribute("data-found") ?? "schema").split(" ");
    const title = link.textContent ?? "";
    return entryOf(link.getAttribute("href") ?? "", title, kind, names.join(" "));
  });
  const problems = Array.from(document.querySelectorAll("tr[id]"), (row) =>
    entryOf(`#${row.id}`, row.querySelector("th")?.textContent ?? row.id, "problem", row.id),
  );
  return [...links, ...problems];
}

/** @param {string} address @param {string} title @param {string} kind @param {string} names @returns {Entry} */
function entryOf(address, title, kind, names) {
  const [, id = ""] = address.split("#");
  return { address, id, title, kind, words: `${title} ${names}`.toLowerCase() };
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  const folded = target?.querySelector(":scope > details");
  if (folded instanceof HTMLDetailsElement) folded.open = true;
}

class Search {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.entries = entriesOfPage();
    this.text = "";
  }

  draw() {
    render(this.template(), this.place);
  }

  template() {
    const matching = found(this.entries, this.text);
    const isAsked = this.text.trim() !== "";
    return html`
      <label for="search-text">Search the API</label>
      <input id="search-text" type="search" autocomplete="off" spellcheck="false"
        placeholder="Press / to type" .value=${this.text}
        @input=${(/** @type {InputEvent} */ event) => this.ask(/** @type {HTMLInputElement} */ (event.target).value)}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.step(event)} />
      <p class="docs-count muted" role="status">${isAsked ? this.count(matching.length) : nothing}</p>
      ${isAsked ? this.results(matching) : nothing}
    `;
  }

  /** @param {Entry[]} matching */
  results(matching) {
    return html`<ul class="docs-results" @keydown=${(/** @type {KeyboardEvent} */ event) => this.step(event)}>
      ${matching.map(
        (entry) =>
          html`<li><a href="${entry.address}">${entry.title} <span class="muted">${entry.kind}</span></a></li>`,
      )}
    </ul>`;
  }

  /** @param {number} number */
  count(number) {
    if (number === 0) return "Nothing is called so.";
    return number === 1 ? "1 place" : `${number} places`;
  }

  /** @param {string} text */
  ask(text) {
    this.text = text;
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  step(event) {
    const stops = [...this.place.querySelectorAll("input, .docs-results a")];
    const here = stops.indexOf(/** @type {Element} */ (document.activeElement));
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step !== undefined) {
      event.preventDefault();
      const next = stops[here + step];
      if (next instanceof HTMLElement) next.focus();
    }
    if (event.key === "Enter" && here === 0 && stops[1] instanceof HTMLElement) stops[1].click();
    if (event.key === "Escape") {
      this.ask("");
      if (stops[0] instanceof HTMLElement) stops[0].focus();
    }
  }
}

const place = document.querySelector("#search");
if (place instanceof HTMLElement) {
  new Search(place).draw();
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    document.querySelector("input")?.focus();
  });
}
window.addEventListener("hashchange", openTarget);
openTarget();
