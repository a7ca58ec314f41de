/** What a check of a record has found. */

/** @typedef {import("./wrong.js").Fault} Fault */

/**
 * How much was found right.
 *
 * @typedef {object} Counts
 * @property {number} commits whose bytes, hash, place and time are right
 * @property {number} sealed secret parts that the commits hold the digests of
 * @property {number} opened secret parts that were compared with their digests
 * @property {number} salts that follow from the match's key
 * @property {number} receipts with a right signature, of a commit in the record
 * @property {number} vouched the last version that a receipt vouches for; 0: none does
 * @property {number} views that have the digest in their commit
 */

/**
 * What was checked of a record and what could not be.
 *
 * @typedef {object} Report
 * @property {"right" | "partly_checked" | "wrong"} verdict partly_checked: nothing is wrong, but
 *   something could not be checked
 * @property {Fault | null} wrong the first fault
 * @property {string} match
 * @property {string} rules
 * @property {string} hash the last commit's
 * @property {boolean} bound whether the match's secret is bound to its id
 * @property {boolean} redacted whether some commit lacks secret parts
 * @property {boolean} ended whether the last commit is the revelation
 * @property {Counts} counts
 * @property {string[]} seeds the seed of each commit's draws, in hex; [] while it is secret
 * @property {string[]} unchecked what could not be checked, and why
 * @property {string[]} notes what no check can tell
 */

/** What a record that has not ended cannot tell by itself. */
export const END =
  "the end: only a receipt or the server can tell whether later commits are missing";

/**
 * Return a report in which nothing was checked yet.
 *
 * @returns {Report}
 */
export function newReport() {
  return {
    verdict: "right",
    wrong: null,
    match: "",
    rules: "",
    hash: "",
    bound: false,
    redacted: false,
    ended: false,
    counts: {
      commits: 0,
      sealed: 0,
      opened: 0,
      salts: 0,
      receipts: 0,
      vouched: 0,
      views: 0,
    },
    seeds: [],
    unchecked: [],
    notes: [],
  };
}
