// The revelation at the end of a match: everything that was sealed, laid open (sections 4 and 5).

import { checkParts, digestsOf } from "./chain.js";
import { isObject, isPart } from "./form.js";
import { checkedKey, openingOf } from "./opening.js";
import { Wrong } from "./wrong.js";

/** @import { MatchKey } from "./keys.js" */
/** @import { Entry } from "./types.d.ts" */

/** @param {Entry[]} entries */
export function isRevealed(entries) {
  return entries.at(-1)?.commit.events.at(-1)?.type === "secrets_revealed";
}

/**
 * Check what the last commit lays open: the committed secret, and all secret parts and no others.
 * @param {Entry[]} entries
 * @returns {Promise<{key: MatchKey, parts: Record<string, Record<string, any>>}>} @throws {Wrong}
 */
export async function checkRevelation(entries) {
  const number = entries.length;
  const first = /** @type {Entry} */ (entries[0]).commit;
  const revelation = entries.at(-1)?.commit.events.at(-1);

  const key = await checkedKey(number, revelation.secret, openingOf(first));
  const parts = revelation.parts;
  if (!isObject(parts) || !Object.values(parts).every(isObject)) {
    throw new Wrong(number, "unreadable", "its revelation has no parts");
  }
  checkPartForms(entries, parts);
  checkComplete(entries, parts);

  const fitting = entries.map((entry) => checkRevealed(number, entry, parts));
  await Promise.all(fitting);
  return { key, parts };
}

/** @param {number} version @param {Record<string, any>} parts @param {MatchKey} key */
export async function saltsOf(version, parts, key) {
  const salts = Object.keys(parts).map(async (audience) => {
    return /** @type {[string, string]} */ ([audience, await key.salt(version, audience)]);
  });
  return new Map(await Promise.all(salts));
}

/**
 * Check that the salts of a commit's secret parts are those that follow from the match's key.
 * @param {number} version @param {Record<string, any>} parts @param {Map<string, string>} salts
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

/**
 * Check that what is revealed of each commit has the form of secret parts.
 * @param {Entry[]} entries @param {Record<string, Record<string, any>>} parts
 */
function checkPartForms(entries, parts) {
  for (const { commit } of entries) {
    const revealed = Object.values(parts[String(commit.version)] ?? {});
    if (!revealed.every((part) => isPart(part, commit.events.length))) {
      const detail = `what it reveals of commit ${commit.version} has not the form of secret parts (M9)`;
      throw new Wrong(entries.length, "unreadable", detail);
    }
  }
}

/** @param {Entry[]} entries @param {Record<string, Record<string, any>>} parts */
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

/** @param {Record<string, any> | undefined} parts @param {Record<string, string>} sealed */
function hasPartsFor(parts, sealed) {
  if (parts === undefined) return false;
  const audiences = Object.keys(parts);
  return (
    audiences.length === Object.keys(sealed).length &&
    audiences.every((name) => Object.hasOwn(sealed, name))
  );
}

/**
 * @param {number} number @param {Entry} entry @param {Record<string, Record<string, any>>} parts
 */
async function checkRevealed(number, { commit }, parts) {
  const revealed = parts[String(commit.version)] ?? {};
  const partDigests = await digestsOf(revealed);
  try {
    checkParts(number, commit.secrets, partDigests);
  } catch {
    const detail = `a part that it reveals of commit ${commit.version} does not fit its digest (M9)`;
    throw new Wrong(number, "revelation_differs", detail);
  }
}
