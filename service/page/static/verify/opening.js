// The opening of a match: its sealed secret, and the id that the secret is bound to (section 5).

import { isDigest } from "./form.js";
import { MatchKey } from "./keys.js";
import { Wrong } from "./wrong.js";

/** @import { Content } from "./types.d.ts" */

/**
 * Return the event that opens a match; {} if the first commit has no event.
 * @param {Content} first @returns {any}
 */
export function openingOf(first) {
  return first.events[0] ?? {};
}

/**
 * Check that a first commit opens a match, seals its secret, and is bound to no other match.
 * Nothing secret is needed for that.
 * @param {Content} first @throws {Wrong}
 */
export function checkSealing(first) {
  const { command } = first;
  const opening = openingOf(first);
  const isOpening = command.type === "open" && opening.type === "match_opened";
  if (!isOpening || typeof opening.rules !== "string" || opening.rules !== command.rules) {
    const detail = "the first commit must open a match by the rules that its command names";
    throw new Wrong(1, "not_opened", detail);
  }
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
    const detail =
      "its commits are of another match than the one that its secret is bound to (M10)";
    throw new Wrong(1, "relabelled", detail);
  }
}

/**
 * Check that the house's part of a first commit holds the committed secret, twice.
 * @param {Content} first @param {any} housePart @throws {Wrong}
 */
export async function checkSealed(first, housePart) {
  const secrets = ["command", "0"].map((place) => housePart[place]?.secret ?? null);
  if (secrets.includes(null)) {
    throw notSealed("the house's part of the first commit does not hold the match's secret (M10)");
  }
  for (const secret of secrets) await checkedKey(1, secret, openingOf(first));
}

/**
 * Return the key that a secret makes, if the match's opening is committed to it. The length of the
 * secret is checked: the key of another match is longer than any secret.
 * @param {number} number @param {unknown} secret @param {any} opening @throws {Wrong}
 */
export async function checkedKey(number, secret, opening) {
  if (!isDigest(secret)) {
    throw new Wrong(number, "commitment_broken", "the match's secret is not 32 bytes in hex");
  }

  const key = await MatchKey.ofSecret(secret, opening.match);
  if ((await key.commitment()) !== opening.commitment) {
    const detail = "the match's secret is not the one that was committed to (M10)";
    throw new Wrong(number, "commitment_broken", detail);
  }
  return key;
}

/** @param {string} detail */
function notSealed(detail) {
  return new Wrong(1, "not_sealed", detail);
}
