/** What seats are called: the same words as in the service's story. */

/** @typedef {import("../boards/board.js").Seat} Seat */

const UNNAMED = { human: "Seat", bot: "Bot", open: "Open seat" };

/**
 * Return the seats of a match with a name for each: the given one, else such as "Seat 0" or "Bot 2".
 *
 * @param {{ seat: number, kind: "human" | "bot" | "open", name?: string, absent?: boolean }[]} seats
 *   as the API tells them
 * @returns {Seat[]}
 */
export function seatNames(seats) {
  return seats.map(({ seat, kind, name }) => {
    return { seat, kind, name: name || `${UNNAMED[kind]} ${seat}` };
  });
}
