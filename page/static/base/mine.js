// The situation of this browser's newest matches. One tab follows one stream for all tabs.

import { Api, Problem } from "./api.js";
import { HOME, paths } from "./home.js";
import { recall, remembered, tokenFor } from "./memory.js";
import { tellProblem } from "./page.js";
import { read } from "./storage.js";
import { rest, Stream, untilHidden, whileShown } from "./stream.js";

/** @import { MatchNews } from "../../api.d.ts" */
/** @import { MyNews, Listener, StreamEvent } from "./types.d.ts" */

const NAME = `giornale${HOME}/mine`;
const MOST_TOKENS = 50;
const GLANCE_EVERY = 60_000; // milliseconds between two glances at the stream while no tab is shown
const GLANCE_TO_CALL = 20_000; // the same if the reader is to be called
const GLANCE = 3_000; // milliseconds of a glance
const AWAITED = ["turn", "take_back"]; // the reader must act or answer

// Storage key of the ways to call the reader: "sound", "note", or both. See call.js.
export const CALLS = `giornale${HOME}/calls`;

// The tab with the lock follows the stream and passes its news on. Only shown tabs wait for the lock.
// Hidden ones take a glance now and then, so that their titles still tell the turn. A page without
// TLS has no locks: each shown tab then follows the stream itself.
export class Mine {
  /** "refused": the stream is not available here. @type {MyNews["connection"]} */
  connection = "";

  #api = new Api(HOME);
  #stream = new Stream(paths.myStream());
  #channel = new BroadcastChannel(NAME);
  /** By match and seat. @type {Map<string, MatchNews>} */ #standing = new Map();
  /** Presence, by match. @type {Map<string, MatchNews>} */ #here = new Map();
  /** @type {Set<Listener>} */ #listeners = new Set();
  /** @type {string[]} */ #followed = [];
  #renewal = new AbortController();
  #leads = false;
  #isWhole = false;
  #heardAt = 0;

