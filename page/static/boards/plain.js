// The plain board: it draws any game from its view alone, as tables of words and numbers. Its
// places are JSON pointers of the first two levels of the view, such as "/players/0".

import { html, nothing } from "../base/dom.js";
import { capital, worded } from "../base/words.js";

/** @import { FlatJson, Json } from "../base/types.d.ts" */
/** @import { Board, Choice, Member, Scene, Seat } from "./types.d.ts" */

/** @type {Board} */
export const board = { draw: drawView, choices, looks, composers: {} };

/**
 * Return the choices of a move: its type, then each of its fields. A field in which all moves agree
 * is no question to anybody, so it does no harm here.
 * @param {Record<string, Json> & { type: string }} move @param {Scene} scene
 * @returns {Choice[]}
 */
function choices(move, scene) {
  const { type, ...fields } = move;
  const made = [{ key: `type=${type}`, text: capital(worded(type)) }];

  for (const [field, value] of Object.entries(fields)) {
    const text = `${capital(worded(field))}: ${textOf(value, field, scene.seats)}`;
    made.push({ key: `${field}=${JSON.stringify(value)}`, text });
  }

  return made;
}

/** @param {Record<string, Json>} view */
function looks(view) {
  const shown = new Map();

  for (const [name, member] of Object.entries(view ?? {})) {
    const place = pointer(name);

    if (isFlat(member) || isFlatList(member)) {
      shown.set(place, JSON.stringify(member));
      continue;
    }

    shown.set(place, Object.keys(member).join());
    for (const [key, value] of Object.entries(member)) {
      shown.set(place + pointer(key), JSON.stringify(value));
    }
  }

  return shown;
}

// ---- the parts of a view as definition lists and tables -----------------------------------------

// A table with more columns than this takes the board's whole width.
const MANY = 5;

/** @param {Scene} scene */
function drawView(scene) {
  /** @type {Member[]} */
  const members = Object.entries(scene.view ?? {});
  const own = members.filter(([name]) => name === "own");
  const facts = members.filter(([, value]) => isFlat(value) || isFlatList(value));
  const parts = members.filter((member) => !own.includes(member) && !facts.includes(member));

  return html`
    <div class="plain-board">
      ${own.map((member) => drawPart(member, scene))}
      <section class="plain-part">
        <h2>At a glance</h2>
        <dl class="plain-facts">${facts.map((member) => drawFact(member, "", scene))}</dl>
      </section>
      ${parts.map((member) => drawPart(member, scene))}
    </div>
  `;
}

/** @param {Member} member @param {Scene} scene */
function drawPart([name, value], scene) {
  const place = pointer(name);
  const title = name === "own" ? "Yours alone" : capital(worded(name));
  /** @type {Member[]} */
  const rows = Object.entries(value ?? {});

  const isBroad = columnsOf(rows).length > MANY;
  const broad = isBroad ? "plain-broad" : "";
  return html`
    <section class="${partClass(place, scene)} ${broad}" data-place=${place}>
      <h2>${title}${changedMark(place, scene)}</h2>
      ${drawRows(title, name, rows, scene)}
    </section>
  `;
}

/** @param {string} title @param {string} name @param {Member[]} rows @param {Scene} scene */
function drawRows(title, name, rows, scene) {
  if (rows.length === 0) return html`<p class="plain-none">none</p>`;

  const columns = columnsOf(rows);
  if (columns.length > 1 || rows.every(([key]) => isNumber(key))) {
    return drawTable(title, name, rows, columns, scene);
  }

  return html`<dl class="plain-facts">${rows.map((row) => drawFact(row, pointer(name), scene))}</dl>`;
}

// Return the columns of a table: the members of its rows; none if a row is no object.
/** @param {Member[]} rows */
function columnsOf(rows) {
  const columns = new Set();

  for (const [, value] of rows) {
    if (isFlat(value) || Array.isArray(value)) return [];
    for (const column of Object.keys(value)) columns.add(column);
  }

  return [...columns];
}

/**
 * @param {string} title @param {string} name @param {Member[]} rows @param {string[]} columns
 * @param {Scene} scene
 */
