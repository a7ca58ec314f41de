// Streams of the service: server-sent events over fetch, so that tokens are in headers.

import { NetworkFailure, Problem, textLines } from "./api.js";

/** @import { Api } from "./api.js" */
/** @import { Hearer, StreamEvent } from "./types.d.ts" */

const FIRST_PAUSE = 500; // milliseconds, about, before the second attempt. Later pauses are longer
const LONGEST_PAUSE = 15_000;
const SILENCE = 20_000; // the service sends a heartbeat every few seconds

// A stream of the service. It resumes after a cut. The position is the id of the last event, "" for
// none.
export class Stream {
  /** @param {string} path @param {string} [position] */
  constructor(path, position = "") {
    this.path = path;
    this.position = position;
  }

  /**
   * @param {Api} api @param {Hearer} hearer @param {AbortSignal} [signal] ends it
   * @param {Record<string, string>} [headers]
   * @returns {Promise<boolean>} true: it is over
   */
  async follow(api, hearer, signal, headers = {}) {
    let pause = FIRST_PAUSE;

    while (!signal?.aborted) {
      let asked = 0; // milliseconds, from Retry-After
      try {
        const connection = await this.#connect(api, headers, signal);
        hearer.state(connection === null ? "ended" : "live");
        if (connection === null) return true;

        for await (const event of connection) {
          pause = FIRST_PAUSE;
          this.position = event.id;
          if (hearer.heard(event) === "enough") return true;
        }
      } catch (failure) {
        if (signal?.aborted) return false;
        if (!(failure instanceof Problem) && !(failure instanceof NetworkFailure)) throw failure;
        if (failure instanceof Problem && !isPassing(failure)) {
          hearer.state("ended");
          hearer.refused(failure);
          return true;
        }
        hearer.state("reconnecting");
        asked = failure instanceof Problem ? 1000 * (failure.retryAfter ?? 0) : 0;
      }
      // A random part spreads the browsers: an overloaded server may have cut them all.
      await rest(Math.max(asked, pause * (0.75 + Math.random() / 2)), signal);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
    return false;
  }

  /**
   * @param {Api} api @param {Record<string, string>} headers @param {AbortSignal | undefined} signal
   * @returns {Promise<AsyncGenerator<StreamEvent, void> | null>} null: nothing will follow
   */
  async #connect(api, headers, signal) {
    const attempt = new AbortController();
    const giveUp = () => attempt.abort();
    signal?.addEventListener("abort", giveUp, { once: true });
    const alarm = setTimeout(giveUp, SILENCE);

    /** @type {Record<string, string>} */
    const all = { ...headers };
    if (this.position) all["Last-Event-ID"] = this.position;
    try {
      const response = await api.send("GET", this.path, { headers: all, signal: attempt.signal });
      return response.status === 204 ? null : events(response, attempt, this.position);
    } catch (failure) {
      throw attempt.signal.aborted ? new NetworkFailure(failure) : failure;
    } finally {
      clearTimeout(alarm);
    }
  }
}

/** @param {Problem} problem */
function isPassing(problem) {
  return problem.status === 429 || problem.status >= 500;
}

/**
 * Yield server-sent events. A long silence counts as a lost connection.
 * @param {Response} response @param {AbortController} attempt @param {string} id of the last event
 * @returns {AsyncGenerator<StreamEvent, void>}
 */
async function* events(response, attempt, id) {
  const cut = () => attempt.abort();
  let alarm = setTimeout(cut, SILENCE);
  let name = "message";
  /** @type {string[]} */
  let data = [];

  try {
    for await (const line of textLines(response)) {
      clearTimeout(alarm);
      alarm = setTimeout(cut, SILENCE);
      if (line.startsWith("id:")) id = line.slice(3).trim();
      if (line.startsWith("event:")) name = line.slice(6).trim();
      if (line.startsWith("data:")) data.push(line.slice(5).trim());
      if (line !== "") continue;

      if (data.length > 0) yield { id, name, data: data.join("\n") };
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

// Wait for a time, but not longer than until the browser is online again, the page is shown or
// hidden, or the signal aborts.
/** @param {number} milliseconds @param {AbortSignal | undefined} signal @returns {Promise<void>} */
export function rest(milliseconds, signal) {
  return new Promise((resolve) => {
    const woken = new AbortController();
    const timer = setTimeout(wake, milliseconds);

    if (signal?.aborted) wake();

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

// Run `act` while the page is shown, until it returns true. Run it again each time the page is shown.
// A hidden page holds no connection: over HTTP/1.1 a browser has six for a host, shared by all
// tabs.
/** @param {(signal: AbortSignal) => Promise<boolean>} act @param {AbortSignal} signal */
export async function whileShown(act, signal) {
  while (!signal.aborted) {
    if (document.hidden) await rest(LONGEST_PAUSE, signal);
    else if (await act(untilHidden(signal))) return;
  }
}

/** @param {AbortSignal} signal @returns {AbortSignal} aborted also once the page is hidden */
export function untilHidden(signal) {
  const hidden = new AbortController();
  const onChange = () => document.hidden && hidden.abort();
  document.addEventListener("visibilitychange", onChange, { signal: hidden.signal });
  return AbortSignal.any([signal, hidden.signal]);
}
