// Checks the vectors of docs/fairness.md and a record: node fairness.mjs fairness-vectors.json [record.ndjson]
// Needs nothing but Node 20 or newer. Ends with 0 if all is right, 1 with the reason if not, 2 if it is not told what to
// check or a file cannot be read. The arithmetic is that of the page: service/page/static/verify.
import assert from "node:assert";
import { readFileSync } from "node:fs";

import { fromHex, toHex } from "../service/page/static/verify/bytes.js";
import { canonical } from "../service/page/static/verify/canonical.js";
import { digest } from "../service/page/static/verify/digests.js";
import { Draws } from "../service/page/static/verify/draws.js";
import { MatchKey } from "../service/page/static/verify/keys.js";
import { checkReceipt } from "../service/page/static/verify/receipts.js";
import { verifyRecord } from "../service/page/static/verify/record.js";

async function checkVectors(vectors) {
  for (const { value, text, sha256 } of vectors.canonical) {
    assert.equal(canonical(value), text);
    assert.equal(await digest(value), sha256);
  }
  for (const one of vectors.salts) await checkSalt(await MatchKey.of(fromHex(one.secret)), one);
  for (const one of vectors.seeds) await checkSeed(await MatchKey.of(fromHex(one.secret)), one);
  for (const one of vectors.bound) await checkBound(one);
  for (const one of vectors.numbers) await checkNumbers(one);
  for (const one of vectors.bags) await checkBag(one);
  for (const { seed, items, shuffled } of vectors.shuffles) {
    assert.deepEqual(await new Draws(fromHex(seed)).shuffled(items), shuffled);
  }
  await checkReceipt(vectors.receipt.receipt, [vectors.receipt.key]);
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

async function checkSeed(key, { version, entropy, seed }) {
  assert.equal(toHex(await key.seed(version, entropy)), seed);
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

async function checkRecord(bytes) {
  const report = await verifyRecord(bytes);
  if (report.wrong !== null) {
    const { commit, detail } = report.wrong;
    throw new Error(commit > 0 ? `commit ${commit}: ${detail}` : detail);
  }
  if (!report.ended) {
    throw new Error(`commit ${report.counts.commits}: the record does not end with the revelation of its secrets`);
  }
}

function endUnread(reason) {
  console.error(reason);
  process.exit(2);
}

function read(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    return endUnread(`cannot read ${path}: ${error.message}`);
  }
}

const files = process.argv.slice(2);
if (files.length < 1 || files.length > 2)
  endUnread(
    "usage: node fairness.mjs VECTORS [RECORD]\n" +
      "  VECTORS  fairness-vectors.json, which lies beside this file\n" +
      "  RECORD   the whole record of a match that has ended: GET /v1/matches/{id}/record",
  );
const [vectors, record] = files.map(read);
try {
  await checkVectors(JSON.parse(vectors.toString()));
  if (record !== undefined) await checkRecord(record);
  console.log("right");
} catch (error) {
  console.log(`wrong: ${error.message}`);
  process.exitCode = 1;
}
