// Requests to the service, and their failures.

/** @import { Answer, Path, ProblemBody, Query, Writing } from "./types.d.ts" */

export class Api {
  /** @param {string} home @param {string | null} [token] */
  constructor(home, token = null) {
    this.home = home;
    this.token = token;
  }

  /**
   * With an `etag` an unchanged answer has the status 304 and no value.
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
   * Send a request and return its response, with the body unread. Throws Problem for a refusal,
   * NetworkFailure if no answer came, and AbortError if the caller aborts.
   * @param {string} method @param {string} path
   * @param {{ query?: Query, headers?: Record<string, string>, body?: string, signal?: AbortSignal
   *   }} [options]
   */
  async send(method, path, { query, headers = {}, body, signal } = {}) {
    /** @type {Record<string, string>} */
    const all = { ...headers };
    if (this.token) all.Authorization = `Bearer ${this.token}`;
    if (method !== "GET") all["Content-Type"] = "application/json";

    const address = this.home + path + queryText(query);
    const response = await reach(address, { method, headers: all, body, signal });
    noteTime(response);
    if (response.ok || response.status === 304) return response;
    throw await problemOf(response);
  }

  /**
   * Send a request for lines of JSON. The body of the response is unread.
   * @param {string} path @param {{ query?: Query, signal?: AbortSignal }} [options]
   */
  lines(path, options = {}) {
    return counting(this.send("GET", path, options));
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

/** @param {string | null} next of a page of a list @returns {string | null} its cursor */
export function cursorOf(next) {
  return next && new URL(next, window.location.href).searchParams.get("cursor");
}

// ---- requests under way -------------------------------------------------------------------------

const LOOK = 30; // milliseconds between two checks for requests under way
const CALM_LOOKS = 3;

let underWay = 0;

// Count a promise as under way until it is settled.
/** @template Value @param {Promise<Value>} promise @returns {Promise<Value>} */
export async function counting(promise) {
  underWay += 1;
  try {
    return await promise;
  } finally {
    underWay -= 1;
  }
}

// Wait until several checks in a row find no counted promise, at most `limit` milliseconds.
/** @param {number} limit */
export async function calm(limit) {
  const end = performance.now() + limit;
  for (let looks = 0; looks < CALM_LOOKS && performance.now() < end; ) {
    await new Promise((done) => setTimeout(done, LOOK));
    looks = underWay === 0 ? looks + 1 : 0;
  }
}

// The lead of the server's clock, in milliseconds. The header Date has whole seconds, so the largest
// of several values is the nearest. A jump of five seconds means that a clock was set: start over.
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

// Return a function that runs `act`, one run at a time. All calls during a run share one
// further run.
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

// Return a new idempotency key. Pages without TLS have no `crypto.randomUUID`, and a service at home
// may be served so.
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

// ---- failures of requests -----------------------------------------------------------------------

// A refusal of the service (RFC 9457). `body` has the members of its type, such as `legal_moves` or
// `commits`.
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

// No answer came: the network or the service is away. The request may have been done.
export class NetworkFailure extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super("The service cannot be reached.", { cause });
    this.name = "NetworkFailure";
  }
}

// Return the failure to throw. A request aborted by its caller is no failure of the network.
/** @param {unknown} failure @returns {unknown} */
function networkFailure(failure) {
  const givenUp = failure instanceof DOMException && failure.name === "AbortError";
  return givenUp ? failure : new NetworkFailure(failure);
}

/** @param {Response} response @returns {Promise<Problem>} */
async function problemOf(response) {
  const body = await response.json().catch(() => null);
  return new Problem(response.status, body, retryAfterOf(response));
}

/** @param {Response} response */
function retryAfterOf(response) {
  return Number(response.headers.get("Retry-After")) || null;
}

// True if the same request should be repeated: it may have been done, or may be let in later.
/** @param {unknown} failure */
export function isUnanswered(failure) {
  if (failure instanceof NetworkFailure) return true;
  if (!(failure instanceof Problem)) return false;
  const passing = [408, 429].includes(failure.status) || failure.status >= 500;
  return passing || failure.type.endsWith("/request-in-progress");
}

// ---- bodies of responses: all bytes, or lines read while they arrive ----------------------------

/** @param {Response} response */
export async function bytesOf(response) {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (failure) {
    throw networkFailure(failure);
  }
}

// Yield the lines of a text while it arrives. The last one may lack its newline.
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
