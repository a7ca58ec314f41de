// The fields for a game's options, each by its kind, and for the terms of a match.

import { fieldOf, html, nothing } from "../base/dom.js";
import { rulesAddress } from "../base/home.js";
import { capital, worded } from "../base/words.js";

/** @import { Opening } from "./opening.js" */
/** @import { Errors, Field, Option, Term } from "./types.d.ts" */

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

// ---- the terms of a match -----------------------------------------------------------------------

// The clocks that are offered (M15): how many seconds a bank has, and how many a turn adds.
export const PACES = [
  { text: "None", bank: 0, move: 0 },
  { text: "10 minutes, and 15 seconds for each turn", bank: 600, move: 15 },
  { text: "45 minutes, and a minute for each turn", bank: 2_700, move: 60 },
  { text: "A day, and 8 hours for each turn", bank: 86_400, move: 28_800 },
  { text: "A week, and a day for each turn", bank: 604_800, move: 86_400 },
];

/** @param {Opening} opening */
export function drawTerms(opening) {
  return [drawPace(opening), drawAdvice(opening), drawTogether(opening), drawVisibility(opening)];
}

const TAKE_BACKS = [
  ["off", "Moves stand"],
  ["own", "One's own moves of a turn can be taken back"],
  ["consent", "Moves can be taken back if all agree"],
];

/** @param {Opening} opening */
function drawPace(opening) {
  const onClock = (/** @type {Event} */ event) => opening.setPace(Number(fieldOf(event).value));
  const onBack = (/** @type {Event} */ event) => opening.setTakeBack(fieldOf(event).value);
  const clocks = PACES.map(({ text }, index) => {
    return html`<option value=${index} .selected=${index === opening.pace}>${text}</option>`;
  });
  const backs = TAKE_BACKS.map(([value, text]) => {
    return html`<option value=${value} .selected=${value === opening.takeBack}>${text}</option>`;
  });

  return html`
    <div class="field">
      <label for="lobby-clock">Clock</label>
      <select id="lobby-clock" aria-describedby="lobby-about-clock" @change=${onClock}>${clocks}</select>
      <small id="lobby-about-clock">A bot plays on for a person whose time runs out.</small>
    </div>
    <div class="field">
      <label for="lobby-take-back">Taking back</label>
      <select id="lobby-take-back" @change=${onBack}>${backs}</select>
    </div>`;
}

/** @param {Opening} opening */
function drawAdvice(opening) {
  if (!opening.hasAdviser) return nothing;
  return drawTerm({
    id: "lobby-advice",
    label: "Advice",
    about: "Players may ask what the strong bot would do; everybody sees that it is allowed.",
    isOn: opening.advice,
    set: (isOn) => opening.setAdvice(isOn),
  });
}

/** @param {Opening} opening */
function drawVisibility(opening) {
  return drawTerm({
    id: "lobby-private",
    label: "Private: only those with a link see it",
    isOn: opening.visibility === "private",
    set: (isOn) => opening.setVisibility(isOn ? "private" : "public"),
  });
}

// A browser can pledge on pages alone that come over https or from the same machine.
/** @param {Opening} opening */
function drawTogether(opening) {
  const people = opening.seats.filter(({ kind }) => kind !== "bot").length;
  if (people < 2 || !window.isSecureContext) return nothing;
  return drawTerm({
    id: "lobby-together",
    label: "Draw together",
    about: html`
      Every player's browser gives a part of all draws, so nobody can choose one, not even the
      server. The match begins once all have come.
      <a href=${rulesAddress("match", "M19")}>M19</a>`,
    isOn: opening.drawsTogether,
    set: (isOn) => opening.setDrawsTogether(isOn),
  });
}

/** @param {Term} term */
function drawTerm({ id, label, about, isOn, set }) {
  return html`
    <p class="lobby-check">
      <input
        id=${id}
        type="checkbox"
        aria-describedby=${about === undefined ? nothing : `${id}-about`}
        .checked=${isOn}
        @change=${(/** @type {Event} */ event) => set(fieldOf(event).checked)}
      />
      <label for=${id}>${label}</label>
      ${about === undefined ? nothing : html`<small id="${id}-about">${about}</small>`}
    </p>`;
}
