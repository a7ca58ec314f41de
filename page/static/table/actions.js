// The table page's requests about a match, and the buttons of one's own seat.

import { Api, newKey } from "../base/api.js";
import { html, nothing } from "../base/dom.js";
import { addressOf, HOME, paths } from "../base/home.js";
import { forgetToken, readerOf, remember, tokens } from "../base/memory.js";
import { problemBox } from "../base/page.js";
import { SeatTaking, takeRematch } from "../base/tokens.js";
import { capital, listed } from "../base/words.js";
import { COMMANDS } from "../verify/match_messages.js";

/** @import { Commit, Match, TakeBackAsk } from "../../api.d.ts" */
/** @import { Command, Sending } from "../keys/types.d.ts" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { OwnSeat, Standing } from "./types.d.ts" */

// Commands after which a token of this browser may no longer be valid.
export const OF_TOKENS = new Set(["replace_token", "revoke_token"]);

// Commands after which the match is read again: seats, names, status.
export const OF_THE_LOBBY = new Set([...COMMANDS].filter((command) => !OF_TOKENS.has(command)));

// The service chooses the level of the bot after a resignation. Without a clock it is this one.
const LEVEL = "greedy";
const LEFT_TO_SERVICE = ["level"];

// True for a command of the game itself.
/** @param {string} command */
export function isMove(command) {
  return !COMMANDS.has(command);
}

export class Actions {
  isBusy = false;

  // True if the problem of the last request is shown at one's own seat.
  isOfSeat = false;

  // The new tokens for others, by holder.
  made = /** @type {Map<string, string>} */ (new Map());

  #taking = new SeatTaking();

  /** @type {unknown} */
  problem = null;

  /**
   * @param {string} match @param {{ changed: () => void, renewed: () => void, now: () => Match }} page
   *   changed: draw again. renewed: this browser has other tokens now, so read all again
   */
  constructor(match, page) {
    this.match = match;
    this.page = page;
  }

  /** @param {number} seat @param {string} name @param {() => Promise<string | undefined>} chosenKey */
  join(seat, name, chosenKey) {
    const { owner, invitation } = tokens(this.match);
    return this.#ask(invitation ?? owner ?? null, async (api) => {
      await this.#taking.take(api, this.page.now(), seat, name, await chosenKey());
      this.page.renewed();
    });
  }

  /** @param {number} seat */
  leave(seat) {
    const holder = `seat:${seat}`;
    const path = this.#path(`seats/${seat}`);
    return this.#bySeat(seat, { type: "leave" }, false, { method: "DELETE", path }, () => {
      forgetToken(this.match, holder);
      this.page.renewed();
    });
  }

  start() {
    return this.#asOwner((api, key) => api.post(this.#path("start"), undefined, { key }));
  }

  abort() {
    return this.#asOwner((api, key) => api.post(this.#path("abort"), undefined, { key }));
  }

  /** @param {number} seat @param {string} level */
  putBot(seat, level) {
    const path = this.#path(`seats/${seat}/bot`);
    return this.#asOwner((api, key) => api.post(path, { level }, { key }));
  }

  /** @param {number} seat */
  dismissBot(seat) {
    const path = this.#path(`seats/${seat}/bot`);
    return this.#asOwner((api, key) => api.delete(path, { key }));
  }

  resign() {
    const level = this.page.now().clock?.level ?? LEVEL;
    return this.#ofReader("resign", { type: "resign", level });
  }

  return() {
    return this.#ofReader("return", { type: "return" });
  }

  /** @param {number} to */
  takeBack(to) {
    return this.#ofReader("take-back", { type: "ask_take_back", to }, { to });
  }

  agree() {
    return this.#ofReader("take-back/agree", { type: "agree_take_back" });
  }

  refuse() {
    return this.#ofReader("take-back/refuse", { type: "refuse_take_back" });
  }

  rematch() {
    return this.#ask(null, async () => {
      window.location.assign(addressOf(await takeRematch(this.page.now())));
    });
  }

  // Make a new token for guests or for a seat. The old one is no longer valid. The token of a seat is
  // for its player: this browser shows it, and does not store it.
  /** @param {string} holder */
  renewToken(holder) {
    return this.#asOwner(async (api, key) => {
      const { token } = await api.post(paths.match(this.match, "tokens"), { holder }, { key });
      if (holder.startsWith("seat:")) this.made.set(holder, token);
      else remember(this.match, { tokens: { [holder]: token } });
    });
  }

  /** @param {string} below */
  #path(below) {
    return paths.match(this.match, below);
  }

  /** @param {string} below @param {Command} command its stored form @param {object} [body] */
  #ofReader(below, command, body) {
    const seat = Number(readerOf(this.match)?.slice("seat:".length));
    return this.#bySeat(seat, command, true, { method: "POST", path: this.#path(below), body });
  }

  /**
   * Send a command of a seat, signed if the seat has a key (M18).
   * @param {number} seat @param {Command} command @param {boolean} isOfSeat as in `#ask`
   * @param {Pick<Sending, "method" | "path" | "body">} what @param {() => void} [done]
   */
  #bySeat(seat, command, isOfSeat, what, done = () => {}) {
    const token = tokens(this.match)[`seat:${seat}`] ?? null;
    const isSigned = Boolean(this.page.now().seats[seat]?.key);
    const { method, path, body } = what;
    /** @param {Api} api @param {string} key */
    const ask = async (api, key) => {
      if (isSigned) {
        const { sendAtHead } = await import("../keys/signing.js");
        const sending = { ...what, key };
        await sendAtHead(api, this.match, () => ({ ...command, seat }), sending, LEFT_TO_SERVICE);
      } else if (method === "DELETE") await api.delete(path, { key });
      else await api.post(path, body, { key });
      done();
    };
    return this.#ask(token, ask, isOfSeat);
  }

  /** @param {(api: Api, key: string) => Promise<unknown>} request */
  #asOwner(request) {
    return this.#ask(tokens(this.match).owner ?? null, request);
  }

  /**
   * @param {string | null} token @param {(api: Api, key: string) => Promise<unknown>} request
   * @param {boolean} [isOfSeat] true: its problem is shown at the reader's own seat
   */
  async #ask(token, request, isOfSeat = false) {
    if (this.isBusy) return;
    this.isBusy = true;
    this.isOfSeat = isOfSeat;
    this.problem = null;
    this.page.changed();
    try {
      await request(new Api(HOME, token), newKey());
    } catch (problem) {
      this.problem = problem;
    }
    this.isBusy = false;
    this.page.changed();
  }
}

