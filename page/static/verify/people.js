// Seats and actors: the kinds of the seats, their keys and entropy, and the permitted commands.

import { digest, NoCryptography } from "./digests.js";
import { isDigest, isObject } from "./lines.js";
import { ACTORS, SEAT_KINDS, SEATED_BY, SHIFTS_DRAWS } from "./match_messages.js";
import { matchRulesOf, takesEachPledgeOnce, takesProvenKeys } from "./match_rules.js";
import { Wrong } from "./report.js";
import { hidingCommands } from "./rules.js";
import { hasSigned, isKey, textOfJoin } from "./signatures.js";

/** @import { Content, Entry, Fields, Holder, Signer } from "./types.d.ts" */

const SEAT = /^seat:(?:1[0-5]|[0-9])$/;

const MOST_SEATS = 16;
const DIGEST = /^(?:[0-9a-f]{64})?$/;
const NOTHING = /^$/;

/** The forms of a seat's fields, by kind of seat. @type {Record<string, Record<string, RegExp>>} */
const HELD = {
  human: { level: NOTHING, name: DIGEST, entropy: /^(?:[0-9a-f]{2}){0,32}$/, pledge: DIGEST },
  bot: { level: /^[a-z]{1,16}$/, name: DIGEST, entropy: NOTHING, pledge: NOTHING },
  open: { level: NOTHING, name: NOTHING, entropy: NOTHING, pledge: NOTHING },
};

// Check that a commit's actor may give its command, and that a seat taken in it has the right form.
/** @param {Entry} entry @throws {Wrong} */
export function checkPeople({ commit }) {
  const { version, actor, command } = commit;
  if (!mayGive(actor, command)) {
    const detail = "its actor could not give its command";
    throw new Wrong(version, "actor_wrong", detail);
  }

  if (command.type === "open") checkSeats(version, commit.events[0]?.seats);
  if (command.type === "join") checkSeat(version, { ...command, kind: "human" });
  const isBot = command.type === "replace" || command.type === "resign";
  if (isBot) checkSeat(version, { ...command, kind: "bot" });
  for (const event of commit.events) checkSeatEvent(version, command, event);
}

// Check that the commit's command may change the holder of the event's seat. The command must name
// that seat, unless it is a lapse. Without this check any commit could take a player's key away.
/** @param {number} number @param {Fields} command @param {Fields} event */
function checkSeatEvent(number, command, event) {
  const causes = SEATED_BY.get(event.type);
  if (causes === undefined) return;

  const isNamed = Number.isInteger(event.seat) && event.seat === command.seat;
  if (!causes.includes(command.type) || !(isNamed || command.type === "lapse")) {
    const detail = `its command does not change seats so (${event.type})`;
    throw new Wrong(number, "bad_seat", detail);
  }
}

// Return true if a commit is about seats, a token, a name or a take-back, and is no move. If draws
// go by versions, such a commit changes the next draws.
/** @param {Entry} entry */
export function isBesideTheGame({ commit }) {
  return SHIFTS_DRAWS.has(commit.command.type);
}

// A command that is not in ACTORS, such as one of a game, is given by the seat that it names. If it
// names no seat, the house gives it.
/** @param {string} actor @param {Fields} command */
function mayGive(actor, command) {
  const general = Object.hasOwn(command, "seat") ? "seat" : "house";
  const actors = ACTORS.get(command.type) ?? [general];
  return actors.some((expected) => isActor(actor, expected, command));
}

/** @param {string} actor @param {string} expected @param {Fields} command */
function isActor(actor, expected, command) {
  if (expected === "seat") return actor === holderOf(command);
  if (expected === "holder") return SEAT.test(actor) && actor === command.holder;
  if (expected === "any_seat") return SEAT.test(actor);
  return actor === expected;
}

/** @param {Fields} command */
function holderOf({ seat }) {
  const isNumber = Number.isInteger(seat) && seat >= 0 && seat < MOST_SEATS;
  return isNumber ? `seat:${seat}` : null;
}

// Check the seats in the opening of a match (M1).
/** @param {number} number @param {unknown} seats */
function checkSeats(number, seats) {
  if (!Array.isArray(seats) || seats.length === 0 || seats.length > MOST_SEATS) {
    throw new Wrong(number, "bad_seat", `a match has 1 to ${MOST_SEATS} seats (M1)`);
  }
  for (const seat of seats) checkSeat(number, seat);
}

// Check the form of a seat (M1). A name that is no digest has no place in the chain.
/** @param {number} number @param {unknown} seat */
function checkSeat(number, seat) {
  if (!canBeHeld(seat)) {
    const detail = "a seat cannot be held so (M1): its kind, level, name or entropy is wrong";
    throw new Wrong(number, "bad_seat", detail);
  }
}

/** @param {unknown} seat */
function canBeHeld(seat) {
  if (!isObject(seat) || typeof seat.kind !== "string" || !Object.hasOwn(HELD, seat.kind)) {
    return false;
  }
  const forms = Object.entries(HELD[seat.kind] ?? {});
  return forms.every(([name, form]) => {
    const value = Object.hasOwn(seat, name) ? seat[name] : "";
    return typeof value === "string" && form.test(value);
  });
}

