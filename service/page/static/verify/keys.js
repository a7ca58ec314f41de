/** The key of a match, and what follows from it (sections 5 and 6 of docs/fairness.md). */

import { fromHex, toHex } from "./bytes.js";
import { hmacWith, sha256 } from "./digests.js";

/** @typedef {import("./bytes.js").Bytes} Bytes */

/** The key of a match: salts and seeds are made with it. */
export class MatchKey {
  /**
   * @param {Bytes} bytes
   * @param {(text: string) => Promise<Bytes>} mac HMAC-SHA-256 with the key
   */
  constructor(bytes, mac) {
    this.bytes = bytes;
    this.mac = mac;
  }

  /**
   * Return the key of given bytes.
   *
   * @param {Bytes} bytes
   */
  static async of(bytes) {
    return new MatchKey(bytes, await hmacWith(bytes, "SHA-256"));
  }

  /**
   * Return the key that a match's secret makes.
   *
   * @param {string} secret 32 bytes in hex
   * @param {string | undefined} match the id that the secret is bound to; undefined: to none
   */
  static async ofSecret(secret, match) {
    const bytes = fromHex(secret);
    if (match === undefined) return MatchKey.of(bytes);

    const bind = await hmacWith(bytes, "SHA-512");
    return MatchKey.of(await bind(`match|${match}`));
  }

  /** Return what the opening of the match publishes: SHA-256 of the key, in hex. */
  async commitment() {
    return toHex(await sha256(this.bytes));
  }

  /**
   * Return the salt of a secret part, in hex.
   *
   * @param {number} version
   * @param {string} audience "house" or "seat:N"
   */
  async salt(version, audience) {
    return toHex(await this.mac(`salt|${version}|${audience}`));
  }

  /**
   * Return the seed of a commit's draws.
   *
   * @param {number} version the version that the commit makes
   * @param {string[]} entropy by seat, in hex; "" for a seat without any
   * @returns {Promise<Bytes>}
   */
  async seed(version, entropy) {
    return this.mac(["draw", version, ...entropy].join("|"));
  }
}
