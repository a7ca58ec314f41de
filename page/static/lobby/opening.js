// What a match is opened with: the draft that the form shows, and the request.

import { Api, isUnanswered, newKey, Problem } from "../base/api.js";
import { addressOf, HOME, paths } from "../base/home.js";
import { readerOf, remember, remembered, tokenFor } from "../base/memory.js";
import { chosenKey } from "../keys/choice.js";
import { PACES } from "./option_fields.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Base, Game, OptionValue, SeatDraft } from "./types.d.ts" */
/** @typedef {{ seats: object[], [member: string]: unknown }} Opened */

const GOOD_LEVEL = "quick";

const ADVISER = "strong";

export class Opening {
  /** @type {Game} */ game;
  name = lastName();
  /** @type {SeatDraft[]} */ seats = [];
  /** @type {Record<string, OptionValue>} */
  options = {};
  visibility = "public";
  takeBack = "off";
  drawsTogether = false;
  pace = 0;
  /** @type {unknown} */ problem = null;
  /** @type {Map<string, string>} */
  errors = new Map();
  isSent = false;

  /** What it goes on from (M21); null: it begins anew. @type {Base | null} */ base = null;
  /** null: what fits those who play. @type {boolean | null} */ #advice = null;
  #api;
  #changed;
  #key = newKey();

  /** @param {Api} api @param {Game[]} games @param {() => void} changed */
  constructor(api, games, changed) {
    this.#api = api;
    this.games = games;
    this.#changed = changed;
    const [first] = games;
    if (!first) throw new Error("The service has no games.");
    this.game = first;
    this.#seat(this.#fewest());
  }

  get hasAdviser() {
    return this.game.levels.includes(ADVISER);
  }

  // Whether advice is allowed. Against bots alone it is, unless the form says something else.
  get advice() {
    const others = this.seats.filter(({ kind }) => kind !== "bot");
    return this.hasAdviser && (this.#advice ?? others.length === 1);
  }

  // Let the match go on from a version of another one (M21): its bots sit where they sat, the reader
  // too, and friends where other people did.
  /** @param {Base} base @param {Match} match */
  forkFrom(base, match) {
    this.base = base;
    this.choose(match.game);
    this.visibility = match.visibility;
    const level = levelOf(this.game);
    const reader = readerOf(base.match) ?? "";
    const own = match.seats.find(({ seat }) => `seat:${seat}` === reader)?.seat ?? 0;
    this.seats = match.seats.map(({ seat, kind, level: before }) => {
      if (seat === own) return { kind: "human", level, name: this.name };
      return { kind: kind === "bot" ? "bot" : "open", level: before ?? level, name: "" };
    });
    // While the base goes on, its players have advice in a fork only where they have it anyway.
    if (match.status === "running") this.#advice = match.advice;
    this.#api = new Api(HOME, tokenFor(base.match));
    this.#edited();
  }

  /** @param {string} name */
  setName(name) {
    this.name = name;
    const [first] = this.seats;
    if (first?.kind === "human") this.setSeat(0, { name });
  }

  /** @param {string} key */
  choose(key) {
    this.game = this.games.find((game) => game.key === key) ?? this.game;
    this.options = {};
    this.#seat(this.game.seats.includes(this.seats.length) ? this.seats.length : this.#fewest());
    this.#forgive();
    this.#edited();
  }

  /** @param {number} number */
  setNumber(number) {
    this.#seat(number);
    this.#forgive();
    this.#edited();
  }

  /** @param {number} seat @param {Partial<SeatDraft>} change */
  setSeat(seat, change) {
    this.seats = this.seats.map((draft, index) =>
      index === seat ? { ...draft, ...change } : draft,
    );
    this.#edited();
  }

  /** @param {string} name @param {OptionValue} value */
  setOption(name, value) {
    this.options = { ...this.options, [name]: value };
    this.#edited();
  }

  /** @param {string} visibility */
  setVisibility(visibility) {
    this.visibility = visibility;
    this.#edited();
  }

  /** @param {boolean} advice */
  setAdvice(advice) {
    this.#advice = advice;
    this.#edited();
  }

  /** @param {string} takeBack "off", "own" or "consent" */
  setTakeBack(takeBack) {
    this.takeBack = takeBack;
    this.#edited();
  }

  /** @param {boolean} drawsTogether whether all players draw together (M19) */
  setDrawsTogether(drawsTogether) {
    this.drawsTogether = drawsTogether;
    this.#edited();
  }

  /** @param {number} pace which of PACES */
  setPace(pace) {
    this.pace = pace;
    this.#edited();
  }

  /** @param {Game} game */
  async playBots(game) {
    const others = Math.min(...game.seats) - 1;
    const bots = Array.from({ length: others }, () => ({ kind: "bot", level: levelOf(game) }));
    const me = plannedSeat({ kind: "human", level: "", name: this.name });
    const advice = game.levels.includes(ADVISER);
    const terms = { visibility: "public", advice, take_back: "own" };
    const body = { game: game.key, seats: [me, ...bots], ...terms };
    await this.#send(body, this.name.trim());
  }

  async open() {
    this.#forgive();
    const body = this.#body();
    if (!body) {
      this.#changed();
      return;
    }

    const names = this.seats.filter(({ kind }) => kind === "human").map(({ name }) => name.trim());
    await this.#send(body, names[0] ?? "");
  }

  #fewest() {
    return Math.min(...this.game.seats);
  }

