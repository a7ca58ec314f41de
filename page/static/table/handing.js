// Several people at one screen: a curtain covers the table while the screen is handed over, so that
// nobody sees the secrets of another one.

import { html, render } from "../base/dom.js";
import { listed, possessive } from "../base/words.js";

/** @import { HandingOver } from "./types.d.ts" */

/** @type {HTMLDialogElement | null} */
let curtain = null;

/** @param {HandingOver} handing */
export function drawCurtain({ nexts, own, take, signal }) {
  openCurtain();
  curtain = document.createElement("dialog");
  const dialog = curtain;
  dialog.className = "table-curtain";
  dialog.setAttribute("aria-labelledby", "table-curtain-title");
  // Escape would show the next player the secrets of the one before.
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  signal.addEventListener("abort", openCurtain, { once: true });

  const names = nexts.map(({ name }) => name);
  const text = nexts.length === 1 ? `${possessive(names[0] ?? "")} turn` : listed(names);
  render(
    html`
      <h2 id="table-curtain-title">${text}</h2>
      <p>Hand the screen over. The table is shown once ${nexts.length === 1 ? "the button is" : "one of the buttons is"} pressed.</p>
      <p class="row">
        ${nexts.map(
          ({ seat, name }) =>
            html`<button type="button" class="primary" @click=${() => take(seat)}>I am ${name}</button>`,
        )}
      </p>
      <p><button type="button" class="quiet" @click=${openCurtain}>Back to ${possessive(own)} table</button></p>
    `,
    dialog,
  );
  document.body.append(dialog);
  dialog.showModal();
}

export function openCurtain() {
  curtain?.close();
  curtain?.remove();
  curtain = null;
}
