// The opening of a match: its sealed secret, and the match ID bound to it (section 5).

import { checkParts, digestsOf } from "./chain.js";
import { MatchKey } from "./draws.js";
import { isDigest, isObject, isPart } from "./lines.js";
import { checkMatchRules } from "./match_rules.js";
import { Wrong } from "./report.js";

/** @import { Content, Entry, Fields, Revealed, SecretPart } from "./types.d.ts" */

// Return the opening event of a match. {} if the first commit has no event.
/** @param {Content} first @returns {Partial<Fields>} */
export function openingOf(first) {
  return first.events[0] ?? {};
}

// Check that a first commit opens a match, seals its secret, and is bound to no other match. This
// needs no secret.
/** @param {Content} first @throws {Wrong} */
export function checkSealing(first) {
  const { command } = first;
  const opening = openingOf(first);
  const isOpening = command.type === "open" && opening.type === "match_opened";
  if (!isOpening || typeof opening.rules !== "string" || opening.rules !== command.rules) {
    const detail = "the first commit must open a match by the rules in its command";
    throw new Wrong(1, "not_opened", detail);
  }
  const draws = [command.draws, opening.draws];
  if (!draws.every((how) => how === undefined) && !draws.every((how) => how === "moves")) {
    throw new Wrong(1, "not_opened", "it does not state the counting of its draws (M10)");
  }
  checkMatchRules(command, opening);
  if (!Object.hasOwn(first.secrets, "house")) {
    throw notSealed("the first commit does not seal the match's secret for the house (M10)");
  }
  if (!isDigest(opening.commitment)) {
    throw notSealed(
      "the first commit is not committed to a secret: its commitment is no digest (M10)",
    );
  }
  const boundTo = [command.match, opening.match];
  const isBound = boundTo.every((match) => match === first.match);
  const isUnbound = boundTo.every((match) => match === undefined);
  if (!isBound && !isUnbound) {
    const detail = "its commits belong to another match than its secret (M10)";
    throw new Wrong(1, "relabelled", detail);
  }
}

// Check that the house's part of a first commit holds the committed secret, twice.
/** @param {Content} first @param {SecretPart} housePart @throws {Wrong} */
export async function checkSealed(first, housePart) {
  const secrets = ["command", "0"].map((place) => {
    const fields = /** @type {{ secret?: unknown } | undefined} */ (housePart[place]);
    return fields?.secret ?? null;
  });
  if (secrets.includes(null)) {
    throw notSealed("the house's part of the first commit does not hold the match's secret (M10)");
  }
  for (const secret of secrets) await checkedKey(1, secret, openingOf(first));
}

/**
 * Return the key made from a secret, if the match's opening is committed to it. The length of the
 * secret is checked, because the key of another match is longer than any secret.
 * @param {number} number @param {unknown} secret @param {Partial<Fields>} opening @throws {Wrong}
 */
async function checkedKey(number, secret, opening) {
  if (!isDigest(secret)) {
    throw new Wrong(number, "commitment_broken", "the match's secret is not 32 bytes in hex");
  }

  const key = await MatchKey.ofSecret(secret, /** @type {string | undefined} */ (opening.match));
  if ((await key.commitment()) !== opening.commitment) {
    const detail = "the match's secret does not fit its commitment (M10)";
    throw new Wrong(number, "commitment_broken", detail);
  }
  return key;
}

/** @param {string} detail */
function notSealed(detail) {
  return new Wrong(1, "not_sealed", detail);
}

// ---- the revelation at the end of a match -------------------------------------------------------

/** @param {Entry[]} entries */
export function isRevealed(entries) {
  return entries.at(-1)?.commit.events.at(-1)?.type === "secrets_revealed";
}

// Check the revelation in the last commit: the committed secret, and all secret parts and no others.
/** @param {Entry[]} entries @returns {Promise<{key: MatchKey, parts: Revealed}>} @throws {Wrong} */
export async function checkRevelation(entries) {
  const number = entries.length;
  const first = /** @type {Entry} */ (entries[0]).commit;
  const revelation = /** @type {Fields} */ (entries.at(-1)?.commit.events.at(-1));

  const key = await checkedKey(number, revelation.secret, openingOf(first));
  const parts = /** @type {Revealed} */ (revelation.parts);
  if (!isObject(parts) || !Object.values(parts).every(isObject)) {
    throw new Wrong(number, "unreadable", "its revelation has no parts");
  }
  checkPartForms(entries, parts);
  checkComplete(entries, parts);

  const fitting = entries.map((entry) => checkRevealed(number, entry, parts));
  await Promise.all(fitting);
  return { key, parts };
}

/** @param {number} version @param {Record<string, SecretPart>} parts @param {MatchKey} key */
export async function saltsOf(version, parts, key) {
  const salts = Object.keys(parts).map(async (audience) => {
    return /** @type {[string, string]} */ ([audience, await key.salt(version, audience)]);
  });
  return new Map(await Promise.all(salts));
}

/**
 * Check that the salts of a commit's secret parts follow from the match's key.
 * @param {number} version @param {Record<string, SecretPart>} parts @param {Map<string, string>} salts
 * @throws {Wrong}
 */
export function checkSalts(version, parts, salts) {
  for (const [audience, part] of Object.entries(parts)) {
    if (part.salt !== salts.get(audience)) {
      const detail = `the salt of the part for ${audience} does not follow (M10)`;
      throw new Wrong(version, "salt_wrong", detail);
    }
  }
}

// Check that the revealed parts of each commit have the form of secret parts.
/** @param {Entry[]} entries @param {Revealed} parts */
function checkPartForms(entries, parts) {
  for (const { commit } of entries) {
    const revealed = Object.values(parts[String(commit.version)] ?? {});
    if (!revealed.every((part) => isPart(part, commit.events.length))) {
      const detail = `its revelation of commit ${commit.version} does not have the form of secret parts (M9)`;
      throw new Wrong(entries.length, "unreadable", detail);
    }
  }
}

/** @param {Entry[]} entries @param {Revealed} parts */
function checkComplete(entries, parts) {
  const sealed = entries.filter(({ commit }) => Object.keys(commit.secrets).length > 0);
  const isComplete =
    Object.keys(parts).length === sealed.length &&
    sealed.every(({ commit }) => hasPartsFor(parts[String(commit.version)], commit.secrets));

  if (!isComplete) {
    const detail = "it must reveal all secret parts and no others (M9)";
    throw new Wrong(entries.length, "revelation_differs", detail);
  }
}

/** @param {Record<string, SecretPart> | undefined} parts @param {Record<string, string>} sealed */
function hasPartsFor(parts, sealed) {
  if (parts === undefined) return false;
  const audiences = Object.keys(parts);
  return (
    audiences.length === Object.keys(sealed).length &&
    audiences.every((name) => Object.hasOwn(sealed, name))
  );
}

/**
 * @param {number} number @param {Entry} entry @param {Revealed} parts
 */
async function checkRevealed(number, { commit }, parts) {
  const revealed = parts[String(commit.version)] ?? {};
  const partDigests = await digestsOf(revealed);
  try {
    checkParts(number, commit.secrets, partDigests);
  } catch {
    const detail = `a revealed part of commit ${commit.version} does not fit its digest (M9)`;
    throw new Wrong(number, "revelation_differs", detail);
  }
}
