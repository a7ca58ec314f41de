// The news of a match as they come. This browser's one stream covers the matches of its tokens. A
// reader without a token, or refused by that stream, follows the match itself.

import { seatOf } from "../base/actors.js";
import { paths } from "../base/home.js";
import { Stream, whileShown } from "../base/stream.js";

/** @import { Match, MatchNews } from "../../api.d.ts" */
/** @import { Problem } from "../base/api.js" */
/** @import { Line } from "../replay/types.d.ts" */
/** @import { StreamEvent } from "../base/types.d.ts" */
/** @import { FollowingParts } from "./types.d.ts" */

const HERE = 3 * 60_000; // milliseconds for which a sign of a player counts, as in the service

// The presence of seats: those in the service's last report, and those that the page saw come or act.
// The service reports at most once a minute.
export class Presence {
  /** Time of arrival by seat. @type {Map<number, number>} */ #arrived = new Map();

  // Note newly taken seats.
  /** @param {Match["seats"]} before @param {Match["seats"]} after @param {number} now */
  compare(before, after, now) {
    for (const { seat, kind, absent } of after) {
      const was = before[seat];
      const isPlaying = kind === "human" && !absent;
      if (isPlaying && (was?.kind !== "human" || was.absent)) this.#arrived.set(seat, now);
    }
  }

  /**
   * @param {number[] | null} told the service's report; null: none yet
   * @param {Pick<Line, "actor" | "time">[]} lines the history @param {number} now
   * @returns {(seat: number) => boolean | null} true: a seat is here; null: unknown
   */
  at(told, lines, now) {
    const seen = new Set(told);
    for (const [seat, time] of this.#arrived) if (now - time < HERE) seen.add(seat);
    for (const { actor, time } of lines.toReversed()) {
      if (now - Date.parse(time) >= HERE) break;
      if (actor.startsWith("seat:")) seen.add(seatOf(actor));
    }
    return (seat) => seen.has(seat) || (told === null ? null : false);
  }
}

export class Following {
  /** @type {"live" | "reconnecting" | "ended" | ""} */
  connection = "";

  #isWatched = false;

  /** @param {FollowingParts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  begin() {
    const { api, match, mine, signal } = this.parts;
    mine.look(match.match, signal);
    if (api.token === null) {
      this.#watch();
      return;
    }

    const listener = {
      heard: (/** @type {MatchNews} */ news) => this.#onNews(news),
      changed: () => this.#onMine(),
    };
    mine.listen(listener, signal);
  }

  #onMine() {
    const { connection } = this.parts.mine;
    this.parts.elsewhere();
    if (connection === this.connection || this.#isWatched) return;
    if (connection === "refused") this.#watch();
    else this.#onConnection(connection);
  }

  #watch() {
    this.#isWatched = true;
    const { api, match, signal, refused } = this.parts;
    const stream = new Stream(paths.match(match.match, "stream"), String(match.version));
    const hearer = {
      heard: (/** @type {StreamEvent} */ event) => this.#onEvent(event),
      state: (/** @type {"live" | "reconnecting" | "ended"} */ state) => this.#onConnection(state),
      refused: (/** @type {Problem} */ problem) => refused(problem),
    };
    whileShown((shown) => stream.follow(api, hearer, shown), signal);
  }

  /** @param {StreamEvent} event @returns {"enough" | undefined} */
  #onEvent({ name, data }) {
    if (name === "commit") this.parts.committed(JSON.parse(data));
    if (name !== "rewritten") return undefined;
    this.parts.rewritten();
    return "enough";
  }

  /** @param {MatchNews} news */
  #onNews({ event, match, version }) {
    if (match !== this.parts.match.match) return;
    if (event === "rewritten") this.parts.rewritten();
    else if (event === "gone") this.parts.gone();
    else this.parts.grown(version);
  }

  /** @param {"live" | "reconnecting" | "ended" | ""} connection */
  #onConnection(connection) {
    this.connection = connection;
    this.parts.connected(connection === "live");
  }
}
