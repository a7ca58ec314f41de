// A player's choice to sign: asked when a match is opened or a seat is taken (M18).

import { Problem } from "../base/api.js";
import { fieldOf, html } from "../base/dom.js";
import { HOME } from "../base/home.js";
import { read, remove, write } from "../base/storage.js";
import { shortKey } from "../base/words.js";

const KEY = `giornale${HOME}/key`; // the public half of the key that is offered
const SIGNS = `giornale${HOME}/signs`;

const WITHOUT_KEY =
  "A key shows others that your moves are yours, whatever this server says. You have none here.";

/** @returns {string} the key of this browser that new seats are offered. "": none */
export function offeredKey() {
  return read(KEY) ?? "";
}

/** @param {string} key "": offer none from now on */
export function offerKey(key) {
  if (key === "") remove(KEY);
  else write(KEY, key);
  write(SIGNS, key === "" ? "no" : "yes");
}

/**
 * Return the key that is to sign for a new seat. undefined: none.
 * @returns {Promise<string | undefined>} @throws {Problem} if the browser has lost it: a seat with
 *   that key could not move
 */
export async function chosenKey() {
  if (!isChosen()) return undefined;
  const key = offeredKey();
  const { heldKey } = await import("./store.js");
  if ((await heldKey(key)) !== null) return key;
  offerKey("");
  throw new Problem(422, {
    title: "Your key is not in this browser any more",
    detail: "Take it from its file, or go on without a key: press once more.",
  });
}

function isChosen() {
  return read(SIGNS) === "yes" && offeredKey() !== "";
}

/**
 * Draw the choice.
 * @param {string} id of its field, chosen by the page @param {() => void} changed
 */
export function drawSigning(id, changed) {
  const key = offeredKey();
  const manage = async () => {
    const { openKeys } = await import("./dialog.js");
    await openKeys(changed);
  };
  const onChange = (/** @type {Event} */ event) => {
    write(SIGNS, fieldOf(event).checked ? "yes" : "no");
    changed();
  };
  return html`
    <div class="key-choice">
      <p class="row key-check">
        <input
          id=${id}
          type="checkbox"
          aria-describedby="${id}-about"
          ?disabled=${key === ""}
          .checked=${isChosen()}
          @change=${onChange}
        />
        <label for=${id}>Sign my moves with my key</label>
        <button type="button" @click=${manage}>
          ${key === "" ? "Make or take a key …" : "Your key …"}
        </button>
      </p>
      <small id="${id}-about">${key === "" ? WITHOUT_KEY : aboutKey(key)}</small>
    </div>`;
}

/** @param {string} key */
function aboutKey(key) {
  return html`With <code>${shortKey(key)}</code>. Everybody sees this key at your seat, for ever. If you
    lose it, the seat cannot move any more. Its owner can let a bot play on.`;
}