function drawTable(title, name, rows, columns, scene) {
  const cells = columns.length > 0 ? columns : [""];

  return html`
    <div class="plain-wide" role="region" aria-label=${title} tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col"><span class="plain-corner">${title}</span></th>
            ${cells.map((column) => html`<th scope="col">${capital(worded(column))}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => drawRow(name, row, cells, scene))}
        </tbody>
      </table>
    </div>
  `;
}

/** @param {string} name @param {Member} row @param {string[]} columns @param {Scene} scene */
function drawRow(name, [key, value], columns, scene) {
  const place = pointer(name) + pointer(key);
  const cells = columns.map((column) => {
    const cell = column === "" ? value : membersOf(value)[column];
    return html`<td>${cell === undefined ? nothing : drawValue(cell, column || name, scene)}</td>`;
  });

  return html`
    <tr class=${rowClass(place, scene)} data-place=${place}>
      <th scope="row">${rowName(name, key, scene)}${changedMark(place, scene)}</th>
      ${cells}
    </tr>
  `;
}

/** @param {Member} member @param {string} above @param {Scene} scene */
function drawFact([name, value], above, scene) {
  const place = above + pointer(name);

  return html`
    <div class=${rowClass(place, scene)} data-place=${place}>
      <dt>${capital(worded(name))}${changedMark(place, scene)}</dt>
      <dd>${drawValue(value, name, scene)}</dd>
    </div>
  `;
}

// Draw a value: a line of text, or a list of its members where it has several levels.
/** @param {Json} value @param {string} name @param {Scene} scene */
function drawValue(value, name, scene) {
  if (isLine(value)) return textOf(value, name, scene.seats);

  const lines = Object.entries(value ?? {}).map(([key, part]) => {
    const label = isNumber(key) ? String(Number(key) + 1) : capital(worded(key));
    return html`<li><b>${label}</b> ${textOf(part, key, scene.seats)}</li>`;
  });
  return html`<ul class="plain-lines">${lines}</ul>`;
}

/** @param {Json} value @returns {Record<string, Json | undefined>} */
function membersOf(value) {
  return isFlat(value) ? {} : Object.fromEntries(Object.entries(value));
}

/** @param {string} name @param {string} key @param {Scene} scene */
function rowName(name, key, scene) {
  if (!isNumber(key)) return capital(worded(key));

  const seat = name === "players" ? scene.seats[Number(key)] : undefined;
  return seat ? seat.name : String(Number(key) + 1);
}

/** @param {string} key */
function isNumber(key) {
  return /^\d+$/.test(key);
}

/** @param {string} place @param {Scene} scene */
function changedMark(place, scene) {
  return scene.changed.has(place) ? html` <span class="plain-changed">changed</span>` : nothing;
}

/** @param {string} place @param {Scene} scene */
function partClass(place, scene) {
  return scene.changed.has(place) ? "plain-part plain-new" : "plain-part";
}

/** @param {string} place @param {Scene} scene */
function rowClass(place, scene) {
  return scene.changed.has(place) ? "plain-row plain-new" : "plain-row";
}

// ---- the values of a view as text, for games of which nothing else is known ---------------------

// Members whose numbers are seats in every game of this service.
const SEAT_MEMBERS = ["active", "actors", "seat", "seats", "target"];

/** @param {Json} value @returns {value is FlatJson} */
function isFlat(value) {
  return value === null || typeof value !== "object";
}

/** @param {Json} value @returns {value is FlatJson[]} */
function isFlatList(value) {
  return Array.isArray(value) && value.every(isFlat);
}

// Whether a value is one line of text: flat, a list of flat values, or an object of such.
/** @param {Json} value */
function isLine(value) {
  if (isFlat(value) || isFlatList(value)) return true;
  return !Array.isArray(value) && Object.values(value).every(isFlat);
}

/**
 * @param {Json} value
 * @param {string} member the name of the member that holds it; it tells what a number means
 * @param {Seat[]} seats @returns {string}
 */
export function textOf(value, member, seats) {
  if (value === null) return "none";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (typeof value === "number") return numberText(value, member, seats);
  if (typeof value === "string") return worded(value);

  if (Array.isArray(value)) {
    const parts = value.map((part) => textOf(part, member, seats));
    return parts.length > 0 ? parts.join(", ") : "none";
  }

  return objectText(value, seats);
}

/** @param {number} value @param {string} member @param {Seat[]} seats */
function numberText(value, member, seats) {
  const seat = SEAT_MEMBERS.includes(member) ? seats[value] : undefined;
  return seat ? seat.name : String(value);
}

/** @param {Record<string, Json>} value @param {Seat[]} seats @returns {string} */
function objectText(value, seats) {
  const parts = [];

  for (const [key, part] of Object.entries(value)) {
    const text = textOf(part, key, seats);
    parts.push(`${worded(key)} ${isLine(part) ? text : `(${text})`}`);
  }

  return parts.length > 0 ? parts.join(", ") : "none";
}

/** @param {string} key */
function pointer(key) {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