// ---- the holders of the seats, their pledges and disclosures (sections 2, 12 and 13) -------------

/** @typedef {Holder & { pledged: unknown, hasDisclosed: boolean }} HeldSeat */

// The holders of the seats after the commits checked so far.
export class Seats {
  /** Number of drops of pledges after all had pledged. */
  vetoes = 0;
  /** Number of seats with a disclosure at the start. 0 before the start. */
  disclosures = 0;
  /** One signer for each key on each seat, former ones too, oldest first. @type {Signer[]} */
  signers = [];
  /** The reason for unchecked proofs of joins. "": all could be checked. */
  trouble = "";
  /** The types of commands with hidden fields. Null: unknown. @type {readonly string[] | null} */
  hides = null;
  #hasStarted = false;
  #isJoint = false;
  #mustDrop = false;
  #takesEachPledgeOnce = false;
  #takesProvenKeys = false;
  /** All pledges so far, dropped ones too. @type {Set<string>} */
  #pledged = new Set();
  /** @type {HeldSeat[]} */ #seats = [];

  // Return the current holder of an actor's seat.
  /** @param {string} actor @returns {Holder} */
  holder(actor) {
    const number = actor.startsWith("seat:") ? Number(actor.slice("seat:".length)) : -1;
    const { kind, signer } = this.#seats[number] ?? { kind: "open", signer: null };
    return { kind, signer };
  }

  // Return the pledge of each human by seat, "" for none.
  /** @returns {Map<number, string>} */
  get pledges() {
    const humans = [...this.#seats.entries()].filter(([, { kind }]) => kind === "human");
    return new Map(humans.map(([seat, { pledged }]) => [seat, String(pledged)]));
  }

  // True if all seats are taken, at least one by a human, and all humans have pledged.
  get isComplete() {
    const humans = this.#seats.filter(({ kind }) => kind === "human");
    const isHeld = this.#seats.every(({ kind }) => kind !== "open");
    return isHeld && humans.length > 0 && humans.every(({ pledged }) => isDigest(pledged));
  }

  // Check the changes of seats in the next commit, with their keys, pledges and disclosures.
  /** @param {Entry} entry @throws {Wrong} */
  async check({ commit }) {
    const { version, events } = commit;
    for (const [number, event] of events.entries()) {
      if (version === 1 && number === 0) this.#open(event);
      else {
        this.#checkComing(version, event);
        this.#refuse(version, await this.#apply(version, event));
        if (event.type === "seat_joined") await this.#checkProof(commit, event);
      }
    }
    if (this.#mustDrop) {
      this.#refuse(version, "a human's seat changes hands, and all pledges still count");
    }
  }

  /** @param {Fields} opened */
  #open(opened) {
    this.hides = hidingCommands(opened);
    this.#isJoint = opened.joint_entropy !== undefined;
    if (this.#isJoint && !(opened.joint_entropy === true && opened.draws === "moves")) {
      const detail = "`joint_entropy` must be true, with draws by moves (M19)";
      throw new Wrong(1, "not_opened", detail);
    }
    this.#takesProvenKeys = takesProvenKeys(matchRulesOf(opened));
    this.#takesEachPledgeOnce = takesEachPledgeOnce(matchRulesOf(opened));
    for (const plan of /** @type {Fields[]} */ (opened.seats)) {
      const number = this.#seats.length;
      this.#seats.push({ kind: plan.kind, signer: null, pledged: "", hasDisclosed: false });
      this.#seat(1, number, plan);
    }
  }

  // Throw Wrong for a fault. "" is none. Faults of a match without joint entropy do not count,
  // since it has no pledges.
  /** @param {number} version @param {string} fault */
  #refuse(version, fault) {
    if (fault !== "" && this.#isJoint) throw new Wrong(version, "pledge_wrong", `${fault} (M19)`);
  }

