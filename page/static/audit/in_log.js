// Checks in this browser that a match's last commit is in the log, and that witnesses have seen
// that log. A policy of the reader names the trusted logs and witnesses.

import { bytesOf, NetworkFailure, Problem } from "../base/api.js";
import { html, nothing } from "../base/dom.js";
import { HOME, paths } from "../base/home.js";
import { read, remove, write } from "../base/storage.js";
import { capital, counted, listed } from "../base/words.js";
import { NoCryptography, utf8 } from "../verify/digests.js";
import { pause } from "./server.js";

/** @import { Api } from "../base/api.js" */
/** @import { InLog, Report } from "../verify/types.d.ts" */
/** @import { Finding } from "./types.d.ts" */

const POLICY = `giornale${HOME}/policy`;

const NOT_SEALED = "/problems/overloaded"; // the commit has no position yet
const MOST_ASKED = 3; // requests for a proof, while the commit has no position

/**
 * @param {Api} api @param {Report} report of a record that is right @param {boolean} isPrivate
 * @param {AbortSignal} signal @returns {Promise<Finding>} by the stored policy, even if it changes
 * meanwhile
 */
export async function askLog(api, report, isPrivate, signal) {
  while (true) {
    const policy = read(POLICY);
    const finding = await askBy(policy, api, report, isPrivate, signal);
    if (read(POLICY) === policy) return finding;
  }
}

/**
 * @param {string | null} policy null: none @param {Api} api @param {Report} report
 * @param {boolean} isPrivate @param {AbortSignal} signal @returns {Promise<Finding>}
 */
async function askBy(policy, api, report, isPrivate, signal) {
  const { match, hash } = report;
  const version = report.counts.commits;
  const hasPolicy = policy !== null;
  const { checkInLog, leafOfCommit, NotSeen } = await import("../verify/in_log.js");
  const { policyOfKey, readPolicy } = await import("../verify/policy.js");
  const { BadProof } = await import("../verify/notes.js");
  try {
    const file = await proofOf(api, match, version, signal);
    const { value: keys } = await api.get(paths.keys(), { signal });
    if (!hasPolicy && keys.log_key === undefined) {
      return unchecked("the server lists no key of its log");
    }

    const trusted = await (hasPolicy ? readPolicy(utf8(policy)) : policyOfKey(keys.log_key ?? ""));
    const leaf = leafOfCommit(match, version, hash, isPrivate);
    return foundInLog(version, await checkInLog(file, trusted, leaf), hasPolicy);
  } catch (error) {
    if (error instanceof NotSeen) return notSeen(error.message);
    if (error instanceof BadProof) return badProof(version, error.message, hasPolicy);
    if (isNotSealed(error)) return notInLog(version);
    if (error instanceof Problem) return unchecked(`the server says: ${error.title}`);
    if (error instanceof NetworkFailure) return unchecked("the server cannot be reached");
    if (error instanceof NoCryptography) return unchecked(error.message);
    throw error;
  }
}

// Fetch the proof of a commit. Retry a few times while the commit has no position.
/** @param {Api} api @param {string} match @param {number} version @param {AbortSignal} signal */
async function proofOf(api, match, version, signal) {
  const options = { query: { version }, signal };
  for (let asked = 1; ; asked++) {
    try {
      const answer = await api.send("GET", paths.match(match, "proof"), options);
      return await bytesOf(answer);
    } catch (error) {
      if (!isNotSealed(error) || asked === MOST_ASKED) throw error;
      await pause(signal);
    }
  }
}

/** @param {unknown} error */
function isNotSealed(error) {
  return error instanceof Problem && error.type === NOT_SEALED;
}

