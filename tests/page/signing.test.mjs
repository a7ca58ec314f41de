// Keys that sign for seats: kept, taken to another browser, and what is sent with them.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import "./browser.mjs";
import { Problem } from "../../page/static/base/api.js";
import { Untrue } from "../../page/static/keys/checking.js";
import { KeyNotHere, sendAtHead, sendSigned } from "../../page/static/keys/signing.js";
import { fileOf, forgetKey, heldKey, heldKeys, makeKey, NoKey, takeKey } from "../../page/static/keys/store.js";
import { canonical, digest, utf8 } from "../../page/static/verify/digests.js";
import { hasSigned, textToSign } from "../../page/static/verify/signatures.js";

const MATCH = "abcdefghijklmnopqrstuvwxyz";
const HASH = "ab".repeat(32);

/** What the store asks of a browser's database: two stores, and transactions one at a time. */
function databaseOf(stores) {
  const named = (name, requests) => {
    const kept = stores[name];
    const idOf = (held) => (name === "keys" ? held.key : `${held.key} ${held.match}`);
    const asked = (run) => {
      const request = { run };
      requests.push(request);
      return request;
    };
    return {
      get: (id) => asked(() => kept.get([id].flat().join(" "))),
      getAll: () => asked(() => [...kept.values()]),
      put: (held) => asked(() => kept.set(idOf(held), held)),
      delete: (id) => asked(() => kept.delete(id)),
    };
  };
  const transaction = (name) => {
    const requests = [];
    const made = { objectStore: () => named(name, requests) };
    setTimeout(() => {
      for (const request of requests) {
        request.result = request.run();
        request.onsuccess?.();
      }
      made.oncomplete();
    });
    return made;
  };
  const open = () => {
    const request = { result: { transaction, close() {} } };
    setTimeout(() => request.onsuccess());
    return request;
  };
  return { open };
}

