// Checks records, and the examples of docs/reference/record.md: node fairness.mjs FILE... [--base RECORD]...
// Needs nothing but Node 20 or newer. Ends with 0 if all is right, 1 if something is wrong, 2 if a file cannot be read or
// is neither, 3 if nothing is wrong but not all could be checked. Of several files the worst counts, 1 before 2 before 3.
// The arithmetic is that of the page: page/static/verify.
import assert, { AssertionError } from "node:assert";
import { readFileSync } from "node:fs";

import { canonical, digest, fromHex, toHex } from "../page/static/verify/digests.js";
import { Draws, MatchKey } from "../page/static/verify/draws.js";
import { BadReceipt, checkReceipt } from "../page/static/verify/receipts.js";
import { verifyRecord } from "../page/static/verify/record.js";
import { hasSigned, isKey, textOfJoin, textOfOpening, textToSign } from "../page/static/verify/signatures.js";

const USAGE =
  "usage: node fairness.mjs FILE... [--base RECORD]...\n" +
  "  FILE    the record of a match: GET /v1/matches/{match}/record\n" +
  "          or fairness-vectors.json, which lies beside this file\n" +
  "  RECORD  that of a match that a fork among the files goes on from";

// How the program ends for each verdict, the worst last.
const ENDS = { right: 0, "partly checked": 3, unreadable: 2, wrong: 1 };
const VERDICTS = Object.keys(ENDS);

const LINE_FEED = 0x0a;

// ---- examples ----------------------------------------------------------------------------------------------------------

// What each list of fairness-vectors.json holds examples of.
const EXAMPLES = {
  canonical: checkCanonical,
  not_canonical: checkNotCanonical,
  salts: async (one) => checkSalt(await MatchKey.of(fromHex(one.secret)), one),
  seeds: async (one) => checkSeed(await MatchKey.of(fromHex(one.secret)), one),
  move_seeds: async (one) => checkSeed(await MatchKey.of(fromHex(one.secret)), one),
  bound: checkBound,
  numbers: checkNumbers,
  bags: checkBag,
  shuffles: checkShuffle,
  receipt: ({ receipt, key }) => checkReceipt(receipt, [key]),
  seat_keys: ({ key, good }) => assert.equal(isKey(key), good),
  signatures: checkSignature,
  proofs: checkProof,
};

async function checkCanonical({ value, text, sha256 }) {
  assert.equal(canonical(value), text);
  assert.equal(await digest(value), sha256);
}

function checkNotCanonical(text) {
  let written = null;
  try {
    written = canonical(JSON.parse(text));
  } catch {
    return;
  }
  assert.notEqual(written, text);
}

async function checkBound(one) {
  const key = await MatchKey.ofSecret(one.secret, one.match);
  assert.equal(toHex(key.bytes), one.key);
  assert.equal(await key.commitment(), one.commitment);
  await checkSalt(key, one);
  await checkSeed(key, one);
}

async function checkSalt(key, { version, audience, salt }) {
  assert.equal(await key.salt(version, audience), salt);
}

async function checkSeed(key, { version, moves, entropy, seed }) {
  const counted = moves === undefined ? ["draw", version] : ["move", moves];
  assert.equal(toHex(await key.seed(...counted, entropy)), seed);
}

async function checkNumbers({ seed, below, results }) {
  const draws = new Draws(fromHex(seed));
  for (const [index, n] of below.entries()) {
    assert.equal(String(await draws.below(BigInt(n))), results[index]);
  }
}

async function checkBag({ seed, counts, kinds }) {
  const draws = new Draws(fromHex(seed));
  for (const [index, bag] of counts.entries()) assert.equal(await draws.kind(bag), kinds[index]);
}

async function checkShuffle({ seed, items, shuffled }) {
  assert.deepEqual(await new Draws(fromHex(seed)).shuffled(items), shuffled);
}

async function checkSignature({ signed, text, signature, good }) {
  assert.equal(textToSign(signed.key, signed, signed.command), text);
  assert.equal(await hasSigned(signed.key, signature, text), good);
}

async function checkProof({ join, opening, text, signature, good }) {
  const { key, seat } = join ?? opening;
  const written =
    join === undefined
      ? textOfOpening(key, opening.idempotency_key, opening.request, seat)
      : textOfJoin(key, join, seat);
  assert.equal(written, text);
  assert.equal(await hasSigned(key, signature, text), good);
}

// ---- files -------------------------------------------------------------------------------------------------------------

async function judgedExamples(examples) {
  for (const [name, check] of Object.entries(EXAMPLES)) {
    for (const [index, one] of [examples[name]].flat().entries()) {
      try {
        await check(one);
      } catch (error) {
        const where = `example ${index + 1} of "${name}"`;
        const isOther = error instanceof AssertionError || error instanceof BadReceipt;
        if (!isOther) return ["unreadable", `${where} is none: ${error.message}`];
        return ["wrong", `${where} is not what this program works out`];
      }
    }
  }
  return ["right", ""];
}

async function judgedRecord(bytes) {
  const { verdict, wrong, unchecked } = await verifyRecord(bytes, { bases });
  if (verdict === "right") return ["right", ""];
  if (wrong === null) return ["partly checked", `not checked: ${unchecked.join("; ")}`];
  return ["wrong", wrong.commit > 0 ? `commit ${wrong.commit}: ${wrong.detail}` : wrong.detail];
}

// Returns the verdict on a file, and the reason for it.
async function judged(path) {
  let bytes;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return ["unreadable", error.message];
  }

  const end = bytes.indexOf(LINE_FEED);
  const firstLine = parsed(end < 0 ? bytes : bytes.subarray(0, end));
  if (firstLine?.type === "giornale.commit") return judgedRecord(bytes);

  const examples = parsed(bytes);
  if (Array.isArray(examples?.canonical)) return judgedExamples(examples);
  return ["unreadable", "it is neither a record, whose first line is a commit of a match, nor fairness-vectors.json"];
}

function parsed(bytes) {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}

// Returns the bytes of a file in a buffer of their own.
function bufferOf(path) {
  try {
    return new Uint8Array(readFileSync(path)).buffer;
  } catch (error) {
    console.error(`${path}: cannot be read: ${error.message}`);
    process.exit(ENDS.unreadable);
  }
}

const words = process.argv.slice(2);
const paths = words.filter((word, index) => word !== "--base" && words[index - 1] !== "--base");
const bases = words.filter((_, index) => words[index - 1] === "--base").map(bufferOf);
if (paths.length === 0) {
  console.error(USAGE);
  process.exit(ENDS.unreadable);
}

let worst = "right";
for (const path of paths) {
  const [verdict, reason] = await judged(path);
  const named = paths.length > 1 ? `${path}: ` : "";

  if (verdict === "unreadable") console.error(`${path}: cannot be read: ${reason}`);
  else console.log(named + (reason === "" ? verdict : `${verdict}: ${reason}`));
  if (VERDICTS.indexOf(verdict) > VERDICTS.indexOf(worst)) worst = verdict;
}
process.exitCode = ENDS[worst];