  /** @param {AbortSignal} signal */
  async begin(signal) {
    const listening = { signal };
    window.addEventListener("storage", () => this.renew(), listening);
    this.#channel.onmessage = ({ data }) => this.#onMessage(data);
    signal.addEventListener("abort", () => this.#channel.close());
    this.#channel.postMessage(null);

    while (!signal.aborted) {
      if (document.hidden) await this.#glance(signal);
      else await this.#lead(untilHidden(signal));
    }
  }

  // Tell a listener the current situation, and then each change.
  /** @param {Listener} listener @param {AbortSignal} [signal] */
  listen(listener, signal) {
    for (const news of this.#standing.values()) listener.heard(news);
    listener.changed();
    this.#listeners.add(listener);
    signal?.addEventListener("abort", () => this.#listeners.delete(listener));
  }

  // Follow the stream of the current tokens, if they have changed.
  renew() {
    if (this.#leads && String(newestTokens()) !== String(this.#followed)) this.#renewal.abort();
  }

  /** @param {string} match @returns {boolean} true: its changes are heard */
  follows(match) {
    const isHeard = [...this.#standing.values()].some((news) => news.match === match);
    return isHeard && this.connection !== "refused";
  }

  // Tell all tabs that a match is looked at while this tab is shown: nobody is called to it then.
  /** @param {string} match @param {AbortSignal} signal */
  async look(match, signal) {
    const { locks } = /** @type {{ locks?: LockManager }} */ (navigator);
    if (!locks) return;
    await whileShown(async (shown) => {
      await locks.request(lookedAt(match), { mode: "shared" }, () => ended(shown));
      return false;
    }, signal);
  }

  // Return the seats of a match that were here lately. null: unknown.
  /** @param {string} match */
  here(match) {
    return this.#here.get(match)?.here ?? null;
  }

  // Return the matches in which the reader must act or answer.
  /** @param {string} [except] @returns {Set<string>} */
  turns(except) {
    const turns = new Set();
    for (const { event, match, seat, status } of this.#standing.values()) {
      if (status === "open") continue;
      const isHeld = `seat:${seat}` in (recall(match)?.tokens ?? {});
      if (AWAITED.includes(event) && isHeld && match !== except) turns.add(match);
    }
    return turns;
  }

  /** @param {AbortSignal} signal */
  async #lead(signal) {
    await locked({ signal }, () => this.#follow(signal));
  }

  /** @param {AbortSignal} signal */
  async #glance(signal) {
    const pause = read(CALLS) === null ? GLANCE_EVERY : GLANCE_TO_CALL;
    await rest(pause, signal);
    if (!document.hidden || Date.now() - this.#heardAt < pause) return;
    const short = AbortSignal.any([signal, AbortSignal.timeout(GLANCE)]);
    await locked({ ifAvailable: true }, () => this.#follow(short));
  }

  /** @param {AbortSignal} signal */
  async #follow(signal) {
    this.#leads = true;
    this.#isWhole = true;
    while (!signal.aborted) {
      this.#renewal = new AbortController();
      const until = AbortSignal.any([signal, this.#renewal.signal]);
      this.#followed = newestTokens();
      const headers = { "Giornale-Tokens": this.#followed.join(", ") };
      const hearer = {
        heard: (/** @type {StreamEvent} */ event) => this.#onEvent(event),
        state: (/** @type {MyNews["connection"]} */ state) => this.#pass([], state),
        refused: () => this.#pass([], "refused"),
      };

      const isAny = this.#followed.length > 0;
      const isOver = !isAny || (await this.#stream.follow(this.#api, hearer, until, headers));
      if (isOver) await ended(until);
    }
    this.#leads = false;
  }

  /** @param {StreamEvent} event @returns {undefined} */
  #onEvent({ data }) {
    /** @type {MatchNews} */
    const news = JSON.parse(data);
    const isCall = this.#isCall(news);
    this.#pass([news], "live");
    if (isCall) call(news);
    if (owesEntropy(news)) drawTogether(news);
  }

  // True if the reader is awaited since this news, and was not before. Only the tab that hears it from
  // the service asks, so that a single tab calls.
  /** @param {MatchNews} news */
  #isCall({ event, match, seat, status }) {
    if (read(CALLS) === null || !AWAITED.includes(event) || status === "open") return false;
    const known = this.#standing.get(`${match} ${seat}`);
    const asked = this.#standing.get(`${match} ${seat} asked`);
    if (event === "take_back") return known !== undefined && asked === undefined;
    return known !== undefined && known.event !== "turn";
  }

  /** @param {MatchNews[]} news @param {MyNews["connection"]} connection */
  #pass(news, connection) {
    this.#take({ news, connection });
    this.#post(news, false);
  }

  /** @param {MatchNews[]} news @param {boolean} isAll */
  #post(news, isAll) {
    const { connection } = this;
    const { position } = this.#stream;
    this.#channel.postMessage({ news, connection, position, isAll });
  }

  /** @param {MyNews | null} message null: a new tab asks for the current situation */
  #onMessage(message) {
    if (message === null) {
      this.renew();
      const all = [...this.#standing.values(), ...this.#here.values()];
      if (this.#leads) this.#post(all, true);
      return;
    }

    // A position counts only if all events before it were heard.
    this.#isWhole ||= message.isAll === true;
    if (this.#isWhole) this.#stream.position = message.position ?? "";
    this.#take(message);
  }

  /** @param {MyNews} message */
  #take({ news, connection }) {
    this.#heardAt = Date.now();
    this.connection = connection;
    for (const one of news) {
      if (!this.#keep(one)) continue;
      for (const listener of this.#listeners) listener.heard(one);
    }
    for (const listener of this.#listeners) listener.changed();
  }

  // Forget a match with a lost token. The news does not say which of several tokens is lost, so a
  // match of several seats stays.
  /** @param {string} match */
  #forget(match) {
    const places = [...this.#standing].filter(([, news]) => news.match === match);
    const seats = new Set(places.flatMap(([, { seat }]) => seat ?? []));
    if (seats.size > 1) return;
    for (const [place] of places) this.#standing.delete(place);
  }

  /** @param {MatchNews} news @returns {boolean} true: it is new */
  #keep(news) {
    const { event, match, seat, version } = news;
    if (event === "presence") {
      this.#here.set(match, news);
      return false;
    }
    const isAsk = event === "take_back";
    const asked = `${match} ${seat} asked`;
    const place = isAsk ? asked : `${match} ${seat}`;
    const known = this.#standing.get(place);
    if (known?.version === version && known.event === event) return false;

    // The news of an awaited answer comes first for a version, so an earlier request is over.
    if (!isAsk && (this.#standing.get(asked)?.version ?? version) < version) {
      this.#standing.delete(asked);
    }

    if (event === "gone") this.#forget(match);
    if (event !== "rewritten") this.#standing.set(place, news);
    return true;
  }
}

/** @param {string} match @returns {string} the lock of tabs that show the match */
export function lookedAt(match) {
  return `${NAME}/looked/${match}`;
}

// Return the tokens of the newest matches: the seats' tokens, else the reader's. Their order does not
// change when another match is opened.
export function newestTokens() {
  const newest = remembered().flatMap(({ match, tokens }) => {
    const seats = Object.keys(tokens).filter((holder) => holder.startsWith("seat:"));
    const reader = tokenFor(match);
    if (seats.length === 0) return reader === null ? [] : [reader];
    return seats.map((holder) => tokens[holder] ?? "");
  });
  return newest.slice(0, MOST_TOKENS).sort();
}

/** @param {LockOptions} options @param {() => Promise<void>} act */
async function locked(options, act) {
  const { locks } = /** @type {{ locks?: LockManager }} */ (navigator);
  if (!locks) return act();
  try {
    await locks.request(NAME, options, (lock) => (lock ? act() : undefined));
  } catch (failure) {
    if (!options.signal?.aborted) throw failure;
  }
}

/** @param {AbortSignal} signal @returns {Promise<void>} */
function ended(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

// True if a seat of this browser must pledge or disclose before the start (M19).
/** @param {MatchNews} news */
function owesEntropy({ event, status }) {
  return event === "turn" && status === "open";
}

// Pledge or disclose. The module is loaded on demand. A refusal is shown on any page.
/** @param {MatchNews} news */
async function drawTogether({ match, seat }) {
  if (seat === null) return;
  const drawing = await import("./drawing.js");
  try {
    await drawing.drawTogether(match, seat);
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    tellProblem(failure);
  }
}

// Call the reader. The module is loaded on demand.
/** @param {MatchNews} news */
async function call(news) {
  const { callFor } = await import("./call.js");
  await callFor(news);
}
