// The key of a match, and what follows from it (sections 5 and 6 of docs/fairness.md).

import { fromHex, toHex } from "./bytes.js";
import { hmacWith, sha256 } from "./digests.js";

/** @import { Bytes } from "./types.d.ts" */

export class MatchKey {
  /** @param {Bytes} bytes @param {(text: string) => Promise<Bytes>} mac */
  constructor(bytes, mac) {
    this.bytes = bytes;
    this.mac = mac;
  }

  /** @param {Bytes} bytes */
  static async of(bytes) {
    return new MatchKey(bytes, await hmacWith(bytes, "SHA-256"));
  }

  /** @param {string} secret 32 bytes in hex @param {string | undefined} match */
  static async ofSecret(secret, match) {
    const bytes = fromHex(secret);
    if (match === undefined) return MatchKey.of(bytes);

    const bind = await hmacWith(bytes, "SHA-512");
    return MatchKey.of(await bind(`match|${match}`));
  }

  async commitment() {
    return toHex(await sha256(this.bytes));
  }

  /** @param {number} version @param {string} audience "house" or "seat:N" */
  async salt(version, audience) {
    return toHex(await this.mac(`salt|${version}|${audience}`));
  }

  /**
   * Return the seed of a commit's draws.
   * @param {number} version @param {string[]} entropy @returns {Promise<Bytes>}
   */
  async seed(version, entropy) {
    return this.mac(["draw", version, ...entropy].join("|"));
  }
}
