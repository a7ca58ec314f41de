// What the table page asks the service to do with a match.

import { Api, newKey } from "../base/api.js";
import { addressOf, HOME, paths } from "../base/home.js";
import { forgetToken, remember, tokens } from "../base/memory.js";
import { SeatTaking, takeRematch } from "../base/tokens.js";

export class Actions {
  isBusy = false;

  #taking = new SeatTaking();

  /** @type {unknown} */
  problem = null;

  /**
   * @param {string} match
   * @param {{ changed: () => void, renewed: () => void }} page changed: draw again; renewed: this
   *   browser has other tokens now, so read all anew
   */
  constructor(match, page) {
    this.match = match;
    this.page = page;
  }

  /** @param {number} seat @param {string} name */
  join(seat, name) {
    const { owner, invitation } = tokens(this.match);
    return this.#ask(invitation ?? owner ?? null, async (api) => {
      await this.#taking.take(api, this.match, seat, name);
      this.page.renewed();
    });
  }

  /** @param {number} seat */
  leave(seat) {
    const holder = `seat:${seat}`;
    return this.#ask(tokens(this.match)[holder] ?? null, async (api) => {
      await api.delete(this.#path(`seats/${seat}`));
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

  rematch() {
    return this.#ask(null, async () => {
      window.location.assign(addressOf(await takeRematch(this.match)));
    });
  }

  // Make a new token for those who are to join or to watch; the old one no longer counts.
  /** @param {"invitation" | "spectator"} holder */
  renewToken(holder) {
    return this.#asOwner(async (api, key) => {
      const { token } = await api.post(paths.match(this.match, "tokens"), { holder }, { key });
      remember(this.match, { tokens: { [holder]: token } });
    });
  }

  /** @param {string} below */
  #path(below) {
    return paths.match(this.match, below);
  }

  /** @param {(api: Api, key: string) => Promise<unknown>} request */
  #asOwner(request) {
    return this.#ask(tokens(this.match).owner ?? null, request);
  }

  /** @param {string | null} token @param {(api: Api, key: string) => Promise<unknown>} request */
  async #ask(token, request) {
    if (this.isBusy) return;
    this.isBusy = true;
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
