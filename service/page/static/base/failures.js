// What can go wrong with requests: the service refuses them, or no answer comes.

// What the service refused, as it told it (RFC 9457). The members that depend on the type, such as
// `legal_moves` or `commits`, are in `body`.
export class Problem extends Error {
  /** @param {number} status @param {any} body @param {number | null} [retryAfter] */
  constructor(status, body, retryAfter = null) {
    super(body?.detail ?? body?.title ?? `The service answered ${status}.`);
    this.name = "Problem";
    this.status = status;
    this.type = /** @type {string} */ (body?.type ?? "");
    this.title = /** @type {string} */ (body?.title ?? "The service did not do it");
    this.detail = this.message;
    this.errors = /** @type {{ pointer: string, parameter?: string, detail: string }[]} */ (
      body?.errors ?? []
    );
    this.rule = /** @type {string | null} */ (body?.rule ?? null);
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

/**
 * Return the failure to throw: a request that its caller gave up is not the network's fault.
 * @param {unknown} failure @returns {unknown}
 */
export function networkFailure(failure) {
  const givenUp = failure instanceof DOMException && failure.name === "AbortError";
  return givenUp ? failure : new NetworkFailure(failure);
}

/** @param {Response} response @returns {Promise<Problem>} */
export async function problemOf(response) {
  const body = await response.json().catch(() => null);
  return new Problem(response.status, body, retryAfterOf(response));
}

/** @param {Response} response */
export function retryAfterOf(response) {
  return Number(response.headers.get("Retry-After")) || null;
}

/**
 * Whether something may have been done although no answer says so: then it is asked again as it
 * was.
 * @param {unknown} failure
 */
export function isUnanswered(failure) {
  if (failure instanceof NetworkFailure) return true;
  if (!(failure instanceof Problem)) return false;
  const passing = [408, 429].includes(failure.status) || failure.status >= 500;
  return passing || failure.type.endsWith("/request-in-progress");
}
