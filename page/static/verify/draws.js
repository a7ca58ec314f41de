// Chance, drawn from a seed (record format, section 7).

import { fromHex, hmacWith, sha256, toHex } from "./digests.js";
import { EVENTS } from "./match_messages.js";

/** @import { Bytes, Entry, Fields } from "./types.d.ts" */

// The number of different values of a block.
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

  /** @param {number[]} counts number of things of each kind in the bag */
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

// ---- the key of a match, and the values derived from it (sections 5 and 6 of the record format) ---

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

// ---- the parts of each commit's seed (section 6) -------------------------------------------------

// Return the parts of each commit's seed beside the key: the kind of number, the number, and the
// entropy of the seats in hex. A commit counts the entropy known before it, and that in its own
// disclosure. The first commit counts the entropy in its opening.
/** @param {Entry[]} entries @returns {["draw" | "move", number, string[]][]} */
export function seedPartsOf(entries) {
  const opened = entries[0]?.commit.events[0];
  let entropy = seatsOf(opened).map((seat) => textOf(seat?.entropy));
  /** The versions of the standing moves. @type {number[]} */
  let moves = [];

  return entries.map(({ commit }) => {
    const before = entropy;
    const number = moves.length;
    for (const event of commit.events) {
      entropy = afterwards(entropy, event);
      if (event.type === "taken_back") moves = moves.filter((made) => made <= Number(event.to));
    }
    const isMove = commit.events.some((event) => !EVENTS.has(event.type));
    if (isMove) moves.push(commit.version);

    const given = commit.command.type === "disclose" ? entropy : before;
    return goesByMoves(entries) ? ["move", number, given] : ["draw", commit.version, given];
  });
}

// Return true if the draws of a match go by its moves, and not by its versions.
/** @param {Entry[]} entries */
export function goesByMoves(entries) {
  return entries[0]?.commit.events[0]?.draws === "moves";
}

/** @param {string[]} entropy @param {Fields} event */
function afterwards(entropy, event) {
  if (event.type === "pledges_dropped") return entropy.map(() => "");
  const isChange = ["seat_joined", "seat_left", "entropy_disclosed"].includes(event.type);
  if (!isChange || !Number.isInteger(event.seat) || !(event.seat in entropy)) return entropy;

  const given = event.type === "seat_left" ? "" : textOf(event.entropy);
  return entropy.with(event.seat, given);
}

/** @param {Fields | undefined} opened @returns {({ entropy?: unknown } | null)[]} */
function seatsOf(opened) {
  return Array.isArray(opened?.seats) ? opened.seats : [];
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === "string" ? value : "";
}
