// Requests to the service, and what can go wrong with them.

/** @import { Answer, Path, ProblemBody, Query, Writing } from "./types.d.ts" */

export class Api {
  /** @param {string} home @param {string | null} [token] */
  constructor(home, token = null) {
    this.home = home;
    this.token = token;
  }

  /**
   * With an `etag` the status is 304, and there is no value, if nothing has changed.
   * @template Read @param {Path<Read>} path
   * @param {{ query?: Query, signal?: AbortSignal, etag?: string | null }} [options]
   * @returns {Promise<Answer<Read>>}
   */
  async get(path, { query, signal, etag } = {}) {
    /** @type {Record<string, string>} */
    const headers = {};
    if (etag) headers["If-None-Match"] = etag;

    const response = await counting(this.send("GET", path, { query, headers, signal }));
    const value = await counting(readValue(response));
    const etagNow = response.headers.get("ETag");
    return { value, etag: etagNow, status: response.status, retryAfter: retryAfterOf(response) };
  }

  /**
   * @template Written @param {Path<unknown, Written>} path @param {unknown} [body]
   * @param {Writing} [options] @returns {Promise<Written>}
   */
  post(path, body, options = {}) {
    return this.#write("POST", path, body, options);
  }

  /** @param {string} path @param {Writing} [options] @returns {Promise<null>} */
  delete(path, options = {}) {
    return this.#write("DELETE", path, undefined, options);
  }

  /**
   * Send a request and return its answer, whose body is still to be read. Throws Problem if it was
   * refused, NetworkFailure if no answer came.
   * @param {string} method @param {string} path
   * @param {{ query?: Query, headers?: Record<string, string>, body?: string, signal?: AbortSignal
   *   }} [options]
   */
  async send(method, path, { query, headers = {}, body, signal } = {}) {
    /** @type {Record<string, string>} */
    const all = { Accept: "application/json", ...headers };
    if (this.token) all.Authorization = `Bearer ${this.token}`;
    if (method !== "GET") all["Content-Type"] = "application/json";

    const address = this.home + path + queryText(query);
    const response = await reach(address, { method, headers: all, body, signal });
    noteTime(response);
    if (response.ok || response.status === 304) return response;
    throw await problemOf(response);
  }

  /**
   * Ask for an answer that is lines of JSON; its body is still to be read.
   * @param {string} path @param {{ query?: Query, signal?: AbortSignal }} [options]
   */
  lines(path, options = {}) {
    const headers = { Accept: "application/x-ndjson" };
    return counting(this.send("GET", path, { ...options, headers }));
  }

  /** @param {string} method @param {string} path @param {unknown} body @param {Writing} options */
  async #write(method, path, body, { ifMatch, key, signature, query, signal }) {
    /** @type {Record<string, string>} */
    const headers = {};
    if (ifMatch) headers["If-Match"] = ifMatch;
    if (key) headers["Idempotency-Key"] = key;
    if (signature) headers["Giornale-Signature"] = signature;

    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await this.send(method, path, { query, headers, body: text, signal });
    return readValue(response);
  }
}

// ---- what is on its way -------------------------------------------------------------------------

const LOOK = 30; // milliseconds between two looks whether something is on its way
const CALM_LOOKS = 3;

let underWay = 0;

// Count a promise as on its way until it is settled.
/** @template Value @param {Promise<Value>} promise @returns {Promise<Value>} */
export async function counting(promise) {
  underWay += 1;
  try {
    return await promise;
  } finally {
    underWay -= 1;
  }
}

// Wait until nothing is on its way, for so many milliseconds at most. What is shown then stays.
/** @param {number} limit */
export async function calm(limit) {
  const end = performance.now() + limit;
  for (let looks = 0; looks < CALM_LOOKS && performance.now() < end; ) {
    await new Promise((done) => setTimeout(done, LOOK));
    looks = underWay === 0 ? looks + 1 : 0;
  }
}

// How many milliseconds the server's clock is ahead. Its answers name whole seconds, so the latest
// that any of them names is the nearest; a clock that was set anew makes another begin.
let ahead = Number.NEGATIVE_INFINITY;

/** @param {Response} response */
function noteTime(response) {
  const found = Date.parse(response.headers.get("Date") ?? "") - Date.now();
  if (Number.isNaN(found)) return;
  ahead = Math.abs(found - ahead) < 5_000 ? Math.max(found, ahead) : found;
}

