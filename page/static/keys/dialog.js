// The dialog for the player's signing keys: made here, or carried between devices in a file.

import { copy } from "../base/announce.js";
import { html, nothing, render, saveFile, sentWith } from "../base/dom.js";
import { playerAddress } from "../base/home.js";
import { confirm } from "../base/page.js";
import { shortKey } from "../base/words.js";
import { offeredKey, offerKey } from "./choice.js";
import { fileOf, forgetKey, heldKeys, makeKey, NoKey, takeKey, whyNoKeys } from "./store.js";

/** @import { Template } from "../base/types.d.ts" */
/** @import { HeldKey } from "./types.d.ts" */

const SHORTEST = 8; // letters of a passphrase

/** Show the dialog. @param {() => void} changed called after an action on the keys */
export async function openKeys(changed) {
  const keys = new Keys(changed);
  await keys.open();
}

class Keys {
  #dialog = document.createElement("dialog");
  #changed;
  /** The reason why this browser cannot store keys. "": it can. */ #trouble = "";
  /** @type {HeldKey[]} */ #held = [];
  /** The chosen file. @type {{ name: string, text: string } | null} */ #file = null;
  #isBusy = false;
  #said = "";
  #isBad = false;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
    this.#dialog.className = "key-dialog";
    this.#dialog.setAttribute("aria-labelledby", "key-title");
    this.#dialog.addEventListener("close", () => this.#dialog.remove());
  }

  async open() {
    this.#trouble = await whyNoKeys();
    if (this.#trouble === "") await this.#load();
    this.#draw();
    document.body.append(this.#dialog);
    this.#dialog.showModal();
  }

  async #load() {
    try {
      this.#held = await heldKeys();
    } catch {
      this.#trouble = "This browser keeps no keys. A private window never does.";
    }
  }

  // ---- actions ----------------------------------------------------------------------------------

  // Act on keys, and tell the result.
  /** @param {() => Promise<string>} act returns the sentence to tell */
  async #do(act) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#say("One moment …", false);
    try {
      const said = await act();
      await this.#load();
      this.#say(said, false);
    } catch (failure) {
      const why = failure instanceof NoKey ? failure.message : `This did not work: ${failure}`;
      this.#say(why, true);
    }
    this.#isBusy = false;
    this.#draw();
    this.#changed();
  }

  /** @param {SubmitEvent} event */
  #make(event) {
    const sent = sentWith(event);
    const passphrase = sent("passphrase");
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    if (passphrase !== sent("again")) {
      this.#say("The two passphrases are not the same.", true);
      return;
    }
    this.#do(async () => {
      const { key, sealed } = await makeKey(passphrase);
      offerKey(key);
      form.reset();
      return sealed === null
        ? "Your key is made. It stays in this browser."
        : "Your key is made. Save it as a file now, and keep the file and the passphrase well.";
    });
  }

  /** @param {SubmitEvent} event */
  #take(event) {
    const passphrase = sentWith(event)("passphrase");
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const text = this.#file?.text;
    if (text === undefined) {
      this.#say("Choose the file of a key first.", true);
      return;
    }
    this.#do(async () => {
      const { key } = await takeKey(text, passphrase);
      offerKey(key);
      form.reset();
      this.#file = null;
      return `The key ${shortKey(key)} is here now.`;
    });
  }

  /** @param {Event} event */
  async #onFile({ target }) {
    const [file] = /** @type {HTMLInputElement} */ (target).files ?? [];
    if (!file) return;
    this.#file = { name: file.name, text: await file.slice(0, 10_000).text() };
    this.#draw();
  }

  /** @param {string} key */
  #offer(key) {
    offerKey(key);
    this.#say(`New seats are offered the key ${shortKey(key)}.`, false);
    this.#changed();
  }

  /** @param {string} key */
  #forget(key) {
    confirm({
      title: `Forget the key ${shortKey(key)}?`,
      text: "Its seats cannot be moved in this browser any more. Without its file it is lost for ever.",
      yes: "Forget it",
      no: "Keep it",
      act: () =>
        this.#do(async () => {
          await forgetKey(key);
          if (offeredKey() === key) offerKey("");
          return "The key is no longer in this browser.";
        }),
    });
  }

  /** @param {string} text @param {boolean} isBad */
  #say(text, isBad) {
    this.#said = text;
    this.#isBad = isBad;
    this.#draw();
  }

  // ---- drawing ----------------------------------------------------------------------------------

  #draw() {
    render(this.#body(), this.#dialog);
  }

  #body() {
    return html`
      <h2 id="key-title">Your key</h2>
      ${
        this.#trouble === ""
          ? this.#parts()
          : html`<p class="box box-bad">${this.#trouble} You can play without a key all the same.</p>`
      }
      <p role="status" class="key-said ${this.#isBad ? "key-bad" : ""}">${this.#said}</p>
      <p class="row">
        <button type="button" @click=${() => this.#dialog.close()}>Close</button>
      </p>`;
  }

  #parts() {
    const hasKeys = this.#held.length > 0;
    return html`
      ${this.#held.map((held) => this.#drawKey(held))}
      ${hasKeys ? folded("Make another key", this.#drawMake()) : this.#drawMake()}
      ${folded("Take a key from a file", this.#drawTake())}`;
  }

  /** @param {HeldKey} held */
  #drawKey(held) {
    const { key } = held;
    const file = fileOf(held);
    const isOffered = key === offeredKey();
    /** @param {Event} event */
    const onCopy = ({ currentTarget }) => copy(key, /** @type {HTMLElement} */ (currentTarget));
    const save = () => saveFile(new Blob([file ?? ""], { type: "application/json" }), nameOf(key));
    const onSave = html`<button type="button" @click=${save}>Save it as a file</button>`;
    const stays = html`<small>It was made without a passphrase, so it stays in this browser.</small>`;
    return html`
      <section class="key-held">
        <details>
          <summary>
            Key <code>${shortKey(key)}</code>
            ${isOffered ? html`<span class="tag">offered to new seats</span>` : nothing}
          </summary>
          <p class="key-whole"><code>${key}</code></p>
          <p class="row">
            <button type="button" @click=${onCopy}>Copy</button>
            <a href=${playerAddress(key)}>Its matches</a>
            <button type="button" class="quiet" @click=${() => this.#forget(key)}>Forget …</button>
          </p>
        </details>
        <p class="row">
          ${file === null ? stays : onSave}
          ${isOffered ? nothing : html`<button type="button" @click=${() => this.#offer(key)}>Offer it to new seats</button>`}
        </p>
      </section>`;
  }

  #drawMake() {
    return html`
      <form @submit=${(/** @type {SubmitEvent} */ event) => this.#make(event)}>
        <p>
          A key has two halves. The private one stays in this browser and signs your actions at your
          seat. The public one stands in the match: <strong>everybody sees it, for ever</strong>, in
          every match of that key. Unlike a name it can never be erased.
        </p>
        <p>
          <strong>If you lose it, your seats cannot move any more</strong>, and nobody can give you
          another one for them. An owner can let a bot play on. A browser loses the key when its data is
          cleared. A file keeps it, and takes it to another device.
        </p>
        ${passphraseField("key-new", "passphrase", "Passphrase for the file", html`At least ${SHORTEST} letters. It may stay empty. Then the key can never leave this browser.`, false)}
        ${passphraseField("key-again", "again", "The passphrase once more", nothing, false)}
        <button type="submit" class="primary" ?disabled=${this.#isBusy}>Make a key</button>
      </form>`;
  }

  #drawTake() {
    return html`
      <form @submit=${(/** @type {SubmitEvent} */ event) => this.#take(event)}>
        <p class="row">
          <label class="button page-file">
            Choose the file
            <input type="file" accept=".json,application/json" @change=${(/** @type {Event} */ event) => this.#onFile(event)} />
          </label>
          <span>${this.#file?.name ?? "No file is chosen."}</span>
        </p>
        ${passphraseField("key-old", "passphrase", "Its passphrase", nothing, true)}
        <button type="submit" ?disabled=${this.#isBusy}>Take the key</button>
      </form>`;
  }
}

/**
 * @param {string} id @param {string} name @param {string} label
 * @param {Template | typeof nothing} about @param {boolean} isOld true: it exists already
 */
function passphraseField(id, name, label, about, isOld) {
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <input
        id=${id}
        name=${name}
        type="password"
        minlength=${isOld ? nothing : SHORTEST}
        autocomplete=${isOld ? "current-password" : "new-password"}
        aria-describedby=${about === nothing ? nothing : `${id}-about`}
      />
      ${about === nothing ? nothing : html`<small id="${id}-about">${about}</small>`}
    </div>`;
}

/** @param {string} title @param {Template} body */
function folded(title, body) {
  return html`<details class="key-folded"><summary>${title}</summary>${body}</details>`;
}

/** @param {string} key */
function nameOf(key) {
  return `giornale-key-${key.slice(0, 12)}.json`;
}
