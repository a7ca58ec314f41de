// What an audit finds wrong. A finding names the place and the reason.
/** @import { Fault } from "./types.d.ts" */

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