  /** @param {number} number */
  #seat(number) {
    const level = levelOf(this.game);
    const kept = this.seats.slice(0, number);
    while (kept.length < number) {
      const isFirst = kept.length === 0;
      kept.push({ kind: isFirst ? "human" : "open", level, name: isFirst ? this.name : "" });
    }
    this.seats = kept.map((seat) => {
      return this.game.levels.includes(seat.level) ? seat : { ...seat, level };
    });
  }

  signingChanged() {
    this.#edited();
  }

  // Another body needs another key. What was wrong is said until the next attempt: if it vanished
  // when a field is left, the button would move away under the click that leaves it.
  #edited() {
    this.#key = newKey();
    this.#changed();
  }

  #forgive() {
    this.problem = null;
    this.errors = new Map();
  }

  /** @returns {Opened | null} the body of the request; null if an option cannot be read */
  #body() {
    /** @type {Record<string, unknown>} */
    const options = {};

    for (const option of this.game.options) {
      if (!(option.name in this.options)) continue;
      const value = this.options[option.name];

      if (option.kind !== "data") {
        options[option.name] = value;
        continue;
      }

      try {
        options[option.name] = JSON.parse(String(value));
      } catch (failure) {
        this.errors = new Map([
          [
            `/options/${option.name}`,
            `This is not JSON: ${/** @type {Error} */ (failure).message}`,
          ],
        ]);
        return null;
      }
    }

    const { visibility, advice } = this;
    const players = { game: this.game.key, seats: this.seats.map(plannedSeat) };
    const terms = this.base === null ? { options } : { fork: this.base };
    const body = { ...players, visibility, advice, take_back: this.takeBack, ...terms };
    const clock = this.#clock();
    const timed = clock ? { ...body, clock } : body;
    const isOfPeople = this.seats.some(({ kind }) => kind !== "bot");
    return this.drawsTogether && isOfPeople ? { ...timed, joint_entropy: true } : timed;
  }

  #clock() {
    const { bank, move } = PACES[this.pace] ?? { bank: 0, move: 0 };
    const isOfBots = this.seats.every(({ kind }) => kind === "bot");
    return bank === 0 || isOfBots
      ? null
      : { bank_s: bank, move_s: move, level: levelOf(this.game) };
  }

  /** @param {Opened} body @param {string} name */
  async #send(body, name) {
    this.isSent = true;
    this.#forgive();
    this.#changed();

    try {
      const request = await signed(body, this.#key);
      const opened = await this.#api.post(paths.matches(), request, { key: this.#key });
      remember(opened.match, { game: opened.game, tokens: opened.tokens, name });
      window.location.assign(addressOf(opened.match));
    } catch (failure) {
      this.#refused(failure);
    }
    this.isSent = false;
    this.#changed();
  }

  /** @param {unknown} failure */
  #refused(failure) {
    this.problem = failure;
    if (!isUnanswered(failure)) this.#key = newKey();
    if (!(failure instanceof Problem)) return;
    const inBody = failure.errors.filter((one) => "pointer" in one);
    this.errors = new Map(inBody.map(({ pointer, detail }) => [pointer, detail]));
  }
}

export function lastName() {
  return remembered().find(({ name }) => name)?.name ?? "";
}

/** @param {Game} game */
function levelOf({ levels }) {
  return levels.includes(GOOD_LEVEL) ? GOOD_LEVEL : (levels.at(-1) ?? "");
}

// Return a request in which the reader signs, if they have chosen to (M18): the first human.
/** @param {Opened} body @param {string} idempotencyKey */
async function signed(body, idempotencyKey) {
  const key = await chosenKey();
  const me = body.seats.findIndex((seat) => "kind" in seat && seat.kind === "human");
  if (key === undefined || me < 0) return body;
  const { provenOpening } = await import("../keys/proving.js");
  return provenOpening(body, me, key, idempotencyKey);
}

/** @param {SeatDraft} draft */
function plannedSeat({ kind, level, name }) {
  if (kind === "open") return { kind };

  const named = name.trim() ? { name: name.trim() } : {};
  return kind === "bot" ? { kind, level, ...named } : { kind, ...named };
}
