// The plain board: it draws any game from its view alone, as tables of words and numbers. Its
// places are JSON pointers of the first two levels of the view, such as "/players/0".

import { capital, worded } from "../base/words.js";
import { drawView } from "./plain/parts.js";
import { isFlat, isFlatList, pointer, textOf } from "./plain/values.js";

/** @import { Board, Choice, Scene } from "./types.d.ts" */

/** @type {Board} */
export const board = { draw: drawView, choices, looks, composers: {} };

/**
 * Return the choices of a move: its type, then each of its fields. A field in which all moves agree
 * is no question to anybody, so it does no harm here.
 * @param {any} move @param {Scene} scene @returns {Choice[]}
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

/** @param {any} view */
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
