// The fields for a game's options, each by its kind.

import { fieldOf, html, nothing } from "../base/dom.js";
import { rulesAddress } from "../base/home.js";
import { capital, worded } from "../base/words.js";

/** @import { Opening } from "./opening.js" */
/** @import { Errors, Field, Option } from "./types.d.ts" */

const KINDS = { choice: drawChoice, flag: drawFlag, number: drawNumber, data: drawData };

/** @param {Opening} opening */
export function drawOptions(opening) {
  const { options } = opening.game;
  if (options.length === 0) return nothing;

  return html`
    <fieldset>
      <legend>Options</legend>
      ${options.map((option) => drawOption(option, opening))}
    </fieldset>
  `;
}

/** @param {Option} option @param {Opening} opening */
function drawOption(option, opening) {
  const pointer = `/options/${option.name}`;
  const value = option.name in opening.options ? opening.options[option.name] : undefined;
  const isWrong = hasError(opening.errors, pointer);
  /** @type {Field} */
  const field = {
    option,
    id: `lobby-option-${option.name}`,
    value,
    title: capital(worded(option.name)),
    invalid: isWrong ? "true" : "false",
    described: `lobby-about-${option.name} ${errorId(pointer)}`,
    set: (next) => opening.setOption(option.name, next),
  };

  return html`
    <div class="field">
      ${KINDS[option.kind](field)}
      <small id="lobby-about-${option.name}">${withRules(option.text, opening.game.key)}</small>
      ${drawError(opening.errors, pointer)}
    </div>
  `;
}

/** @param {Field} field */
function drawChoice({ option, id, value = option.default, title, invalid, described, set }) {
  const choices = (option.choices ?? []).map((choice) => {
    const isDefault = choice === option.default ? " (usual)" : "";
    return html`
      <option value=${choice} .selected=${choice === value}>
        ${capital(worded(choice))}${isDefault}
      </option>`;
  });

  return html`
    <label for=${id}>${title}</label>
    <select
      id=${id}
      aria-invalid=${invalid}
      aria-describedby=${described}
      @change=${(/** @type {Event} */ event) => set(fieldOf(event).value)}
    >
      ${choices}
    </select>
  `;
}

/** @param {Field} field */
function drawFlag({ option, id, value = option.default, title, invalid, described, set }) {
  return html`
    <span class="lobby-check">
      <input
        id=${id}
        type="checkbox"
        aria-invalid=${invalid}
        aria-describedby=${described}
        .checked=${value}
        @change=${(/** @type {Event} */ event) => set(fieldOf(event).checked)}
      />
      <label for=${id}>${title}</label>
    </span>
  `;
}

/** @param {Field} field */
function drawNumber({ option, id, value = option.default, title, invalid, described, set }) {
  const range = `${option.least} to ${option.most}`;

  return html`
    <label for=${id}>${title} (${range})</label>
    <input
      id=${id}
      type="number"
      inputmode="numeric"
      min=${option.least ?? nothing}
      max=${option.most ?? nothing}
      aria-invalid=${invalid}
      aria-describedby=${described}
      .value=${String(value)}
      @change=${(/** @type {Event} */ event) => set(Number(fieldOf(event).value))}
    />
  `;
}

/** @param {Field} field */
function drawData({ option, id, value, title, invalid, described, set }) {
  const text = value ?? JSON.stringify(option.default, null, 2);

  return html`
    <details class="lobby-data">
      <summary>${title}${value === undefined ? " (as printed)" : " (changed)"}</summary>
      <label class="unseen" for=${id}>${title} as JSON</label>
      <textarea
        id=${id}
        rows="14"
        spellcheck="false"
        aria-invalid=${invalid}
        aria-describedby=${described}
        .value=${text}
        @change=${(/** @type {Event} */ event) => set(fieldOf(event).value)}
      ></textarea>
    </details>
  `;
}

/** @param {string} text @param {string} game */
function withRules(text, game) {
  const whole = capital(text);
  const parts = `${whole}${whole.endsWith(".") ? "" : "."}`.split(/\b([A-Z]\d+)\b/);

  return parts.map((part, index) => {
    const isRule = index % 2 === 1;
    return isRule ? html`<a class="rule" href=${rulesAddress(game, part)}>${part}</a>` : part;
  });
}

// ---- what is wrong with single fields of a form, by the json pointers of the api's answer -------

/** @param {Errors} errors @param {string} pointer */
export function hasError(errors, pointer) {
  return at(errors, pointer).length > 0;
}

/** @param {string} pointer */
export function errorId(pointer) {
  return `lobby-error${pointer.replaceAll("/", "-")}`;
}

/** @param {Errors} errors @param {string} pointer */
export function drawError(errors, pointer) {
  const lines = at(errors, pointer).map(([place, detail]) => {
    const below = place.slice(pointer.length + 1);
    return html`<span>${below ? html`<code>${below}</code>: ` : nothing}${detail}</span>`;
  });
  return html`<p class="lobby-error" id=${errorId(pointer)} ?hidden=${lines.length === 0}>${lines}</p>`;
}

/** @param {Errors} errors @param {string[]} shown */
export function otherErrors(errors, shown) {
  return [...errors.keys()].filter((place) => !shown.some((pointer) => isWithin(place, pointer)));
}

/** @param {Errors} errors @param {string} pointer @returns {[string, string][]} */
function at(errors, pointer) {
  return [...errors].filter(([place]) => isWithin(place, pointer));
}

/** @param {string} place @param {string} pointer */
function isWithin(place, pointer) {
  return place === pointer || place.startsWith(`${pointer}/`);
}
