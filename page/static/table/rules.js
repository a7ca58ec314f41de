// The rules in a dialog over the table, so that an unfinished move stays. A rule named in a rule is
// shown in its place, and the way back leads to the one before.

import { html, nothing, render } from "../base/dom.js";
import { focusPanel } from "../play/panel.js";

/** @import { ShownRule } from "./types.d.ts" */

/** By address without fragment. @type {Map<string, Promise<Document>>} */
const books = new Map();

/** The opened rules, the shown one last. @type {string[]} */
let way = [];

/** @type {HTMLDialogElement | null} */
let dialog = null;

// Show the target of an address in the rules: one rule, or how the game goes.
/** @param {string} address */
export async function showRule(address) {
  way = dialog === null ? [address] : [...way, address];
  await draw(openDialog());
}

/** @returns {HTMLDialogElement} */
function openDialog() {
  if (dialog !== null) return dialog;

  const opened = document.createElement("dialog");
  dialog = opened;
  opened.className = "rules";
  opened.setAttribute("aria-labelledby", "rules-title");
  opened.addEventListener("close", () => {
    dialog = null;
    opened.remove();
    focusTable();
  });
  // A press beside the dialog closes it, too.
  opened.addEventListener("click", ({ target }) => target === opened && opened.close());
  render(html`<h2 id="rules-title">One moment …</h2>`, opened);
  document.body.append(opened);
  opened.showModal();
  return opened;
}

// The browser gives the focus back to the link that was pressed. If that is gone, the panel gets it.
function focusTable() {
  if (document.activeElement === document.body) focusPanel();
}

/** @param {HTMLDialogElement} opened */
async function draw(opened) {
  const address = way.at(-1) ?? "";
  let shown;
  try {
    shown = ruleOf(await bookAt(address), address);
  } catch (failure) {
    shown = { title: "The rules", text: [html`<p role="alert">${String(failure)}</p>`] };
  }
  if (opened !== dialog || address !== way.at(-1)) return;

  render(drawRule(shown, address, opened), opened);
  opened.scrollTop = 0;
  const title = /** @type {HTMLElement | null} */ (opened.querySelector("#rules-title"));
  title?.focus();
}

/** @param {ShownRule} shown @param {string} address @param {HTMLDialogElement} opened */
function drawRule({ title, text }, address, opened) {
  const back = () => {
    way = way.slice(0, -1);
    draw(opened);
  };
  return html`
    <h2 id="rules-title" tabindex="-1">${title}</h2>
    <div class="rules-text">${text}</div>
    <form method="dialog" class="row">
      <button class="primary">Close</button>
      ${way.length > 1 ? html`<button type="button" @click=${back}>Back</button>` : nothing}
      <a class="rules-all" href=${address} target="_blank" rel="noopener">The whole page</a>
    </form>`;
}

// ---- the pages of the rules, parsed by the browser ------------------------------------------------

/** @param {string} address */
function bookAt(address) {
  const [page = ""] = address.split("#");
  const known = books.get(page);
  if (known) return known;

  const coming = loaded(page);
  books.set(page, coming);
  coming.catch(() => books.delete(page));
  return coming;
}

// Let the browser make a document of the page: no text becomes HTML here, since the pages' policy
// forbids it, and no script of it runs.
/** @param {string} page @returns {Promise<Document>} */
function loaded(page) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = () => reject("They could not be loaded. Try again in a moment.");
    request.open("GET", page);
    request.responseType = "document";
    request.addEventListener("load", () => {
      if (request.status === 200 && request.responseXML) resolve(request.responseXML);
      else fail();
    });
    request.addEventListener("error", fail);
    request.send();
  });
}

/** @param {Document} book @param {string} address @returns {ShownRule} */
function ruleOf(book, address) {
  const [page = "", id = ""] = address.split("#");
  const rule = id ? book.getElementById(id) : null;
  if (rule === null) return howItGoes(book, page);

  const list = rule.parentElement;
  const text = [...rule.children].filter((part) => !part.matches(".docs-number"));
  const table = list?.lastElementChild === rule ? list.nextElementSibling : null;
  if (table?.matches(".docs-scroll")) text.push(table);
  const over = html`<p class="muted">${headingOver(list)}</p>`;
  const clause = text.map((part) => taken(part, page));
  const told = toldToPlayers(book, id).map((part) => taken(part, page));
  const behind = html`<details><summary>The rule word for word</summary>${clause}</details>`;
  return { title: `Rule ${id}`, text: [over, ...told, ...(told.length > 0 ? [behind] : clause)] };
}

// Return the paragraphs for players with a link to a rule.
/** @param {Document} book @param {string} id */
function toldToPlayers(book, id) {
  const paragraphs = [...book.querySelectorAll(".docs-players > p")];
  return paragraphs.filter((paragraph) => paragraph.querySelector(`a[href="#${id}"]`) !== null);
}

/** @param {Document} book @param {string} page @returns {ShownRule} */
function howItGoes(book, page) {
  const parts = [...(book.querySelector(".docs-players")?.children ?? [])];
  const title = `${book.querySelector("h1")?.textContent}: how it goes`;
  return {
    title,
    text: parts.filter((part) => part.localName !== "h2").map((part) => taken(part, page)),
  };
}

/** @param {Element | null} list @returns {string} */
function headingOver(list) {
  let before = list?.previousElementSibling ?? null;
  while (before && before.localName !== "h3") before = before.previousElementSibling;
  return before?.textContent ?? "Rule";
}

// Copy a part of a page. The links in it lead to the same places as before.
/** @param {Element} part @param {string} page */
function taken(part, page) {
  const copy = document.importNode(part, true);
  for (const link of copy.querySelectorAll("a")) {
    const where = link.getAttribute("href") ?? "";
    if (where.startsWith("#")) link.setAttribute("href", `${page}${where}`);
  }
  return copy;
}
