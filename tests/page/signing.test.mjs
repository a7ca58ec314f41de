// Keys that sign for seats: kept, taken to another browser, and what is sent with them.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import "./browser.mjs";
import { Problem } from "../../service/page/static/base/api.js";
import { KeyNotHere, sendAtHead, sendSigned } from "../../service/page/static/keys/signing.js";
import { fileOf, forgetKey, heldKey, heldKeys, makeKey, NoKey, takeKey } from "../../service/page/static/keys/store.js";
import { hasSigned, textToSign } from "../../service/page/static/verify/signatures.js";

const MATCH = "abcdefghijklmnopqrstuvwxyz";
const HASH = "ab".repeat(32);

/** What the store asks of a browser's database: one store of objects by their key. */
function databaseOf(kept) {
  const done = (result) => {
    const request = { result };
    setTimeout(() => request.onsuccess?.());
    return request;
  };
  const store = {
    get: (key) => done(kept.get(key)),
    getAll: () => done([...kept.values()]),
    put: (held) => done(kept.set(held.key, held)),
    delete: (key) => done(kept.delete(key)),
  };
  const transaction = () => {
    const made = { objectStore: () => store };
    setTimeout(() => made.oncomplete());
    return made;
  };
  return { open: () => done({ transaction, close() {} }) };
}

/** Begin with a browser that has no key. */
function newBrowser() {
  globalThis.indexedDB = databaseOf(new Map());
}

beforeEach(newBrowser);

test("a key goes to another browser by its file, and can be read in neither", async () => {
  const made = await makeKey("correct horse");
  const file = fileOf(made);
  newBrowser();
  assert.equal(await heldKey(made.key), null);

  const taken = await takeKey(file, "correct horse");
  assert.equal(taken.key, made.key);
  assert.equal(fileOf(taken), file);
  assert.deepEqual((await heldKeys()).map(({ key }) => key), [made.key]);
  for (const { private: key } of [made, taken]) {
    assert.equal(key.extractable, false);
    await assert.rejects(crypto.subtle.exportKey("pkcs8", key));
  }
  await forgetKey(made.key);
  assert.equal(await heldKey(made.key), null);
});

test("a key without a passphrase has no file", async () => {
  const made = await makeKey("");
  assert.equal(fileOf(made), null);
  assert.equal(made.private.extractable, false);
});

test("a file that was altered, or a wrong passphrase, gives no key", async () => {
  const file = JSON.parse(fileOf(await makeKey("correct horse")));
  const other = (await makeKey("")).key;
  newBrowser();
  const altered = [
    { ...file, key: other },
    { ...file, sealed: `00${file.sealed.slice(2)}` },
    { ...file, salt: "00".repeat(16) },
    { ...file, iterations: 6_000_000 },
    { ...file, kind: "giornale matches 1" },
    { ...file, key: "01".padEnd(64, "0") },
  ];
  for (const one of altered) {
    await assert.rejects(takeKey(JSON.stringify(one), "correct horse"), NoKey);
  }
  await assert.rejects(takeKey(JSON.stringify(file), "Correct horse"), NoKey);
  assert.deepEqual(await heldKeys(), []);
});

/** A seat with a key that is here, and whether a signature is right for a command of it. */
async function signer() {
  const { key } = await makeKey("");
  const signing = { key, match: MATCH, seat: 1, version: 7, hash: HASH };
  const text = (command, at = signing) =>
    textToSign(key, { match: MATCH, prev: at.hash, version: at.version + 1 }, command);
  return { signing, text, fits: (signature, command, at) => hasSigned(key, signature, text(command, at)) };
}

/** What sends: it refuses so often as there are texts, which it asks to have signed. */
function sending(...texts) {
  const sent = [];
  const send = async (signature) => {
    sent.push(signature);
    const text = texts.shift();
    if (text !== undefined) throw new Problem(422, { type: "/problems/signature-wrong", to_sign: text });
    return "made";
  };
  return { sent, send };
}

test("a command is signed with the hash of the commit before; what is null is left out", async () => {
  const { signing, fits } = await signer();
  const { sent, send } = sending();
  assert.equal(await sendSigned(signing, { type: "swap", seat: 1, card: null }, send), "made");
  assert.equal(await fits(sent[0], { type: "swap", seat: 1 }), true);
});

test("what the service fills in is signed once it says what", async () => {
  const { signing, text, fits } = await signer();
  for (const [command, whole, left] of [
    [{ type: "fulfil", seat: 1 }, { type: "fulfil", seat: 1, campanile: false }, []],
    [{ type: "resign", seat: 1 }, { type: "resign", seat: 1, level: "quick" }, ["level"]],
    [{ type: "resign", seat: 1, level: "greedy" }, { type: "resign", seat: 1, level: "quick" }, ["level"]],
  ]) {
    const { sent, send } = sending(text(whole));
    assert.equal(await sendSigned(signing, command, send, left), "made");
    assert.equal(await fits(sent[1], whole), true);
  }
});

test("nothing else is signed, whatever the service asks for", async () => {
  const { signing, text } = await signer();
  const command = { type: "swap", seat: 1 };
  const later = { ...signing, version: 8 };
  for (const asked of [
    text({ type: "keep", seat: 1 }),
    text({ type: "swap", seat: 1, card: 7 }),
    text({ type: "swap", seat: 1, more: true }),
    text({ type: "swap" }),
    text({ ...command, more: false }, later),
    text({ ...command, more: false }, { ...signing, hash: "cd".repeat(32) }),
    text({ ...command, more: false }).replace(MATCH, "z".repeat(26)),
    text(command),
    "no JSON",
    '{"command":null}',
  ]) {
    const { sent, send } = sending(asked, asked);
    await assert.rejects(sendSigned(signing, command, send), Problem);
    assert.equal(sent.length, 1, asked);
  }
});

test("without the key nothing is sent", async () => {
  const { signing } = await signer();
  newBrowser();
  const { sent, send } = sending();
  await assert.rejects(sendSigned(signing, { type: "keep", seat: 1 }, send), KeyNotHere);
  assert.deepEqual(sent, []);
});

test("what fits at any version is signed anew where others have come first", async () => {
  const { signing, fits } = await signer();
  const heads = [7, 9].map((version) => ({ ...signing, version, hash: `${version}`.repeat(64) }));
  const api = {
    asked: 0,
    async get() {
      const { version, hash } = heads[Math.min(api.asked++, 1)];
      const seats = [{}, { key: signing.key }];
      return { value: { version, hash, seats }, etag: `"${version};seat:1;${hash.slice(0, 16)}"` };
    },
  };
  const sent = [];
  const answer = await sendAtHead(api, MATCH, (seat) => ({ type: "return", seat }), async (at) => {
    sent.push(at);
    if (sent.length === 1) throw new Problem(412, {});
    return "made";
  });

  assert.equal(answer, "made");
  assert.deepEqual(sent.map(({ ifMatch }) => ifMatch.split(";")[0]), ['"7', '"9']);
  for (const [index, { signature }] of sent.entries()) {
    assert.equal(await fits(signature, { type: "return", seat: 1 }, heads[index]), true);
  }
});
