// The history behind a seat's signature, checked in this browser first (docs/decisions/0090).

import { bytesOf, Problem } from "../base/api.js";
import { paths } from "../base/home.js";
import { checkParts, digestsOf } from "../verify/chain.js";
import { canonical, NotCanonical, textDigest } from "../verify/digests.js";
import { checkForm, linesOf, readLine } from "../verify/lines.js";
import { Wrong } from "../verify/report.js";
import { advance, placeOf } from "./store.js";

/** @import { Api } from "../base/api.js" */
/** @import { Place, Signing } from "./types.d.ts" */

// Members of a view for one seat alone (record format, section 3). Nothing seals them.
const OWN_MEMBERS = ["own", "build"];

// An answer of the server cannot be true, so nothing is signed.
export class Untrue extends Problem {
  /** @param {string} why a sentence */
  constructor(why) {
    super(409, {
      title: "The answer of the server cannot be true",
      detail: `${why} So your browser has signed nothing.`,
    });
  }
}

/** @param {string} detail */
export function movedOn(detail) {
  return new Problem(412, { title: "The match has moved on", detail });
}

/**
 * Check the history up to the shown version, and the shown table. Return the place of the last
 * commit.
 * @param {Api} api of the seat @param {Signing} signing
 * @returns {Promise<Place>} @throws {Problem} Untrue; 412 if the match has moved on since
 */
export async function checkedPlace(api, signing) {
  const place = await checkedUpTo(api, signing);
  if (place.version > signing.version) throw movedOn(`It is at version ${place.version} now.`);

  let { view } = signing;
  if (view === undefined) {
    const query = { version: signing.version };
    view = (await api.get(paths.match(signing.match, "state"), { query })).value.state;
  }
  if (!(await isAsSealed(view, place.view)))
    throw new Untrue("The table that it shows is not the one that the last commit has sealed.");
  return place;
}

/**
 * Read the commits since the last verified one, and check them.
 * @param {Api} api @param {Omit<Signing, "seat" | "view">} seen
 * @returns {Promise<Place>} that of the last commit, maybe beyond the shown version @throws {Untrue}
 */
export async function checkedUpTo(api, { key, match, version, hash }) {
  let place = await placeOf(key, match);
  let hashThere = place.version === version ? place.hash : null;
  if (version > place.version) {
    const query = { after: place.version };
    const record = await bytesOf(await api.send("GET", paths.match(match, "record"), { query }));
    for (const line of linesOf(record)) {
      place = await next(place, match, line);
      if (place.version === version) hashThere = place.hash;
    }
    const stored = await advance(key, match, place);
    if (stored.version === place.version && stored.hash !== place.hash) hashThere = null;
    place = stored;
  } else if (version < place.version) {
    const { value } = await api.get(paths.match(match));
    if (value.version >= place.version) return place;
  }
  if (hashThere !== hash) {
    const told = Math.max(version, place.version);
    throw new Untrue(`It shows another version ${told} of this match than before.`);
  }
  return place;
}

/**
 * Return the place after a commit. The commit must follow from the one before.
 * @param {Place} before @param {string} match @param {Uint8Array} line
 * @returns {Promise<Place>} @throws {Untrue}
 */
async function next(before, match, line) {
  const version = before.version + 1;
  try {
    const { entry, contentText } = readLine(line, version);
    checkForm(entry, version);
    const { commit } = entry;
    const hash = await textDigest(contentText);
    checkParts(version, commit.secrets, await digestsOf(entry.secrets));
    const follows =
      hash === entry.hash &&
      commit.prev === before.hash &&
      commit.version === version &&
      commit.match === match;
    if (!follows) throw new Wrong(version, "chain_broken", "it does not follow");
    const isFinal = commit.events.some(({ type }) => type === "secrets_revealed");
    return { version, hash, view: commit.view, isFinal, signed: null };
  } catch (failure) {
    if (!(failure instanceof Wrong)) throw failure;
    throw new Untrue(`In its history commit ${version} does not follow from the one before.`);
  }
}

/**
 * Return true if a seat's view is the public one sealed by a commit, plus the seat's own part.
 * @param {object | null} shown @param {string} view
 */
async function isAsSealed(shown, view) {
  if (shown === null) return view === "";
  const given = Object.entries(shown);
  const own = OWN_MEMBERS.filter((name) => Object.hasOwn(shown, name));
  const choices = [[], ...own.map((name) => [name]), own];
  try {
    for (const without of choices) {
      const open = given.filter(([name]) => !without.includes(name));
      if ((await textDigest(canonical(Object.fromEntries(open)))) === view) return true;
    }
  } catch (failure) {
    if (!(failure instanceof NotCanonical)) throw failure;
  }
  return false;
}
