// What happens in a match, as it happens. The one stream of this browser tells of the matches of its
// tokens. Who only watches, or is refused that stream, follows the match itself.

import { paths } from "../base/home.js";
import { Stream, whileShown } from "../base/stream.js";

/** @import { MatchNews } from "../../api.d.ts" */
/** @import { Problem } from "../base/api.js" */
/** @import { StreamEvent } from "../base/types.d.ts" */
/** @import { FollowingParts } from "./types.d.ts" */

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
