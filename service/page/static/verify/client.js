/** A check of a record in a worker, as the page asks for it. */

import { NoCryptography } from "./digests.js";
import { verifyRecord } from "./record.js";

/** @typedef {import("./record.js").Beside} Beside */
/** @typedef {import("./report.js").Report} Report */

/**
 * @typedef {object} Options
 * @property {(done: number, of: number) => void} [progress]
 * @property {AbortSignal} [signal] ends the check, and its worker
 */

const WORKER = new URL("./worker.js", import.meta.url).href;

/** @type {{createScriptURL: (url: string) => string} | undefined} */
let policy;

/**
 * Check a record in a worker; on the page itself where there are no workers of modules.
 *
 * @param {ArrayBuffer} record
 * @param {Beside} beside
 * @param {Options} [options]
 * @returns {Promise<Report>}
 * @throws {NoCryptography} where nothing can be checked at all
 */
export async function verifyAside(record, beside, options = {}) {
  const worker = newWorker();
  if (worker === null) return verifyRecord(new Uint8Array(record), beside, options);

  try {
    return await answerOf(worker, { record, beside }, options);
  } catch (error) {
    if (!(error instanceof WorkerLost)) throw error;
    return await verifyRecord(new Uint8Array(record), beside, options);
  } finally {
    worker.terminate();
  }
}

/** A worker that could not be started. */
class WorkerLost extends Error {}

/** @returns {Worker | null} */
function newWorker() {
  try {
    return new Worker(trusted(WORKER), { type: "module" });
  } catch {
    return null;
  }
}

/**
 * @param {Worker} worker
 * @param {{record: ArrayBuffer, beside: Beside}} task
 * @param {Options} options
 * @returns {Promise<Report>}
 */
function answerOf(worker, task, { progress, signal }) {
  return new Promise((resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    worker.addEventListener("error", () => reject(new WorkerLost()), { once: true });
    worker.addEventListener("message", ({ data }) => {
      if (data.progress) progress?.(data.progress[0], data.progress[1]);
      if (data.report) resolve(data.report);
      if (data.failure) reject(new NoCryptography(data.failure));
    });
    worker.postMessage(task);
  });
}

/**
 * Return the address of the worker as one that may be run. No other address may be (Trusted Types).
 *
 * @param {string} url
 * @returns {string}
 */
function trusted(url) {
  const trustedTypes = /** @type {any} */ (globalThis).trustedTypes;
  if (trustedTypes === undefined) return url;

  policy ??= trustedTypes.createPolicy("giornale", { createScriptURL: onlyWorker });
  return /** @type {NonNullable<typeof policy>} */ (policy).createScriptURL(url);
}

/** @param {string} url */
function onlyWorker(url) {
  if (url !== WORKER) throw new TypeError("no other script is run");
  return url;
}
