// The check of a whole record: all of the record format but the play itself, since that needs the
// games. The same code runs in a browser, in a worker and in Node.

import { baseOf, compareWithBase, notAtHand } from "./bases.js";
import { checkChain } from "./chain.js";
import { NoCryptography, toHex } from "./digests.js";
import { goesByMoves, seedPartsOf } from "./draws.js";
import { LINE_FEED } from "./lines.js";
import { checkFirstEvent } from "./match_commands.js";
import { matchRulesOf, NEWEST } from "./match_rules.js";
import { checkPeople, isBesideTheGame, Seats } from "./people.js";
import { checkHead, checkViews, checkWitness } from "./receipts.js";
import { END, newReport, Wrong } from "./report.js";
import { checkMayHide, unplayed } from "./rules.js";
import {
  checkRevelation,
  checkSalts,
  checkSealed,
  checkSealing,
  isRevealed,
  openingOf,
  saltsOf,
} from "./secrets.js";
import { checkSignature } from "./signatures.js";

/** @import { Beside, Entry, Fault, Options, PublicKey, Report, SecretPart } from "./types.d.ts" */

/**
 * @param {Uint8Array} record @param {Beside} [beside] @param {object} [options]
 * @param {(done: number, of: number) => void} [options.progress]
 * @param {AbortSignal} [options.signal] ends the check with its reason @returns {Promise<Report>}
 * @throws {NoCryptography} if nothing can be checked at all
 */
export async function verifyRecord(record, beside = {}, options = {}) {
  return (await checked(record, beside, options)).report;
}

/**
 * Return the report on a record, and its commits if they could be read.
 * @param {Uint8Array} record @param {Beside} beside @param {Options} options
 * @returns {Promise<{ report: Report, entries: Entry[] }>}
 */
async function checked(record, beside, options) {
  const report = newReport();
  /** @type {Entry[]} */
  let entries = [];
  const progress = options.progress ?? (() => {});
  try {
    entries = await checkChain(record, progress, options.signal);
    introduce(report, entries);
    await checkSecrets(report, entries);
    await checkBase(report, entries, beside.bases ?? [], options.signal);
    await checkBeside(report, entries, beside, options.signal);
    noteBesideTheGame(report, entries);
  } catch (error) {
    report.wrong = faultOf(error);
  }

  if (report.wrong !== null) report.verdict = "wrong";
  else if (report.unchecked.length > 0) report.verdict = "partly_checked";
  return { report, entries };
}

// Return the fault that ended a check. An error of the code on a forged value is a fault, too.
/** @param {unknown} error @returns {Fault} */
function faultOf(error) {
  if (error instanceof Wrong) return error.fault();
  if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
  return new Wrong(0, "unreadable", `it cannot be checked to its end (${error.name})`).fault();
}

/** @param {Report} report @param {Entry[]} entries */
function introduce(report, entries) {
  const first = /** @type {Entry} */ (entries[0]);
  const last = /** @type {Entry} */ (entries.at(-1));
  const sealed = entries.map(({ commit }) => Object.keys(commit.secrets).length);
  const opened = entries.map(({ secrets }) => Object.keys(secrets).length);

  report.match = first.commit.match;
  report.hash = last.hash;
  report.counts.commits = entries.length;
  report.counts.sealed = sum(sealed);
  report.counts.opened = sum(opened);

  checkSealing(first.commit);
  const base = baseOf(first.commit);
  if (base !== null) {
    report.base = { match: base.match, version: base.version, compared: false };
  }
  const opening = openingOf(first.commit);
  report.rules = /** @type {string} */ (opening.rules);
  report.bound = opening.match !== undefined;
  const matchRules = matchRulesOf(opening);
  if (matchRules > NEWEST) {
    report.unchecked.push(`the play: this program does not know match rules ${matchRules}`);
  }
  report.redacted = report.counts.opened < report.counts.sealed;
  report.ended = isRevealed(entries);
  const left = unplayed(opening);
  if (left !== "") report.unchecked.push(left);
}

/** @param {Report} report @param {Entry[]} entries */
async function checkSecrets(report, entries) {
  const first = /** @type {Entry} */ (entries[0]);
  if (!report.ended) {
    if (Object.hasOwn(first.secrets, "house")) {
      const detail = "the record has the house's secrets but not their revelation (M9)";
      throw new Wrong(entries.length, "not_ended", detail);
    }
    await checkEach(report, entries, (entry) => entry.secrets);
    noteSealed(report);
    return;
  }

  const { key, parts } = await checkRevelation(entries);
  report.counts.opened = report.counts.sealed;
  await checkSealed(first.commit, /** @type {SecretPart} */ (parts["1"]?.house));

  /** @param {number} version */
  const partsOf = (version) => parts[String(version)] ?? {};
  const salts = await Promise.all(
    entries.map(({ commit }) => saltsOf(commit.version, partsOf(commit.version), key)),
  );
  await checkEach(
    report,
    entries,
    ({ commit }) => partsOf(commit.version),
    ({ commit: { version } }) => {
      checkSalts(version, partsOf(version), salts[version - 1] ?? new Map());
    },
  );
  report.counts.salts = report.counts.sealed;

  const seeds = await Promise.all(seedPartsOf(entries).map((parts) => key.seed(...parts)));
  report.seeds = seeds.map(toHex);
}

