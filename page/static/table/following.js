// What happens in a match, as it happens. The one stream of this browser tells of the matches of its
// tokens. Who only watches, or is refused that stream, follows the match itself.

import { paths } from "../base/home.js";
import { Stream, whileShown } from "../base/stream.js";

/** @import { Match, MatchNews } from "../../api.d.ts" */
/** @import { Problem } from "../base/api.js" */
/** @import { Line } from "../replay/types.d.ts" */
/** @import { StreamEvent } from "../base/types.d.ts" */
/** @import { FollowingParts } from "./types.d.ts" */

const HERE = 3 * 60_000; // milliseconds for which a sign of a player counts, as the service counts them

// Who is here: the seats that the service has heard of lately, and those that the page has seen come
// or act, of which the service tells a minute later.
export class Presence {
  /** When each was seen to come, by seat. @type {Map<number, number>} */ #arrived = new Map();

  // Note who has taken a seat.
  /** @param {Match["seats"]} before @param {Match["seats"]} after @param {number} now */
  compare(before, after, now) {
    for (const { seat, kind, absent } of after) {
      const was = before[seat];
      const isPlaying = kind === "human" && !absent;
      if (isPlaying && (was?.kind !== "human" || was.absent)) this.#arrived.set(seat, now);
    }
  }

  /**
   * @param {number[] | null} told as the service tells it; null: not yet
   * @param {Pick<Line, "actor" | "time">[]} lines what has happened @param {number} now
   * @returns {(seat: number) => boolean | null} whether a seat is here; null: that is not known
   */
  at(told, lines, now) {
    const seen = new Set(told);
    for (const [seat, time] of this.#arrived) if (now - time < HERE) seen.add(seat);
    for (const { actor, time } of lines.toReversed()) {
      if (now - Date.parse(time) >= HERE) break;
      if (actor.startsWith("seat:")) seen.add(Number(actor.slice("seat:".length)));
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
    mine.look(match.id, signal);
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
    const stream = new Stream(paths.match(match.id, "stream"), String(match.version));
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
    if (match !== this.parts.match.id) return;
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
