/**
 * What a view of Calimala holds, as types; the service's contract says what each member means.
 *
 * @typedef {object} AgendaItem
 * @property {string} type
 * @property {number} [seat]
 * @property {string} [street]
 * @property {Record<string, number>} [left]
 * @property {boolean} [duty_unmet]
 *
 * @typedef {object} Cubes
 * @property {number[]} cubes by seat
 * @property {number} room
 *
 * @typedef {object} City
 * @property {number[]} cloth by seat
 * @property {number} room
 *
 * @typedef {object} Player
 * @property {number} points
 * @property {number} coloured_discs
 * @property {number} white_discs
 * @property {number} reserve
 * @property {number} wood
 * @property {number} brick
 * @property {number} marble
 * @property {number[]} workshops the cloth in each
 * @property {number} ships
 * @property {string[]} trade_houses
 * @property {number} hand_size
 *
 * @typedef {object} Own
 * @property {Record<string, number>} hand
 * @property {string[]} scoring_cards_dealt
 * @property {string | null} scoring_card_kept
 *
 * @typedef {object} View
 * @property {number[]} actors
 * @property {AgendaItem[]} agenda
 * @property {string[]} grid
 * @property {Record<string, (number | "white")[]>} streets from the bottom up
 * @property {string[]} council
 * @property {(number | null)[]} council_seats
 * @property {number} tiles_scored
 * @property {number[]} palazzo_patrons
 * @property {Record<string, City>} cities
 * @property {Record<string, Record<string, Cubes>>} buildings
 * @property {string[]} open_cards
 * @property {number} deck_size
 * @property {Record<string, number>} discards
 * @property {string | null} face_up_card
 * @property {string[] | null} final_cards
 * @property {number} final_cards_scored
 * @property {Player[]} players
 * @property {number[] | null} ranks
 * @property {Own} [own]
 */

/** @typedef {Omit<import("../board.js").Scene, "view"> & {view: View}} Table a scene of Calimala */

export {};