/**
 * Check of each commit its actor, seats, pledges and signature, and whatever `more` checks.
 * @param {Report} report @param {Entry[]} entries
 * @param {(entry: Entry) => Record<string, SecretPart>} partsOf its secret parts, as far as known
 * @param {(entry: Entry) => void} [more]
 */
async function checkEach(report, entries, partsOf, more = () => {}) {
  const seats = new Seats();
  let trouble = "";
  report.signers = seats.signers;
  for (const entry of entries) {
    const parts = partsOf(entry);
    checkPeople(entry);
    const holder = seats.holder(entry.commit.actor);
    await seats.check(entry);
    checkMayHide(entry.commit, parts, seats.hides);
    trouble = (await checkSignature(entry.commit, parts, holder, seats.hides)) || trouble;
    trouble ||= seats.trouble;
    checkFirstEvent(entry.commit, parts);
    more(entry);
  }
  report.counts.disclosed = seats.disclosures;
  if (seats.vetoes > 0) {
    report.notes.push(
      `pledges of match ${report.match} were dropped after all had pledged (times: ` +
        `${seats.vetoes}). Anybody who knew the draws then may have prevented them, and no record tells why`,
    );
  }
  const hidden = seats.signers.reduce((count, { unchecked }) => count + unchecked.length, 0);
  if (hidden > 0 && trouble === "") {
    report.unchecked.push(`${hidden} signatures: they lie in secret parts that are not here (M18)`);
  }
  if (trouble !== "") report.unchecked.push(`the players' signatures: ${trouble}`);
}

/** @param {Report} report */
function noteSealed(report) {
  const { sealed, opened } = report.counts;
  report.unchecked.push(
    `${sealed - opened} of ${sealed} secret parts: they are sealed until the match is over`,
    "the salts of secret parts and the seeds of the draws: the match's secret is not revealed yet",
    END,
  );
}

/**
 * Compare a fork with its base, if the record of that is available. No base is a base of itself.
 * @param {Report} report @param {Entry[]} entries @param {ArrayBuffer[]} records
 * @param {AbortSignal | undefined} signal
 */
async function checkBase(report, entries, records, signal) {
  const named = baseOf(/** @type {Entry} */ (entries[0]).commit);
  if (named === null || report.base === null) return;

  const record = records.find((bytes) => matchOf(bytes) === named.match);
  if (record === undefined) {
    report.unchecked.push(notAtHand(named));
    return;
  }
  const bases = records.filter((other) => other !== record);
  const base = await checked(new Uint8Array(record), { bases }, { signal });
  report.unchecked.push(...compareWithBase(entries, named, base.report, base.entries));
  report.base.compared = true;
}

// Return the match in the first line of a record, unchecked.
/** @param {ArrayBuffer} record */
function matchOf(record) {
  const bytes = new Uint8Array(record);
  const line = bytes.subarray(0, bytes.indexOf(LINE_FEED) + 1);
  try {
    return JSON.parse(new TextDecoder().decode(line)).subject;
  } catch {
    return undefined;
  }
}

// Count the commits that somebody may have made only to change the next draw. They change it if
// draws go by versions.
/** @param {Report} report @param {Entry[]} entries */
function noteBesideTheGame(report, entries) {
  if (goesByMoves(entries)) return;
  const count = entries.filter(isBesideTheGame).length;
  if (count === 0) return;
  report.notes.push(
    `${count} of ${entries.length} commits of match ${report.match} changed tokens, names or ` +
      "seat holders, or were about taking moves back. Each moved the next draws to another " +
      "version, and no record tells why",
  );
}

/**
 * Compare the record with other evidence.
 * @param {Report} report @param {Entry[]} entries @param {Beside} beside
 * @param {AbortSignal | undefined} signal
 */
async function checkBeside(report, entries, beside, signal) {
  const { keys = [], receipts = [], head = null, shown = [], unshown = "" } = beside;
  if (head !== null) {
    checkHead(entries, head);
    report.unchecked = report.unchecked.filter((what) => what !== END);
  }

  const named = receipts.map((receipt, index) => ({ receipt, who: `receipt ${index + 1}` }));
  const shownReceipt = head?.receipt ?? null;
  if (shownReceipt !== null) named.unshift({ receipt: shownReceipt, who: "the server's receipt" });
  await checkReceipts(report, entries, named, keys);

  if (unshown) report.unchecked.push(`what the public is shown: ${unshown}`);
  const { views } = openingOf(/** @type {Entry} */ (entries[0]).commit);
  if (beside.viewVersion !== undefined && beside.viewVersion !== views) {
    report.unchecked.push(
      `what is shown: it is of view version ${beside.viewVersion}, the digests are of ${views}`,
    );
    return;
  }
  await checkViews(entries, shown, signal);
  report.counts.views = shown.length;
}

/**
 * @param {Report} report @param {Entry[]} entries @param {{receipt: unknown, who: string}[]} named
 * @param {PublicKey[]} keys
 */
async function checkReceipts(report, entries, named, keys) {
  const { counts } = report;
  try {
    for (const { receipt, who } of named) {
      const version = await checkWitness(entries, receipt, keys, who);
      counts.receipts += 1;
      counts.vouched = Math.max(counts.vouched, version);
    }
  } catch (error) {
    if (!(error instanceof NoCryptography)) throw error;
    report.unchecked.push(`receipts: ${error.message}`);
  }
  if (counts.vouched === entries.length) {
    report.unchecked = report.unchecked.filter((what) => what !== END);
  }
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
