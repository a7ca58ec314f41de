// Checks the vectors of docs/fairness.md and a record: node fairness.mjs fairness-vectors.json [record.ndjson]
// Needs nothing but Node 18 or newer. Ends with 0 if all is right, 1 with the reason if not, 2 if it is not told what to
// check or a file cannot be read.
import assert from "node:assert";
import { createHash, createHmac, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const sha256 = (bytes) => createHash("sha256").update(bytes).digest();
const hmac = (key, text) => createHmac("sha256", key).update(text).digest();
const hmac512 = (key, text) => createHmac("sha512", key).update(text).digest();
const hex = (text) => Buffer.from(text, "hex");

// 1. Canonical JSON: JSON.stringify writes strings and whole numbers as RFC 8785 asks; only the order is missing.
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
};
const digest = (value) => sha256(canonical(value)).toString("hex");

// 5, 6. Key, salts and seeds.
const keyOf = (secret, match) => (match === undefined ? secret : hmac512(secret, `match|${match}`));
const salt = (key, version, audience) => hmac(key, `salt|${version}|${audience}`).toString("hex");
const seed = (key, entropy, version) => hmac(key, ["draw", version, ...entropy].join("|"));

// 7. Draws.
class Draws {
  constructor(seed) {
    this.seed = seed;
    this.count = 0n;
  }
  below(n) {
    const space = 1n << 256n;
    const limit = space - (space % n);
    for (;;) {
      const place = Buffer.alloc(8);
      place.writeBigUInt64BE(this.count++);
      const number = BigInt("0x" + sha256(Buffer.concat([this.seed, place])).toString("hex"));
      if (number < limit) return number % n;
    }
  }
  kind(counts) {
    let number = Number(this.below(BigInt(counts.reduce((sum, count) => sum + count, 0))));
    for (let kind = 0; ; kind++) {
      if (number < counts[kind]) return kind;
      number -= counts[kind];
    }
  }
  shuffled(items) {
    const result = [...items];
    for (let last = result.length - 1; last > 0; last--) {
      const j = Number(this.below(BigInt(last + 1)));
      [result[last], result[j]] = [result[j], result[last]];
    }
    return result;
  }
}

function checkVectors(vectors) {
  for (const { value, text, sha256 } of vectors.canonical) {
    assert.equal(canonical(value), text);
    assert.equal(digest(value), sha256);
  }
  for (const one of vectors.salts) assert.equal(salt(hex(one.secret), one.version, one.audience), one.salt);
  for (const one of vectors.seeds)
    assert.equal(seed(hex(one.secret), one.entropy, one.version).toString("hex"), one.seed);
  for (const one of vectors.bound) {
    const key = keyOf(hex(one.secret), one.match);
    assert.equal(key.toString("hex"), one.key);
    assert.equal(sha256(key).toString("hex"), one.commitment);
    assert.equal(salt(key, one.version, one.audience), one.salt);
    assert.equal(seed(key, one.entropy, one.version).toString("hex"), one.seed);
  }
  for (const one of vectors.numbers) {
    const draws = new Draws(hex(one.seed));
    assert.deepEqual(one.below.map((n) => String(draws.below(BigInt(n)))), one.results);
  }
  for (const one of vectors.bags) {
    const draws = new Draws(hex(one.seed));
    assert.deepEqual(one.counts.map((counts) => draws.kind(counts)), one.kinds);
  }
  for (const one of vectors.shuffles) assert.deepEqual(new Draws(hex(one.seed)).shuffled(one.items), one.shuffled);
  const { signature, ...signed } = vectors.receipt.receipt;
  const jwk = { kty: "OKP", crv: "Ed25519", x: hex(vectors.receipt.key.public).toString("base64url") };
  const key = createPublicKey({ key: jwk, format: "jwk" });
  assert(verify(null, Buffer.from(canonical(signed)), key, hex(signature)), "the receipt's signature");
}

function checkRecord(content) {
  const lines = content.split("\n");
  assert.equal(lines.pop(), "", "the last line must be ended");
  const entries = lines.map((line, index) => checkLine(line, index + 1));
  let prev = "";
  for (const { commit, hash } of entries) {
    assert.equal(commit.prev, prev, `commit ${commit.version} must name the hash before it`);
    assert.equal(digest(commit), hash, `commit ${commit.version} must fit its hash`);
    prev = hash;
  }
  const { secret, parts } = entries.at(-1).commit.events[0];
  const key = checkCommitment(entries[0].commit, secret, parts["1"].house);
  for (const { commit } of entries)
    for (const audience of Object.keys(commit.secrets)) {
      const part = parts[commit.version][audience];
      assert.equal(digest(part), commit.secrets[audience], `commit ${commit.version}, part for ${audience}`);
      assert.equal(part.salt, salt(key, commit.version, audience), `commit ${commit.version}, its salt`);
    }
}

function checkCommitment({ match, events: [opened], secrets }, secret, part) {
  assert("house" in secrets, "the first commit must seal the secret");
  assert.match(secret, /^[0-9a-f]{64}$/, "the secret must be 32 bytes");
  for (const place of ["command", "0"]) assert.equal(part[place].secret, secret, `the secret sealed in ${place}`);
  if (opened.match !== undefined) assert.equal(opened.match, match, "the match that the secret is bound to");
  const key = keyOf(hex(secret), opened.match);
  assert.equal(sha256(key).toString("hex"), opened.commitment, "the commitment");
  return key;
}

function checkLine(line, number) {
  const { data } = JSON.parse(line);
  const { match, version, time } = data.commit;
  assert.equal(version, number, `line ${number} must hold commit ${number}`);
  const event = {
    specversion: "1.0", type: "giornale.commit", source: `/v1/matches/${match}`, id: String(version), subject: match,
    time, datacontenttype: "application/json", data,
  };
  assert.equal(line, canonical(event), `line ${number} must be canonical`);
  return data;
}

function endUnread(reason) {
  console.error(reason);
  process.exit(2);
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
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
  checkVectors(JSON.parse(vectors));
  if (record !== undefined) checkRecord(record);
  console.log("right");
} catch (error) {
  console.log(`wrong: ${error.message}`);
  process.exitCode = 1;
}
