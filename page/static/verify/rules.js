// The known rules, and their commands that hide something from other seats: only
// these are signed in a seat's secret part (record format, section 12).

import { matchRulesOf, tellsHidingCommands } from "./match_rules.js";
import { Wrong } from "./report.js";

/** @import { Content, Fields, SecretPart } from "./types.d.ts" */

// By rules: the tags of the commands that hide something, and the version of the public view.
// Released rules hide the same for ever.
/** @type {ReadonlyMap<unknown, { hides: readonly string[], views: number }>} */
const KNOWN = new Map([
  ["calimala/1", { hides: ["keep_scoring_card"], views: 1 }],
  ["firenze/1", { hides: [], views: 1 }],
]);

const TAG = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Return the unchecked part of the play in a match with this opening, with the reason. "": none.
 * @param {Partial<Fields>} opened
 */
export function unplayed({ rules, views }) {
  const known = KNOWN.get(rules);
  if (known === undefined) return `the play: this program does not know the rules ${rules}`;
  if (known.views === views) return "";
  return `view digests: they are of view version ${views}, not ${known.views}`;
}

/**
 * Return the tags of the commands that hide something. The rules decide if they are known, else the
 * opening. Null if neither tells.
 * @param {Partial<Fields>} opened @returns {readonly string[] | null} @throws {Wrong}
 */
export function hidingCommands(opened) {
  const { rules, hides: told } = opened;
  const mustTell = tellsHidingCommands(matchRulesOf(opened));
  if ((mustTell || told !== undefined) && !isListOfTags(told)) {
    const detail = "it does not list the commands with hidden fields (M18)";
    throw new Wrong(1, "not_opened", detail);
  }
  const byRules = KNOWN.get(rules)?.hides;
  if (byRules !== undefined && told !== undefined && told.join() !== byRules.join()) {
    throw new Wrong(1, "not_opened", "its rules list other commands with hidden fields (M18)");
  }
  return byRules ?? told ?? null;
}

/** @param {unknown} value @returns {value is string[]} */
function isListOfTags(value) {
  if (!Array.isArray(value)) return false;
  if (!value.every((tag) => typeof tag === "string" && TAG.test(tag))) return false;
  return value.every((tag, index) => index === 0 || value[index - 1] < tag);
}

/**
 * Check that only a command that may hide something is hidden in a seat's part.
 * @param {Content} commit @param {Record<string, SecretPart>} parts
 * @param {readonly string[] | null} hides @throws {Wrong}
 */
export function checkMayHide({ version, command }, parts, hides) {
  if (hides === null || hides.includes(command.type)) return;
  for (const [audience, part] of Object.entries(parts)) {
    if (audience === "house" || !Object.hasOwn(part, "command")) continue;
    const detail = `its command hides nothing, but a part for ${audience} holds some of it (M18)`;
    throw new Wrong(version, "secrets_differ", detail);
  }
}
