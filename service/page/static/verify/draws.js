// What chance decides, drawn from a seed (section 7 of docs/fairness.md).

import { fromHex, hmacWith, sha256, toHex } from "./digests.js";

/** @import { Bytes } from "./types.d.ts" */

// How many different numbers a block can be.
const SPACE = 1n << 256n;

export class Draws {
  /** @param {Bytes} seed */
  constructor(seed) {
    this.seed = seed;
    this.used = 0n;
  }

  // Return a whole number below n. Every result is equally likely.
  /** @param {bigint} n @returns {Promise<bigint>} */
  async below(n) {
    const limit = SPACE - (SPACE % n);
    for (;;) {
      const number = await this.next();
      if (number < limit) return number % n;
    }
  }

  /** @param {number[]} counts how many things of each kind are in the bag */
  async kind(counts) {
    const things = counts.reduce((sum, count) => sum + count, 0);
    let number = Number(await this.below(BigInt(things)));

    for (const [kind, count] of counts.entries()) {
      if (number < count) return kind;
      number -= count;
    }
    throw new RangeError("the bag is empty");
  }

  /** @template Item @param {Item[]} items */
  async shuffled(items) {
    const result = [...items];
    for (let last = result.length - 1; last > 0; last--) {
      const chosen = Number(await this.below(BigInt(last + 1)));
      const moved = result[last];
      result[last] = /** @type {Item} */ (result[chosen]);
      result[chosen] = /** @type {Item} */ (moved);
    }
    return result;
  }

  async next() {
    const block = new Uint8Array(this.seed.length + 8);
    block.set(this.seed);
    new DataView(block.buffer).setBigUint64(this.seed.length, this.used);
    this.used += 1n;
    return BigInt(`0x${toHex(await sha256(block))}`);
  }
}

// ---- the key of a match, and what follows from it (sections 5 and 6 of docs/fairness.md) --------

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

  // Return the seed of a commit's draws.
  /**
   * @param {"draw" | "move"} counted what `number` counts: versions, or the moves before the commit
   * @param {number} number @param {string[]} entropy @returns {Promise<Bytes>}
   */
  async seed(counted, number, entropy) {
    return this.mac([counted, number, ...entropy].join("|"));
  }
}
