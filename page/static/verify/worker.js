// The check of a record beside the page, so that the page stays responsive. The worker receives
// {record, beside} once. It sends {progress: [done, of]} now and then, and at the end {report}, or
// {failure} with a message if the check failed.

import { verifyRecord } from "./record.js";

/** @import { Beside, Progress } from "./types.d.ts" */

addEventListener("message", ({ data }) => {
  check(data.record, data.beside);
});

/** @param {ArrayBuffer} record @param {Beside} beside */
async function check(record, beside) {
  /** @type {Progress} */
  const progress = (done, of) => postMessage({ progress: [done, of] });
  try {
    postMessage({ report: await verifyRecord(new Uint8Array(record), beside, { progress }) });
  } catch (error) {
    postMessage({ failure: error instanceof Error ? error.message : String(error) });
  }
}