/** @returns {number} the server's time, in milliseconds since 1970 */
export function serverNow() {
  return Date.now() + (Number.isFinite(ahead) ? ahead : 0);
}

// Return a function that does something, one time after the other: once more, at the most, for all
// calls that come while it is being done.
/** @param {() => Promise<void>} act @returns {() => Promise<void>} */
export function oneByOne(act) {
  let isWanted = false;
  /** @type {Promise<void> | null} */
  let doing = null;

  async function doAll() {
    while (isWanted) {
      isWanted = false;
      await act();
    }
  }

  return () => {
    isWanted = true;
    doing ??= doAll().finally(() => {
      doing = null;
    });
    return doing;
  };
}

// Return a new idempotency key. `crypto.randomUUID` is there on secure pages alone, but a service
// at home may be served without TLS.
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string | null} etag such as "12;seat:0;c01d..." in quotes
 * @returns {string | null} "seat:0", "owner", "spectator", "invitation" or "public"
 */
export function holderOf(etag) {
  return etag?.replaceAll('"', "").split(";")[1] ?? null;
}

/** @param {string} address @param {RequestInit} init */
async function reach(address, init) {
  try {
    return await fetch(address, init);
  } catch (failure) {
    throw networkFailure(failure);
  }
}

/** @param {Query | undefined} query */
function queryText(query) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined) parts.set(name, String(value));
  }
  const text = parts.toString();
  return text ? `?${text}` : "";
}

/** @param {Response} response */
async function readValue(response) {
  if (response.status === 204 || response.status === 304) return null;
  try {
    const isJson = response.headers.get("Content-Type")?.includes("json");
    return isJson ? await response.json() : await response.text();
  } catch (failure) {
    throw networkFailure(failure);
  }
}

// ---- what can go wrong with requests ------------------------------------------------------------

// What the service refused, as it told it (RFC 9457). The members that depend on the type, such as
// `legal_moves` or `commits`, are in `body`.
export class Problem extends Error {
  /** @param {number} status @param {ProblemBody | null} body @param {number | null} [retryAfter] */
  constructor(status, body, retryAfter = null) {
    super(body?.detail ?? body?.title ?? `The service answered ${status}.`);
    this.name = "Problem";
    this.status = status;
    this.type = body?.type ?? "";
    this.title = body?.title ?? "The service did not do it";
    this.detail = this.message;
    this.errors = body?.errors ?? [];
    this.rule = body?.rule ?? null;
    this.body = body ?? {};
    this.retryAfter = retryAfter;
  }
}

// No answer came: the network or the service is away. Whether a request was done is not known.
export class NetworkFailure extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super("The service cannot be reached.", { cause });
    this.name = "NetworkFailure";
  }
}

// Return the failure to throw: a request that its caller gave up is not the network's fault.
/** @param {unknown} failure @returns {unknown} */
function networkFailure(failure) {
  const givenUp = failure instanceof DOMException && failure.name === "AbortError";
  return givenUp ? failure : new NetworkFailure(failure);
}

/** @param {Response} response @returns {Promise<Problem>} */
export async function problemOf(response) {
  const body = await response.json().catch(() => null);
  return new Problem(response.status, body, retryAfterOf(response));
}

/** @param {Response} response */
function retryAfterOf(response) {
  return Number(response.headers.get("Retry-After")) || null;
}

// Whether something may have been done although no answer says so: then it is asked again as it
// was.
/** @param {unknown} failure */
export function isUnanswered(failure) {
  if (failure instanceof NetworkFailure) return true;
  if (!(failure instanceof Problem)) return false;
  const passing = [408, 429].includes(failure.status) || failure.status >= 500;
  return passing || failure.type.endsWith("/request-in-progress");
}

// ---- the bodies of answers: all bytes, or many lines that are read while they arrive ------------

/** @param {Response} response */
export async function bytesOf(response) {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (failure) {
    throw networkFailure(failure);
  }
}

// Read a text line by line while it arrives. The last line may lack its end.
/** @param {Response} response */
export async function* textLines(response) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (failure) {
    throw networkFailure(failure);
  } finally {
    reader.cancel().catch(() => {});
  }
  if (rest) yield rest;
}
