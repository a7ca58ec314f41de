/** What an audit finds wrong. A finding names the place and the reason. */

/**
 * A fault, as the service's own audits tell it.
 *
 * @typedef {object} Fault
 * @property {number} commit the first bad commit; 0: the record as a whole
 * @property {string} code such as "hash_differs"
 * @property {string} detail the reason, for people
 */

/** A record is not what it says it is. */
export class Wrong extends Error {
  /**
   * @param {number} commit the first bad commit; 0: the record as a whole
   * @param {string} code such as "hash_differs"
   * @param {string} detail the reason, for people
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