/** Begin with a browser that has no key. */
function newBrowser() {
  globalThis.indexedDB = databaseOf({ keys: new Map(), verified: new Map() });
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

const SENDING = { method: "POST", path: "/moves", body: { type: "swap" }, key: "once" };
const VIEW = { turn: 7, own: { hand: ["oil"] } };

/** The lines of a history of so many commits, and the hash of each. */
async function historyOf(commits, change = (commit) => commit) {
  const lines = [];
  const hashes = [""];
  for (let version = 1; version <= commits; version += 1) {
    const commit = change({
      match: MATCH,
      version,
      time: "2026-03-01T18:30:00.000Z",
      actor: "house",
      command: { type: "deal" },
      events: [],
      prev: hashes.at(-1),
      view: await digest({ turn: 7 }),
      secrets: {},
    });
    const hash = await digest(commit);
    hashes.push(hash);
    const data = { commit, hash, secrets: {} };
    const { time } = commit;
    lines.push(`${canonical({
      data,
      datacontenttype: "application/json",
      id: `${version}`,
      source: `/v1/matches/${MATCH}`,
      specversion: "1.0",
      subject: MATCH,
      time,
      type: "giornale.commit",
    })}\n`);
  }
  return { lines, hashes };
}

/**
 * A seat with a key that is here, at version 7 of a match, and what answers it. It demands a signature
 * for these texts, else for the very command, and gives its answers to what is signed.
 */
async function seated({ demands = [], answers = [], commits = 7, history } = {}) {
  const { key } = await makeKey("");
  const told = history ?? (await historyOf(commits));
  const at = (version) => ({ key, match: MATCH, seat: 1, version, hash: told.hashes[version], view: VIEW });
  const sent = [];
  const asked = [];
  const api = {
    head: told.hashes.length - 1,
    async get(path) {
      const seats = [{}, { key }];
      const value = { version: api.head, hash: told.hashes[api.head], seats, state: VIEW };
      asked.push(path);
      return { value, etag: `"${api.head};seat:1;x"` };
    },
    async send(_method, _path, { query }) {
      return { arrayBuffer: async () => utf8(told.lines.slice(query.after, api.head).join("")) };
    },
    async post(path, body, { ifMatch, key: once, signature }) {
      if (signature === "") {
        const demanded = demands.shift() ?? text(body);
        if (demanded instanceof Error) throw demanded;
        throw new Problem(422, { type: "/problems/signature-wrong", to_sign: demanded });
      }
      sent.push({ path, body, ifMatch, once, signature });
      const answer = answers.shift() ?? "made";
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const signing = at(7);
  const text = (command, place = signing) =>
    textToSign(key, { match: MATCH, prev: place.hash, version: place.version + 1 }, command);
  const fits = (signature, command, place) => hasSigned(key, signature, text(command, place));
  const demand = (...commands) => demands.push(...commands.map((one) => (one.type ? text(one) : one)));
  const act = (command, left, place = signing) => sendSigned(api, place, command, { ...SENDING, body: command }, left);
  return { key, signing, at, text, fits, demand, api, sent, answers, demands, act, asked };
}

test("a command is signed with the hash of the commit before; what is null is left out", async () => {
  const { fits, sent, act, demand } = await seated();
  demand({ type: "swap", seat: 1 });
  assert.equal(await act({ type: "swap", seat: 1, card: null }), "made");
  assert.equal(sent.length, 1);
  assert.equal(await fits(sent[0].signature, { type: "swap", seat: 1 }), true);
});

test("what the service fills in is signed once it says what", async () => {
  for (const [command, whole, left] of [
    [{ type: "fulfil", seat: 1 }, { type: "fulfil", seat: 1, campanile: false }, []],
    [{ type: "resign", seat: 1 }, { type: "resign", seat: 1, level: "quick" }, ["level"]],
    [{ type: "resign", seat: 1, level: "greedy" }, { type: "resign", seat: 1, level: "quick" }, ["level"]],
  ]) {
    const { fits, sent, act, demand } = await seated();
    demand(whole);
    assert.equal(await act(command, left), "made");
    assert.equal(sent.length, 1);
    assert.equal(await fits(sent[0].signature, whole), true);
  }
});

test("nothing else is signed, whatever the service asks for", async () => {
  const { text, at, act, demands, sent } = await seated();
  const command = { type: "swap", seat: 1 };
  for (const asked of [
    text({ type: "keep", seat: 1 }),
    text({ type: "swap", seat: 1, card: 7 }),
    text({ type: "swap", seat: 1, more: true }),
    text({ type: "swap" }),
    text({ ...command, more: false }, at(6)),
    text({ ...command, more: false }, { ...at(7), hash: HASH }),
    text({ ...command, more: false }).replace(MATCH, "z".repeat(26)),
    "no JSON",
    '{"command":null}',
  ]) {
    demands.push(asked);
    await assert.rejects(act(command), Problem);
    assert.deepEqual(sent, [], asked);
  }
});

test("a refusal by the rules costs no signature", async () => {
  const { act, demands, demand, sent } = await seated();
  const refusal = new Problem(409, { title: "Illegal" });
  demands.push(refusal);
  await assert.rejects(act({ type: "swap", seat: 1 }), refusal);
  demand({ type: "keep", seat: 1 });
  assert.equal(await act({ type: "keep", seat: 1 }), "made");
  assert.equal(sent.length, 1);
});

test("without the key nothing is sent", async () => {
  const { act, sent } = await seated();
  newBrowser();
  await assert.rejects(act({ type: "keep", seat: 1 }), KeyNotHere);
  assert.deepEqual(sent, []);
});

test("one text is signed for a version, and the same bytes are sent again", async () => {
  for (const [status, told] of [[412, /same history/], [409, /No.|signed/], [503, /No.|answered/]]) {
    const refusals = Array.from({ length: 5 }, () => new Problem(status, { title: "No." }));
    const { act, demand, sent } = await seated({ answers: refusals });
    demand({ type: "swap", seat: 1, card: 0 });
    for (let card = 0; card < 5; card += 1) {
      await assert.rejects(act({ type: "swap", seat: 1, card }), told);
    }
    assert.equal(sent.length, 5);
    assert.equal(new Set(sent.map((one) => JSON.stringify(one))).size, 1);
  }
});

test("two tabs sign one text", async () => {
  const { act, sent } = await seated({ answers: [new Problem(409, {}), new Problem(409, {})] });
  await Promise.allSettled([act({ type: "swap", seat: 1 }), act({ type: "keep", seat: 1 })]);
  assert.equal(new Set(sent.map(({ signature }) => signature)).size, 1);
});

test("an earlier request that is made after all is told as a match that has moved on", async () => {
  const seat = await seated({ answers: [new Problem(503, {})], commits: 8 });
  seat.api.head = 7;
  seat.demand({ type: "swap", seat: 1 });
  await assert.rejects(seat.act({ type: "swap", seat: 1 }), { status: 503 });
  seat.answers.push("made");
  const moves = seat.act({ type: "keep", seat: 1 });
  seat.api.head = 8;
  await assert.rejects(moves, { status: 412 });
  assert.equal(new Set(seat.sent.map(({ signature }) => signature)).size, 1);
});

test("nothing is signed in a history that does not fit", async () => {
  const changes = {
    "broken link": (commit) => (commit.version === 7 ? { ...commit, prev: HASH } : commit),
    "another match": (commit) => (commit.version === 7 ? { ...commit, match: "z".repeat(26) } : commit),
    "left out": (commit) => (commit.version === 5 ? { ...commit, version: 6 } : commit),
  };
  for (const [name, change] of Object.entries(changes)) {
    const { act, sent } = await seated({ history: await historyOf(7, change) });
    await assert.rejects(act({ type: "swap", seat: 1 }), Untrue, name);
    assert.deepEqual(sent, []);
  }

  const history = await historyOf(7);
  history.lines[6] = history.lines[6].replace('"deal"', '"swap"');
  const { act, at, sent } = await seated({ history });
  await assert.rejects(act({ type: "swap", seat: 1 }), Untrue);
  const honest = await seated();
  await assert.rejects(honest.act({ type: "swap", seat: 1 }, [], { ...honest.at(7), hash: HASH }), Untrue);
  assert.deepEqual([...sent, ...honest.sent, at(7).version], [7]);
});

test("nothing is signed for a table that was not sealed", async () => {
  const { act, at, sent } = await seated();
  for (const view of [{ ...VIEW, turn: 8 }, { ...VIEW, more: 1 }, { own: VIEW.own }, null, { turn: 7.5 }]) {
    await assert.rejects(act({ type: "swap", seat: 1 }, [], { ...at(7), view }), /table/);
  }
  assert.deepEqual(sent, []);
});

test("another history is not signed later, and neither is an earlier state", async () => {
  const { act, at, api, demand, sent } = await seated();
  demand({ type: "swap", seat: 1 });
  await act({ type: "swap", seat: 1 });
  await assert.rejects(act({ type: "keep", seat: 1 }, [], { ...at(7), hash: HASH }), Untrue);
  await assert.rejects(act({ type: "keep", seat: 1 }, [], at(5)), { status: 412 });
  api.head = 5;
  await assert.rejects(act({ type: "keep", seat: 1 }, [], at(5)), Untrue);
  assert.equal(sent.length, 1);
});

test("what fits at any version is signed anew where others have come first", async () => {
  const seat = await seated({ answers: [new Problem(412, {})], commits: 9 });
  seat.api.head = 7;
  seat.demand({ type: "return", seat: 1 });
  const { post } = seat.api;
  seat.api.post = async (path, body, at) => {
    if (at.signature !== "" && seat.sent.length === 0) {
      seat.api.head = 9;
      seat.demands.push(seat.text({ type: "return", seat: 1 }, seat.at(9)));
    }
    return post(path, body, at);
  };
  const answer = await sendAtHead(seat.api, MATCH, (number) => ({ type: "return", seat: number }), SENDING);

  assert.equal(answer, "made");
  assert.deepEqual(seat.sent.map(({ ifMatch }) => ifMatch.split(";")[0]), ['"7', '"9']);
  for (const [index, { signature }] of seat.sent.entries()) {
    assert.equal(await seat.fits(signature, { type: "return", seat: 1 }, seat.at([7, 9][index])), true);
  }
});
