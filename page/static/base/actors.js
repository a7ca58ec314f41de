// Actors as the API names them.

/** @param {string} actor such as "seat:0" */
export function seatOf(actor) {
  return Number(actor.slice("seat:".length));
}
