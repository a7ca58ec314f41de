// The base of a fork, as its first commit names it, compared with the record of that match (record
// format, section 10).

import { canonical } from "./digests.js";
import { isDigest, isObject } from "./lines.js";
import { END, Wrong } from "./report.js";

/** @import { Base, Content, Entry, Fields, Report } from "./types.d.ts" */

const MATCH = /^[a-z2-7]{26}$/;
const MEMBERS = ["hash", "match", "state", "version"];
const TERMS = ["game", "rules", "options"];

/**
 * Return the base in a first commit, null if it opens no fork. Command and event must name the same
 * one, in the form of a base.
 * @param {Content} first @returns {Base | null} @throws {Wrong}
 */
export function baseOf({ command, events }) {
  const forks = events.filter((event) => event.type === "forked");
  const inCommand = command.base;
  if (inCommand === undefined && forks.length === 0) return null;

  const [fork] = forks;
  const isSecond = forks.length === 1 && events[1] === fork;
  if (!isSecond || !isBase(inCommand) || !isSame(fork?.base, inCommand)) {
    const detail =
      "command and event do not name the same base, with a version, hash and state (M21)";
    throw new Wrong(1, "bad_base", detail);
  }
  return inCommand;
}

/** @param {unknown} value @returns {value is Base} */
function isBase(value) {
  if (!isObject(value) || Object.keys(value).sort().join() !== MEMBERS.join()) return false;
  const { match, version, hash, state } = value;
  const isMatch = typeof match === "string" && MATCH.test(match);
  return (
    isMatch &&
    Number(version) > 0 &&
    typeof version === "number" &&
    isDigest(hash) &&
    isObject(state)
  );
}

/** @param {unknown} one @param {unknown} other */
function isSame(one, other) {
  if (one === undefined || other === undefined) return one === other;
  return canonical(one) === canonical(other);
}

// Return the unchecked part of a fork's record if the record of its base is missing.
/** @param {Base} base */
export function notAtHand({ match, version }) {
  return `the base: only the record of match ${match} can show its version ${version}`;
}

/**
 * Compare the base of a fork with that match, and return the unchecked parts. The named state could
 * be checked only by playing the base by the rules of its game. So the public views are compared.
 * @param {Entry[]} fork @param {Base} named @param {Report} report on the base
 * @param {Entry[]} base @returns {string[]} @throws {Wrong}
 */
export function compareWithBase(fork, named, report, base) {
  if (report.wrong !== null) {
    const detail = `the record of its base, match ${named.match}, is wrong: ${report.wrong.detail}`;
    throw new Wrong(1, "base_wrong", detail);
  }
  if (base.length < named.version) {
    if (report.ended) throw differs(named, `it has only ${base.length} versions`);
    return [notAtHand(named)];
  }

  const last = /** @type {Entry} */ (base[named.version - 1]);
  if (last.hash !== named.hash) throw differs(named, "that commit has another hash");
  compareTerms(named, openingIn(fork), openingIn(base));

  const reasons = report.unchecked.filter((reason) => reason !== END);
  const left = reasons.map((reason) => `the base, match ${named.match}: ${reason}`);
  return [...left, ...compareViews(fork, named, last, openingIn(base))];
}

/** @param {Base} named @param {Fields} fork @param {Fields} base */
function compareTerms(named, fork, base) {
  for (const term of TERMS) {
    if (!isSame(fork[term], base[term])) throw differs(named, `it has other ${term}`);
  }
  if (seatsIn(fork) !== seatsIn(base)) throw differs(named, "it has another number of seats");
  if (base.visibility === "private" && fork.visibility !== "private") {
    throw differs(named, "it is private, but its fork is not");
  }
}

/** @param {Entry[]} fork @param {Base} named @param {Entry} last @param {Fields} opening */
function compareViews(fork, named, last, opening) {
  const start = fork.find(({ commit }) =>
    commit.events.some(({ type }) => type === "match_started"),
  );
  if (start === undefined) return [];
  if (openingIn(fork).views !== opening.views) {
    return [`the base, match ${named.match}: its view digests are of another version`];
  }
  if (start.commit.view !== last.commit.view) {
    throw differs(named, "the public saw another state then");
  }
  return [];
}

/** @param {Entry[]} entries */
function openingIn(entries) {
  return /** @type {Fields} */ (entries[0]?.commit.events[0]);
}

/** @param {Fields} opening */
function seatsIn({ seats }) {
  return Array.isArray(seats) ? seats.length : 0;
}

/** @param {Base} named @param {string} how */
function differs({ match, version }, how) {
  const detail = `match ${match} was different at version ${version}: ${how} (M21)`;
  return new Wrong(1, "base_differs", detail);
}
