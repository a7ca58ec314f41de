// The result of a check of a record.

/** @import { Fault, Report } from "./types.d.ts" */

// The open question of a record of an unfinished match.
export const END =
  "the end: only a receipt or the server can tell whether later commits are missing";

/** @returns {Report} */
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
    base: null,
    counts: {
      commits: 0,
      sealed: 0,
      opened: 0,
      salts: 0,
      receipts: 0,
      vouched: 0,
      views: 0,
      disclosed: 0,
    },
    signers: [],
    seeds: [],
    unchecked: [],
    notes: [],
  };
}

// ---- faults of a record -------------------------------------------------------------------------

export class Wrong extends Error {
  /**
   * @param {number} commit the first bad commit; 0: the record as a whole
   * @param {string} code such as "hash_differs" @param {string} detail
   */
  constructor(commit, code, detail) {
    super(commit > 0 ? `commit ${commit}: ${detail}` : detail);
    this.commit = commit;
    this.code = code;
    this.detail = detail;
  }

  /** @returns {Fault} */
  fault() {
    return { commit: this.commit, code: this.code, detail: this.detail };
  }
}
