// A check of a record for the page: in a worker, or in the page if there is no worker.

import { workerAddress } from "../base/page.js";
import { NoCryptography } from "./digests.js";
import { verifyRecord } from "./record.js";

/** @import { Beside, Options, Report } from "./types.d.ts" */

/**
 * @param {ArrayBuffer} record @param {Beside} beside @param {Options} [options]
 * @returns {Promise<Report>} @throws {NoCryptography} if nothing can be checked at all
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

class WorkerLost extends Error {}

/** @returns {Worker | null} */
function newWorker() {
  try {
    return new Worker(workerAddress(), { type: "module" });
  } catch {
    return null;
  }
}

/**
 * @param {Worker} worker @param {{record: ArrayBuffer, beside: Beside}} task
 * @param {Options} options @returns {Promise<Report>}
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