  // Check that a joined seat was open, and that joins and leaves come before the start. Otherwise the
  // house could take a player's key away by a commit that no player signs.
  /** @param {number} version @param {Fields} event */
  #checkComing(version, event) {
    if (event.type === "match_opened") {
      throw new Wrong(version, "unreadable", "only the first commit opens the match");
    }
    const seat = this.#seatOf(event);
    if (seat === undefined || !["seat_joined", "seat_left"].includes(event.type)) return;
    if (this.#hasStarted) {
      throw new Wrong(version, "bad_seat", `seat:${event.seat} changes hands after the start`);
    }
    if (event.type === "seat_joined" && seat.kind !== "open") {
      throw new Wrong(version, "bad_seat", `seat:${event.seat} is not open, and is joined (M2)`);
    }
  }

  /** @param {Fields} event @returns {HeldSeat | undefined} */
  #seatOf(event) {
    return Number.isInteger(event.seat) ? this.#seats[event.seat] : undefined;
  }

  // Apply an event. Return the fault of its pledge or disclosure, "" for none.
  /** @param {number} version @param {Fields} event */
  async #apply(version, event) {
    const kind = SEAT_KINDS.get(event.type);
    const seat = this.#seatOf(event);
    if (kind !== undefined && seat !== undefined) this.#sit(version, seat, kind, event);
    else if (!this.#hasStarted) return this.#applyBeforeStart(version, seat, event);
    return "";
  }

  // Change the holder of a seat, and drop the seat's pledge and disclosure. If a human comes or goes
  // before the start and all humans had pledged, the same commit must drop all pledges and
  // disclosures.
  /** @param {number} version @param {HeldSeat} seat @param {string} kind @param {Fields} event */
  #sit(version, seat, kind, event) {
    const isOfHuman = seat.kind === "human" || kind === "human";
    if (!this.#hasStarted && isOfHuman && this.isComplete) this.#mustDrop = true;
    Object.assign(seat, { kind, pledged: "", hasDisclosed: false });
    if (event.type === "seat_left") seat.signer = null;
    if (event.type === "seat_joined") this.#seat(version, event.seat, event);
  }

  // Give a seat the key and the pledge in a message.
  /** @param {number} version @param {number} number @param {Fields} message */
  #seat(version, number, { key, pledge }) {
    const seat = /** @type {HeldSeat} */ (this.#seats[number]);
    if (key !== undefined) this.#giveKey(version, number, seat, key);
    this.#pledge(version, seat, pledge ?? "");
  }

  // Note the pledge of a seat. From match rules 2 on, refuse a repeated pledge.
  /** @param {number} version @param {HeldSeat} seat @param {unknown} pledge */
  #pledge(version, seat, pledge) {
    seat.pledged = pledge;
    if (!isDigest(pledge)) return;
    if (this.#takesEachPledgeOnce && this.#pledged.has(pledge)) {
      this.#refuse(version, "a pledge repeats an earlier one");
    }
    this.#pledged.add(pledge);
  }

  /** @param {number} version @param {number} number @param {HeldSeat} seat @param {unknown} key */
  #giveKey(version, number, seat, key) {
    const isTaken = this.#seats.some(({ signer }) => signer?.key === key);
    if (seat.kind !== "human" || !isKey(key) || isTaken) {
      const detail = `the key of seat:${number} cannot be one, or is another seat's (M18)`;
      throw new Wrong(version, "key_wrong", detail);
    }
    const before = this.signers.find((one) => one.seat === number && one.key === key);
    seat.signer = before ?? { seat: number, key, signed: [], unchecked: [], bots: [] };
    if (before === undefined) this.signers.push(seat.signer);
  }

  // Check the signature of the joining key in the proof of a join. A proof may be missing if the join
  // has no key, or if the match rules demand no proof.
  /** @param {Content} commit @param {Fields} joined @throws {Wrong} */
  async #checkProof(commit, joined) {
    const { seat, key, proof } = joined;
    if (this.#seatOf(joined) === undefined) return;
    if (proof === undefined && (key === undefined || !this.#takesProvenKeys)) return;
    try {
      if (await hasSigned(key, proof, textOfJoin(String(key), commit, seat))) return;
    } catch (error) {
      if (!(error instanceof NoCryptography)) throw error;
      this.trouble = error.message;
      return;
    }
    const detail = `the key of seat:${seat} does not prove that it joins (M18)`;
    throw new Wrong(commit.version, "key_wrong", detail);
  }

  // Apply an event before the start that changes no holder. Return the event's fault, "" for none.
  /** @param {number} version @param {HeldSeat | undefined} seat @param {Fields} event */
  async #applyBeforeStart(version, seat, event) {
    if (event.type === "pledges_dropped") {
      if (this.#mustDrop) this.vetoes += 1;
      for (const one of this.#seats) Object.assign(one, { pledged: "", hasDisclosed: false });
      this.#mustDrop = false;
    } else if (event.type === "match_started") {
      this.#hasStarted = true;
      this.disclosures = this.#seats.filter(({ hasDisclosed }) => hasDisclosed).length;
      const isMissing = this.#seats.some((one) => one.kind === "human" && !one.hasDisclosed);
      if (isMissing) return "it starts before all have disclosed";
    } else if (event.type === "entropy_pledged" && seat !== undefined) {
      if (this.isComplete) return "somebody pledges after all have pledged";
      this.#pledge(version, seat, event.digest);
    } else if (event.type === "entropy_disclosed" && seat !== undefined) {
      return this.#disclose(seat, event);
    }
    return "";
  }

  // Note the disclosure of a seat. Return the fault of the disclosure, "" for none.
  /** @param {HeldSeat} seat @param {Fields} event */
  async #disclose(seat, { entropy, seat: number }) {
    if (!this.isComplete) return "somebody discloses before all have pledged";
    const isRight = isDigest(entropy) && (await digest({ entropy, seat: number })) === seat.pledged;
    if (!isRight) return `the entropy of seat:${number} does not fit its pledge`;
    seat.hasDisclosed = true;
    return "";
  }
}