/** @param {number} version @param {InLog} found @param {boolean} hasPolicy @returns {Finding} */
function foundInLog(version, { position, size, seenBy, others }, hasPolicy) {
  const place = `Entry ${version} has position ${position}, counted from 0, in a log of ${size}.`;
  const further = counted(others, "further signature");
  if (!hasPolicy) {
    const rest = `Not checked here: ${further} on it, perhaps of witnesses. Give a policy to check them.`;
    return {
      kind: "right",
      title: `In the log at ${position}`,
      text: `${place} The checkpoint of that log is signed with the log's key.${others > 0 ? ` ${rest}` : ""}`,
    };
  }

  const one = seenBy.length === 1 ? "witness" : "witnesses";
  const number =
    seenBy.length === 0 ? "no witness" : counted(seenBy.length, "witness", "witnesses");
  const witnesses = seenBy.length === 0 ? "" : ` and by its ${one} ${listed(seenBy)}`;
  const rest = others > 0 ? ` Not checked here: ${further} by keys that it does not name.` : "";
  return {
    kind: "right",
    title: `In the log at ${position}, seen by ${number}`,
    text: `${place} The checkpoint of that log is signed by the log of your policy${witnesses}. That is enough for the policy.${rest}`,
  };
}

/** @param {string} why @returns {Finding} */
function notSeen(why) {
  return {
    kind: "unknown",
    title: "Not seen by enough witnesses yet",
    text: `${capital(why)} by your policy. Witnesses sign a while after the log has: check again.`,
  };
}

/** @param {number} version @returns {Finding} */
function notInLog(version) {
  return {
    kind: "unknown",
    title: "Not in the log yet",
    text: `The server has no proof for entry ${version} now. An entry gets its place in the log a moment after it was made: check again.`,
  };
}

/** @param {number} version @param {string} why @param {boolean} hasPolicy @returns {Finding} */
function badProof(version, why, hasPolicy) {
  const by = hasPolicy ? ", by your policy" : "";
  return {
    kind: "wrong",
    title: "The proof from the log is wrong",
    text: `The server has not shown that entry ${version} is in its log${by}: ${why}. The record fits together all the same.`,
  };
}

/** @param {string} why @returns {Finding} */
function unchecked(why) {
  const title = "Its place in the log was not checked";
  return { kind: "unknown", title, text: `${capital(why)}.` };
}

// ---- the reader's policy ------------------------------------------------------------------------

const MOST_BYTES = 100_000;

// Store a file's policy.
/** @param {File} file @returns {Promise<string>} the fault of the policy. "": it is stored */
async function keepPolicy(file) {
  const { readPolicy } = await import("../verify/policy.js");
  const { BadProof } = await import("../verify/notes.js");
  if (file.size > MOST_BYTES) return "This is no policy: it is too long.";
  const text = await file.text();
  try {
    await readPolicy(utf8(text));
  } catch (error) {
    if (error instanceof BadProof) return `This is no policy: ${error.message}.`;
    throw error;
  }
  write(POLICY, text);
  return "";
}

/** @param {string} trouble @param {(trouble: string) => void} changed called after a change */
export function policyPanel(trouble, changed) {
  const text = read(POLICY);
  /** @param {Event} event */
  const onFile = async ({ target }) => {
    const field = /** @type {HTMLInputElement} */ (target);
    const [file] = field.files ?? [];
    field.value = "";
    if (file) changed(await keepPolicy(file));
  };
  const forget = () => {
    remove(POLICY);
    changed("");
  };
  return html`
    <section class="sheet audit-policy">
      <h2>Witnesses</h2>
      <p>
        Witnesses sign the server's log only if it continues the log that they saw before. You choose
        the witnesses to trust, not the server: by a policy (C2SP tlog-policy), a file as for
        <code>giornale verify --policy</code>. It stays in this browser.
      </p>
      ${text === null ? html`<p>You have given none, so signatures of witnesses are counted and not checked.</p>` : html`<pre class="audit-policy-text" tabindex="0" aria-label="Your policy">${text}</pre>`}
      <p class="row">
        <label class="button page-file">
          ${text === null ? "Give a policy" : "Give another policy"}
          <input type="file" accept=".policy,.txt,text/plain" @change=${onFile} />
        </label>
        ${text === null ? nothing : html`<button type="button" @click=${forget}>Use no policy</button>`}
      </p>
      <p role="status" class="audit-word audit-word-bad">${trouble}</p>
    </section>`;
}
