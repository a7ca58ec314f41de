// What a board is: a module that draws one game from its view, and names what can be clicked. A
// place is a part of the board that has a name of its own, such as "street:0-1". It stands in the
// drawing as the attribute `data-place`, on one element, which has a text for screen readers.
/** @import { Board } from "./types.d.ts" */

/** @param {Board} board @param {any} before @param {any} after */
export function changedPlaces(board, before, after) {
  const old = looksOf(board, before);
  const changed = new Set();
  for (const [place, look] of looksOf(board, after)) {
    if (old.get(place) !== look) changed.add(place);
  }
  return changed;
}

/**
 * @type {WeakMap<object, Map<string, string>>} by view: whoever steps on needs each view's twice
 */
const knownLooks = new WeakMap();

/** @param {Board} board @param {any} view */
function looksOf(board, view) {
  let looks = knownLooks.get(view);
  if (!looks) {
    looks = board.looks(view);
    knownLooks.set(view, looks);
  }
  return looks;
}
