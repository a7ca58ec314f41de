/**
 * What a board is: a module that draws one game from its view, and names what can be clicked.
 *
 * A place is a part of the board that has a name of its own, such as "street:0-1". It stands in the
 * drawing as the attribute `data-place`, on one element, which has a text for screen readers.
 */

/** @typedef {import("../base/dom.js").Template} Template */

/**
 * A seat of the match.
 *
 * @typedef {object} Seat
 * @property {number} seat
 * @property {string} name what the pages call whoever holds it
 * @property {"human" | "bot" | "open"} kind
 */

/**
 * A match as one reader sees it at one version.
 *
 * @typedef {object} Scene
 * @property {any} view the member `state` of the API's answer
 * @property {Seat[]} seats by seat
 * @property {number | null} reader the seat that looks; null: the public
 * @property {ReadonlySet<string>} targets the places that can be picked now
 * @property {ReadonlySet<string>} picked the places that were picked for the move at hand
 * @property {ReadonlySet<string>} changed the places at which the last step changed something
 * @property {(place: string) => void} pick what a click on a place does, be it a target or not
 */

/**
 * One choice within a move. The choices of a move are made in their order.
 *
 * Two moves whose first choices are equal (by `key`) are told apart by those that follow.
 *
 * @typedef {object} Choice
 * @property {string} key tells this choice from its alternatives
 * @property {string} text what a person reads on its button, such as "White disc"
 * @property {string} [place] where on the board it can be clicked
 */

/**
 * A part of the page with which a move is put together that is not listed, such as a building.
 *
 * @typedef {object} Composer
 * @property {(beyond: any, scene: Scene) => any} start a new draft
 * @property {(draft: any, beyond: any, scene: Scene, change: (draft: any) => void) => Template} draw
 *   the controls; they call `change` with the draft that follows
 * @property {(draft: any) => any} move the move as it may be posted
 * @property {(draft: any, beyond: any) => string} problem why the draft is no move yet; "" if it is
 * @property {(draft: any, place: string) => any} pick the draft after a click on a place of the board
 * @property {(draft: any, beyond: any) => ReadonlySet<string>} targets the places that can be picked
 * @property {(move: any, beyond: any, scene: Scene) => any} [from] the draft that makes a given move
 */

/**
 * @typedef {object} Board
 * @property {(scene: Scene) => Template} draw the whole table
 * @property {(move: any, scene: Scene) => Choice[]} choices the choices that make up a listed move
 * @property {(move: any, scene: Scene) => string[]} [words] what tells a whole move, where its choices
 *   say more than that
 * @property {(view: any) => Map<string, string>} looks what each place shows, as a text that differs
 *   when the place looks different
 * @property {(place: string, scene: Scene) => any} [attempt] the move that a click on a place that is
 *   no target seems to want, so that its refusal can be shown; null where there is none
 * @property {Record<string, Composer>} composers by the command that `beyond` describes
 * @property {Record<string, Composer>} [adjust] by command: composers with which a listed move is
 *   changed before it is made, such as the bricks that it pays; they are handed the listed move in
 *   the place of `beyond`, and `start` returns null where the move leaves nothing to choose
 */

/**
 * Return the places that look different in two views.
 *
 * @param {Board} board
 * @param {any} before
 * @param {any} after
 * @returns {Set<string>}
 */
export function changedPlaces(board, before, after) {
  const old = looksOf(board, before);
  const changed = new Set();
  for (const [place, look] of looksOf(board, after)) {
    if (old.get(place) !== look) changed.add(place);
  }
  return changed;
}

/** @type {WeakMap<object, Map<string, string>>} by view: whoever steps on needs each view's twice */
const knownLooks = new WeakMap();

/**
 * @param {Board} board
 * @param {any} view never changes, and is always shown by the same board
 * @returns {Map<string, string>}
 */
function looksOf(board, view) {
  let looks = knownLooks.get(view);
  if (!looks) {
    looks = board.looks(view);
    knownLooks.set(view, looks);
  }
  return looks;
}
