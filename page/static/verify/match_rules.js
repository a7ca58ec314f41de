// The match rules of a match by number (section 5), with one function for each changed rule.

import { Wrong } from "./report.js";

/** @import { Fields } from "./types.d.ts" */

const FIRST = 1;
/** The newest match rules known to this program. */
export const NEWEST = 2;

// Check that command and event name the same match rules, if any.
/** @param {Fields} command @param {Partial<Fields>} opening @throws {Wrong} */
export function checkMatchRules({ match_rules: inCommand }, { match_rules: inEvent }) {
  if (inCommand === undefined && inEvent === undefined) return;
  if (inCommand !== inEvent || !Number.isInteger(inCommand) || Number(inCommand) <= FIRST) {
    const detail = "command and event do not name the same match rules, a number above 1";
    throw new Wrong(1, "not_opened", detail);
  }
}

// Return the number of the match rules in a checked opening.
/** @param {Partial<Fields>} opening */
export function matchRulesOf({ match_rules: number }) {
  return number === undefined ? FIRST : Number(number);
}

// Return true if a repeated pledge of the match is refused (M19).
/** @param {number} matchRules */
export function takesEachPledgeOnce(matchRules) {
  return matchRules > FIRST;
}

// Return true if a join with a key must have a proof, too (M18).
/** @param {number} number */
export function takesProvenKeys(number) {
  return number > FIRST;
}

// Return true if the opening must list the commands that hide something (M18).
/** @param {number} number */
export function tellsHidingCommands(number) {
  return number > FIRST;
}
