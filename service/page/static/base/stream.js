// Following a match live: server-sent events over fetch, so that the token is in a header.

import { NetworkFailure, Problem, textLines } from "./api.js";
import { paths } from "./home.js";

/** @import { Api } from "./api.js" */
/** @import { Follower, StreamEvent } from "./types.d.ts" */

const FIRST_PAUSE = 500; // milliseconds before the second attempt; each pause is twice the last
const LONGEST_PAUSE = 15_000;
const SILENCE = 20_000; // the service sends a heartbeat every few seconds

/**
 * @param {Api} api @param {string} match @param {number} after @param {Follower} follower
 * @returns {Promise<void>} when nothing will follow
 */
export async function follow(api, match, after, follower) {
  const { signal } = follower;
  let version = after;
  let pause = FIRST_PAUSE;

  while (!signal?.aborted) {
    try {
      const connection = await connect(api, match, version, signal);
      if (connection === null) {
        follower.state("ended");
        return;
      }

      follower.state("live");
      for await (const event of connection) {
        pause = FIRST_PAUSE;
        if (event.name === "rewritten") {
          follower.rewritten();
          return;
        }
        if (event.name !== "commit") continue;
        const commit = JSON.parse(event.data);
        version = commit.version;
        follower.commit(commit);
      }
    } catch (failure) {
      if (signal?.aborted) return;
      if (failure instanceof Problem && !isPassing(failure)) {
        follower.state("ended");
        follower.refused?.(failure);
        return;
      }
      if (!(failure instanceof Problem) && !(failure instanceof NetworkFailure)) throw failure;
      follower.state("reconnecting");
    }
    await rest(pause, signal);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}

/** @param {Problem} problem */
function isPassing(problem) {
  return problem.status === 429 || problem.status >= 500;
}

/**
 * @param {Api} api @param {string} match @param {number} version
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<AsyncGenerator<StreamEvent, void> | null>} null: nothing will follow
 */
async function connect(api, match, version, signal) {
  const attempt = new AbortController();
  const giveUp = () => attempt.abort();
  signal?.addEventListener("abort", giveUp, { once: true });
  const alarm = setTimeout(giveUp, SILENCE);

  const headers = { Accept: "text/event-stream", "Last-Event-ID": String(version) };
  const path = paths.match(match, "stream");
  try {
    const response = await api.send("GET", path, { headers, signal: attempt.signal });
    return response.status === 204 ? null : events(response, attempt);
  } catch (failure) {
    throw attempt.signal.aborted ? new NetworkFailure(failure) : failure;
  } finally {
    clearTimeout(alarm);
  }
}

/**
 * Read server-sent events. Silence for too long counts as a lost connection.
 * @param {Response} response @param {AbortController} attempt
 * @returns {AsyncGenerator<StreamEvent, void>}
 */
async function* events(response, attempt) {
  const cut = () => attempt.abort();
  let alarm = setTimeout(cut, SILENCE);
  let name = "message";
  /** @type {string[]} */
  let data = [];

  try {
    for await (const line of textLines(response)) {
      clearTimeout(alarm);
      alarm = setTimeout(cut, SILENCE);
      if (line.startsWith("event:")) name = line.slice(6).trim();
      if (line.startsWith("data:")) data.push(line.slice(5).trim());
      if (line !== "") continue;

      if (data.length > 0) yield { name, data: data.join("\n") };
      name = "message";
      data = [];
    }
  } catch (failure) {
    throw attempt.signal.aborted ? new NetworkFailure(failure) : failure;
  } finally {
    clearTimeout(alarm);
    attempt.abort();
  }
}

/** @param {number} milliseconds @param {AbortSignal | undefined} signal @returns {Promise<void>} */
function rest(milliseconds, signal) {
  return new Promise((resolve) => {
    const woken = new AbortController();
    const timer = setTimeout(wake, milliseconds);

    function wake() {
      clearTimeout(timer);
      woken.abort();
      resolve();
    }

    const listening = { signal: woken.signal };
    window.addEventListener("online", wake, listening);
    globalThis.document?.addEventListener("visibilitychange", wake, listening);
    signal?.addEventListener("abort", wake, listening);
  });
}
