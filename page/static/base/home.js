// Addresses: the prefix of the service, its pages and its API.

/** @import { Move } from "../replay/types.d.ts" */
/** @import { Paths, Place } from "./types.d.ts" */

export const HOME = globalThis.document?.documentElement.dataset.home ?? "";

const MATCH_ADDRESS = /^\/matches\/([a-z2-7]{26})(?:\/([0-9]+|audit))?\/?$/;

/** @param {{ pathname: string }} [address] @returns {Place} */
export function place(address = window.location) {
  const path = address.pathname.slice(HOME.length);
  const found = MATCH_ADDRESS.exec(path);
  if (!found) return { page: "lobby", match: null, version: null };

  const match = found[1] ?? null;
  if (found[2] === "audit") return { page: "audit", match, version: null };
  const version = found[2] === undefined ? null : Number(found[2]);
  return { page: "table", match, version };
}

/** @param {string} match @param {number | null} [version] */
export function addressOf(match, version = null) {
  const table = `${HOME}/matches/${match}`;
  return version === null ? table : `${table}/${version}`;
}

// Return the address of the form for a fork, the continuation of a match from a version (M21).
/** @param {string} match @param {number} version */
export function forkAddress(match, version) {
  return `${HOME}/?fork=${match}.${version}`;
}

const FORK = /^([a-z2-7]{26})\.([1-9][0-9]{0,5})$/;

/** @param {string} search @returns {{ match: string, version: number } | null} */
export function forkAsked(search) {
  const found = FORK.exec(new URLSearchParams(search).get("fork") ?? "");
  return found ? { match: found[1] ?? "", version: Number(found[2]) } : null;
}

/** @param {string} match */
export function auditAddress(match) {
  return `${HOME}/matches/${match}/audit`;
}

// Return the address of a player: a public key, or "bot:" and a level.
/** @param {string} player */
export function playerAddress(player) {
  return `${HOME}/players/${player}`;
}

/** @param {string} game */
export function ladderAddress(game) {
  return `${HOME}/ladder?game=${game}`;
}

// Return the address of a game's rules, or of one rule. A number with M at its start is a rule of
// every match, in any game.
/** @param {string} game @param {string} [rule] */
export function rulesAddress(game, rule = "") {
  const book = rule.startsWith("M") ? "match" : game;
  return `${HOME}/rules/${book}${rule ? `#${rule}` : ""}`;
}

// Return a link with a token. It is in the fragment, and browsers send a fragment to no server.
/** @param {string} match @param {string} token */
export function linkWithToken(match, token) {
  return `${window.location.origin}${addressOf(match)}#token=${token}`;
}

/** The paths of the API below the prefix, with the types of their answers. */
export const paths = /** @type {Paths} */ ({
  games: () => "/v1/games",
  game: (game) => `/v1/games/${game}`,
  keys: () => "/v1/keys",
  ladder: () => "/v1/ladder",
  player: (player) => `/v1/players/${player}`,
  matches: () => "/v1/matches",
  myStream: () => "/v1/me/stream",
  match: (match, below) => `/v1/matches/${match}${below ? `/${below}` : ""}`,
});

// ---- the address of the table page, with the shown version --------------------------------------

const CALM = 250; // milliseconds from the last step to the change of the address

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

// Show the version in the address. Browsers refuse frequent changes, so a series of steps changes it
// once, at its end.
/** @param {string} match @param {number | null} version @param {Move} move */
export function tellAddress(match, version, move) {
  const address = addressOf(match, version) + window.location.search;
  clearTimeout(waiting);
  if (move === "jump") {
    if (address !== here()) history.pushState(null, "", address);
    return;
  }
  waiting = setTimeout(() => {
    if (address !== here()) history.replaceState(null, "", address);
  }, CALM);
}

// Call `visit` with the version that the reader returns to by the buttons of the browser.
/** @param {(version: number | null) => void} visit @param {AbortSignal} signal */
export function onReturn(visit, signal) {
  const listener = () => {
    clearTimeout(waiting);
    visit(place().version);
  };
  window.addEventListener("popstate", listener, { signal });
}

function here() {
  return window.location.pathname + window.location.search;
}
