// The address of the worker that checks records: the only one that may be run (Trusted Types).
// Every page loads this module, also those that check nothing. Each policy can be made once, so no
// other code can make one under this name that lets any address through.

const WORKER = new URL("../verify/worker.js", import.meta.url).href;

/** @type {{createScriptURL: (url: string) => string} | undefined} */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("giornale", {
  createScriptURL: onlyWorker,
});

export function workerAddress() {
  return policy === undefined ? WORKER : policy.createScriptURL(WORKER);
}

/** @param {string} url */
function onlyWorker(url) {
  if (url !== WORKER) throw new TypeError("no other script is run");
  return url;
}