// ---- one's own seat while the match is played ---------------------------------------------------

// Draw the bot that plays the seat (M15), and the open request to take moves back (M17).
/** @param {OwnSeat} own */
export function drawOwnSeat(own) {
  const { match, seats, reader, actions } = own;
  const ask = match.take_back?.ask ?? null;
  const isAbsent = match.seats[reader]?.absent;
  const problem = actions.isOfSeat ? actions.problem : null;
  if (!isAbsent && ask === null && problem === null) return nothing;

  return html`<section class="table-own sheet" role="status">
    ${problem ? problemBox(problem, match.game) : nothing}
    ${isAbsent ? drawAbsent(own) : nothing}
    ${ask === null || isAbsent ? nothing : drawAsk(ask, seats, reader, actions)}
  </section>`;
}

const ABSENT_BECAUSE = {
  time_ran_out: "Your time ran out.",
  resigned: "You have resigned.",
  replaced: "The owner has put a bot on your seat.",
};

/** @param {OwnSeat} own */
function drawAbsent({ match, reader, actions }) {
  const { absent_because: because, may_return: mayReturn } = match.seats[reader] ?? {};
  return html`<p class="row">
    <span>${because ? ABSENT_BECAUSE[because] : ""} A bot plays for you.</span>
    ${mayReturn ? button("Return", actions, () => actions.return(), "primary") : nothing}
  </p>`;
}

/** @param {TakeBackAsk} ask @param {Seat[]} seats @param {number} reader @param {Actions} actions */
function drawAsk({ seat, to, agreed }, seats, reader, actions) {
  const agreeing = listed(agreed.map((one) => seats[one]?.name ?? ""));
  const others = agreeing
    ? html`<small>${agreeing} ${agreed.length > 1 ? "agree" : "agrees"}.</small>`
    : nothing;
  if (seat === reader) {
    return html`<p class="row">
      <span>You ask to go back to move ${to}.</span> ${others}
      ${button("Ask no more", actions, () => actions.refuse())}
    </p>`;
  }
  const name = seats[seat]?.name;
  if (agreed.includes(reader)) {
    return html`<p class="row"><span>${name} asks to go back to move ${to}.</span> ${others}</p>`;
  }
  return html`<p class="row">
    <span>${name} asks to go back to move ${to}. Do you agree?</span> ${others}
    ${button("Agree", actions, () => actions.agree(), "primary")}
    ${button("Refuse", actions, () => actions.refuse())}
  </p>`;
}

/** @param {string} text @param {Actions} actions @param {() => void} act @param {string} [kind] */
export function button(text, { isBusy }, act, kind = "") {
  return html`<button type="button" class=${kind} ?disabled=${isBusy} @click=${act}>${text}</button>`;
}

// Return the standing commits: those not taken back.
/** @param {Commit[]} commits @returns {Standing[]} */
export function standingOf(commits) {
  /** @type {Standing[]} */
  const standing = [];
  for (const { version, actor, command, events } of commits) {
    for (const event of events) {
      if (event.type !== "taken_back") continue;
      while ((standing.at(-1)?.version ?? 0) > event.to) standing.pop();
    }
    standing.push({ version, mover: isMove(command.type) ? actor : null });
  }
  return standing;
}

// Draw the way back to the shown version, or from the present to before one's own last move, if the
// match may go back there (M17).
/** @param {OwnSeat} own @param {Standing[]} standing @param {{ version: number, last: number }} at */
export function drawTakeBack({ match, reader, actions }, standing, { version, last }) {
  const takeBack = match.take_back;
  if (!takeBack || takeBack.ask || match.seats[reader]?.kind !== "human") return nothing;

  const isPresent = version === last;
  const me = `seat:${reader}`;
  const ownLast = standing.findLastIndex(({ mover }) => mover === me);
  const index = isPresent ? ownLast - 1 : standing.findIndex((one) => one.version === version);
  const to = standing[index]?.version;
  const movers = standing.slice(index + 1).flatMap(({ mover }) => mover ?? []);
  const isOwn = movers.every((mover) => mover === me);
  if (!to || movers.length === 0 || takeBack.house_at.includes(to)) return nothing;
  if (!isOwn && (takeBack.option === "own" || takeBack.refused.includes(reader))) return nothing;

  const what = isPresent ? "take my last move back" : "go back to this move";
  const text = isOwn ? capital(what) : `Ask to ${what}`;
  return html`<p class="table-take-back">${button(text, actions, () => actions.takeBack(to))}</p>`;
}
