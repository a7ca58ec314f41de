// Policies: the trusted logs, and the required witnesses of a checkpoint (C2SP tlog-policy),
// in the form of `giornale verify --policy`.

import { BadProof, COSIGNATURE, ED25519, readKey } from "./notes.js";

/** @import { Bytes, Group, LogKey, Policy } from "./types.d.ts" */

const NONE = "none"; // the quorum that needs no witness
const MOST_LINES = 1000;
const COUNT = /^[1-9][0-9]{0,3}$/;

// Return the policy that trusts the key of one log, and needs no witness.
/** @param {string} key @returns {Promise<Policy>} @throws {BadProof} */
export async function policyOfKey(key) {
  const log = await readKey(key, ED25519);
  return { logs: [log], witnesses: new Map(), groups: new Map(), quorum: NONE };
}

/**
 * Return the policy in a file.
 * @param {Bytes} content @returns {Promise<Policy>} @throws {BadProof} with the line
 */
export async function readPolicy(content) {
  const lines = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content).split("\n");
  if (lines.length > MOST_LINES) {
    throw new BadProof(`the policy has more than ${MOST_LINES} lines`);
  }

  const reading = new Reading();
  for (const [index, line] of lines.entries()) {
    const words = line.split(/[ \t]/).filter((word) => word !== "");
    if (words[0] === undefined || words[0].startsWith("#")) continue;
    try {
      await reading.take(words);
    } catch (error) {
      if (!(error instanceof BadProof)) throw error;
      throw new BadProof(`line ${index + 1} of the policy: ${error.message}`);
    }
  }
  return reading.policy();
}

// The reading of a policy, line by line.
class Reading {
  /** @type {LogKey[]} */ #logs = [];
  /** @type {Map<string, LogKey>} */ #witnesses = new Map();
  /** @type {Map<string, Group>} */ #groups = new Map();
  /** @type {Set<string>} */ #members = new Set();
  #quorum = "";

  policy() {
    if (this.#quorum === "") throw new BadProof("the policy has no line: quorum NAME");
    const [logs, witnesses, groups] = [this.#logs, this.#witnesses, this.#groups];
    return { logs, witnesses, groups, quorum: this.#quorum };
  }

  /** @param {string[]} words of a line @throws {BadProof} */
  async take([kind, name = "", third = "", ...rest]) {
    const words = [name, third, ...rest].filter((word) => word !== "").length;
    if (kind === "log" && (words === 1 || words === 2)) {
      this.#takeLog(await readKey(name, ED25519));
    } else if (kind === "witness" && (words === 2 || words === 3)) {
      this.#takeWitness(name, await readKey(third, COSIGNATURE));
    } else if (kind === "group" && words > 2) {
      this.#takeGroup(name, third, rest);
    } else if (kind === "quorum" && words === 1 && this.#quorum === "") {
      if (name !== NONE) this.#demandKnown(name);
      this.#quorum = name;
    } else {
      throw new BadProof("it is not a line of a policy: log, witness, group, or one quorum");
    }
  }

  /** @param {LogKey} key */
  #takeLog(key) {
    if (this.#logs.some(({ hex }) => hex === key.hex)) {
      throw new BadProof("the key of a log occurs twice");
    }
    this.#logs.push(key);
  }

  /** @param {string} name @param {LogKey} key */
  #takeWitness(name, key) {
    this.#demandNew(name);
    if ([...this.#witnesses.values()].some(({ hex }) => hex === key.hex)) {
      throw new BadProof("the key of a witness occurs twice");
    }
    this.#witnesses.set(name, key);
  }

  /** @param {string} name @param {string} count @param {string[]} members */
  #takeGroup(name, count, members) {
    this.#demandNew(name);
    for (const member of members) {
      this.#demandKnown(member);
      if (this.#members.has(member)) throw new BadProof(`${member} is a member twice`);
      this.#members.add(member);
    }

    const words = new Map([
      ["any", 1],
      ["all", members.length],
    ]);
    const least = words.get(count) ?? (COUNT.test(count) ? Number(count) : members.length + 1);
    if (least > members.length) {
      throw new BadProof(`a group needs any, all, or 1 to ${members.length} of its members`);
    }
    this.#groups.set(name, { least, members });
  }

  /** @param {string} name */
  #demandNew(name) {
    if (name === NONE || this.#witnesses.has(name) || this.#groups.has(name)) {
      throw new BadProof(`the name ${name} is taken`);
    }
  }

  /** @param {string} name */
  #demandKnown(name) {
    if (!this.#witnesses.has(name) && !this.#groups.has(name)) {
      throw new BadProof(`no line before defines a witness or a group ${name}`);
    }
  }
}

// Return true if these witnesses are enough.
/** @param {Policy} policy @param {string[]} seenBy */
export function isMetBy({ groups, quorum }, seenBy) {
  return quorum === NONE || hasSeen(quorum, groups, seenBy);
}

/** @param {string} name @param {Policy["groups"]} groups @param {string[]} seenBy @returns {boolean} */
function hasSeen(name, groups, seenBy) {
  const group = groups.get(name);
  if (group === undefined) return seenBy.includes(name);
  const seen = group.members.filter((member) => hasSeen(member, groups, seenBy));
  return seen.length >= group.least;
}
