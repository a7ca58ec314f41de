/** Where things are: the prefix that the service is mounted at, and the addresses of the pages. */

/** The path prefix of the service, "" if it has none. */
export const HOME = globalThis.document?.documentElement.dataset.home ?? "";

/**
 * What an address shows.
 *
 * @typedef {object} Place
 * @property {"lobby" | "table" | "audit"} page
 * @property {string | null} match
 * @property {number | null} version the moment; null: the present, followed live
 */

const MATCH_ADDRESS = /^\/matches\/([a-z2-7]{26})(?:\/([0-9]+|audit))?\/?$/;

/**
 * Return what an address shows.
 *
 * @param {{ pathname: string }} [address]
 * @returns {Place}
 */
export function place(address = window.location) {
  const path = address.pathname.slice(HOME.length);
  const found = MATCH_ADDRESS.exec(path);
  if (!found) return { page: "lobby", match: null, version: null };

  const match = found[1] ?? null;
  if (found[2] === "audit") return { page: "audit", match, version: null };
  const version = found[2] === undefined ? null : Number(found[2]);
  return { page: "table", match, version };
}

/**
 * Return the address of a match, or of one of its moments.
 *
 * @param {string} match
 * @param {number | null} [version]
 * @returns {string}
 */
export function addressOf(match, version = null) {
  const table = `${HOME}/matches/${match}`;
  return version === null ? table : `${table}/${version}`;
}

/**
 * Return the address of the page that checks a match.
 *
 * @param {string} match
 * @returns {string}
 */
export function auditAddress(match) {
  return `${HOME}/matches/${match}/audit`;
}

/**
 * Return the address of a game's rules, or of one of them.
 *
 * A number that begins with M is a rule of every match, whatever the game.
 *
 * @param {string} game
 * @param {string} [rule] such as "C37"
 * @returns {string}
 */
export function rulesAddress(game, rule = "") {
  const book = rule.startsWith("M") ? "match" : game;
  return `${HOME}/rules/${book}${rule ? `#${rule}` : ""}`;
}

/**
 * Return a link that hands a token on: it stands in the fragment, which no server is sent.
 *
 * @param {string} match
 * @param {string} token
 * @returns {string} a whole address with its host
 */
export function linkWithToken(match, token) {
  return `${window.location.origin}${addressOf(match)}#token=${token}`;
}

/** The paths of the API, below the prefix. */
export const paths = {
  games: () => "/v1/games",
  /** @param {string} game */
  game: (game) => `/v1/games/${game}`,
  keys: () => "/v1/keys",
  matches: () => "/v1/matches",
  /**
   * The path of a match, or of what lies below it, such as "moves".
   *
   * @param {string} match
   * @param {string} [below]
   */
  match: (match, below = "") => `/v1/matches/${match}${below ? `/${below}` : ""}`,
};
