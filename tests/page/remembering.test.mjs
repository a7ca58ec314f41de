// What this browser remembers: tokens and where they come from.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import "./browser.mjs";
import { NetworkFailure, Problem } from "../../page/static/base/api.js";
import * as memory from "../../page/static/base/memory.js";
import { drawTogether, newPledge } from "../../page/static/base/drawing.js";
import { canonical, digest } from "../../page/static/verify/digests.js";
import { WAITING } from "../../page/static/lobby/carrying.js";
import { takeWaiting } from "../../page/static/lobby/moving.js";
import { SeatTaking, forgetLostSeats, replaceLinked } from "../../page/static/base/tokens.js";

const MATCH = "abcdefghijklmnopqrstuvwxyz";
const TOKEN = `gio_${MATCH}_${"A-_9".repeat(11).slice(0, 43)}`;

/** How often the page was told that the memory is full: once, in whichever test. */
const FULL = { told: 0 };
window.addEventListener("storage-full", () => {
  FULL.told += 1;
});

/** A store of the browser's kind. A full one takes no text. */
class Store {
  #full = false;

  set full(full) {
    this.#full = full;
  }

  getItem(key) {
    return Object.hasOwn(this, key) ? this[key] : null;
  }

  setItem(key, text) {
    if (this.#full) throw new DOMException("full", "QuotaExceededError");
    this[key] = text;
  }

  removeItem(key) {
    delete this[key];
  }
}

window.location.pathname = `/matches/${MATCH}`;
globalThis.history = {
  state: null,
  replaceState(_state, _title, address) {
    this.address = address;
  },
};

beforeEach(() => {
  globalThis.localStorage = new Store();
  history.address = "";
});

test("a token in the fragment is remembered and leaves the address", () => {
  window.location.hash = `#token=${TOKEN}`;
  assert.equal(memory.takeFragment(MATCH), TOKEN);
  assert.equal(memory.tokenFor(MATCH), TOKEN);
  assert.equal(history.address, `/matches/${MATCH}`);
});

test("what no header can carry is not remembered, and leaves the address, too", () => {
  memory.remember(MATCH, { tokens: { "seat:0": TOKEN } });
  for (const text of ["", "%0A", "gio_…", encodeURIComponent(TOKEN.slice(0, -1)), "Bearer"]) {
    window.location.hash = `#token=${text}`;
    history.address = "";
    assert.equal(memory.takeFragment(MATCH), null);
    assert.equal(memory.tokenFor(MATCH), TOKEN, text);
    assert.equal(history.address, `/matches/${MATCH}`);
  }
});

test("a token is found in what somebody has pasted around it", () => {
  assert.equal(memory.tokenIn(` http://host/matches/${MATCH}#token=${TOKEN}\n`), TOKEN);
  assert.equal(memory.tokenIn("my token"), null);
});

test("what does not fit into the browser's memory any more counts for as long as the page", () => {
  memory.remember(MATCH, { tokens: { "seat:0": "old" } });
  localStorage.full = true;
  memory.remember(MATCH, { tokens: { "seat:0": "new" } });
  assert.equal(memory.tokenFor(MATCH), "new");

  localStorage.full = false;
  memory.remember(MATCH, { tokens: { "seat:0": "newest" } });
  assert.equal(memory.tokenFor(MATCH), "newest");
});

/** A service that knows whose each token is, and replaces one unless it is to lose answers. */
function serviceOf(holders, seats = []) {
  const service = { holders, keys: [], losesAnswers: false, made: new Map() };
  globalThis.fetch = async (address, { method, headers }) => {
    const token = headers.Authorization.replace("Bearer ", "");
    const key = headers["Idempotency-Key"];
    if (method === "POST") {
      service.keys.push(key);
      if (holders[token] && !service.made.has(key)) {
        service.made.set(key, { holder: holders[token], token: `${token}, replaced` });
        holders[`${token}, replaced`] = holders[token];
        delete holders[token];
      }
      if (service.losesAnswers) throw new TypeError("the network is away");
      const made = service.made.get(key);
      return made ? Response.json(made, { status: 201 }) : refusal();
    }

    assert.equal(address, `/v1/matches/${MATCH}`);
    const holder = holders[token];
    return holder ? Response.json({ seats }, { headers: { ETag: `"3;${holder};5df6"` } }) : refusal();
  };
  return service;
}

function refusal() {
  return Response.json({ type: "/problems/unauthorized", detail: "no" }, { status: 401 });
}

/** Come by a link with a token, as often as a page is opened by it. */
async function arrive(token = TOKEN) {
  window.location.hash = `#token=${token}`;
  memory.takeFragment(MATCH);
  await replaceLinked(MATCH);
}

test("the token of a link is replaced once, and the new one is remembered", async () => {
  const service = serviceOf({ [TOKEN]: "seat:1" });
  await arrive();
  await replaceLinked(MATCH);

  assert.deepEqual(memory.tokens(MATCH), { "seat:1": `${TOKEN}, replaced` });
  assert.equal(memory.readerOf(MATCH), "seat:1");
  assert.equal(service.keys.length, 1);
});

test("a token that many share is kept as it came", async () => {
  const service = serviceOf({ [TOKEN]: "invitation" });
  await arrive();

  assert.deepEqual(memory.tokens(MATCH), { invitation: TOKEN });
  assert.deepEqual(service.keys, []);
});

test("a replacement without an answer is asked for again with the same key", async () => {
  const service = serviceOf({ [TOKEN]: "seat:1" });
  service.losesAnswers = true;
  await arrive();
  assert.deepEqual(memory.tokens(MATCH), { given: TOKEN });

  service.losesAnswers = false;
  await arrive();
  assert.deepEqual(memory.tokens(MATCH), { "seat:1": `${TOKEN}, replaced` });
  assert.equal(service.keys.length, 2);
  assert.equal(new Set(service.keys).size, 1);
});

test("a link whose token is dead changes nothing for who holds a seat", async () => {
  serviceOf({ [TOKEN]: "seat:1" });
  await arrive();
  await arrive();

  assert.deepEqual(memory.tokens(MATCH), { "seat:1": `${TOKEN}, replaced` });
  assert.equal(memory.readerOf(MATCH), "seat:1");
  assert.equal(memory.recall(MATCH).linked, null);
});

for (const answer of [true, false]) {
  test(`who holds a seat is asked whether to take another one, and says ${answer}`, async () => {
    const service = serviceOf({ [TOKEN]: "seat:1" });
    memory.remember(MATCH, { tokens: { "seat:0": "zero" }, reader: "seat:0" });
    const asked = [];
    window.location.hash = `#token=${TOKEN}`;
    memory.takeFragment(MATCH);
    assert.equal(memory.tokenFor(MATCH), "zero");
    await replaceLinked(MATCH, async (taken, held) => {
      asked.push([taken, held]);
      return answer;
    });

    assert.deepEqual(asked, [[1, 0]]);
    assert.equal(memory.readerOf(MATCH), answer ? "seat:1" : "seat:0");
    assert.equal(memory.tokens(MATCH)["seat:0"], "zero");
    assert.equal("seat:1" in memory.tokens(MATCH), answer);
    assert.equal(service.holders[TOKEN], answer ? undefined : "seat:1");
  });
}

test("the token of a seat whose key is not here stays as it came", async () => {
  const service = serviceOf({ [TOKEN]: "seat:1" }, [{}, { key: "ab".repeat(32) }]);
  memory.remember(MATCH, { tokens: { owner: "o" }, reader: "owner" });
  await arrive();

  assert.deepEqual(memory.tokens(MATCH), { owner: "o", "seat:1": TOKEN });
  assert.equal(memory.readerOf(MATCH), "seat:1");
  assert.deepEqual(service.keys, []);
});

test("the owner's link makes the owner of who holds a seat, and leaves them at it", async () => {
  serviceOf({ [TOKEN]: "owner" });
  memory.remember(MATCH, { tokens: { "seat:0": "zero" }, reader: "seat:0" });
  await arrive();
  assert.deepEqual(Object.keys(memory.tokens(MATCH)).sort(), ["owner", "seat:0"]);
  assert.equal(memory.readerOf(MATCH), "seat:0");
});

test("of several seats those that are played elsewhere now are forgotten", async () => {
  serviceOf({ one: "seat:1" });
  memory.remember(MATCH, { tokens: { "seat:0": "zero", "seat:1": "one", owner: "o" } });
  await forgetLostSeats(MATCH);
  assert.deepEqual(memory.tokens(MATCH), { "seat:1": "one", owner: "o" });
});

/** An API that gives these answers in turn. A failure is thrown. */
function apiOf(answers) {
  return {
    asked: [],
    async post(path, body, { key }) {
      this.asked.push(JSON.stringify([path, body, key]));
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

test("a seat that no answer came to is asked for again with the same words", async () => {
  const api = apiOf([new NetworkFailure(null), new Problem(503, {}), { seat: 1, token: TOKEN }]);
  const taking = new SeatTaking();
  await assert.rejects(taking.take(api, { match: MATCH }, 1, "Ada"), NetworkFailure);
  await assert.rejects(taking.take(api, { match: MATCH }, 1, "Ada"), Problem);
  await taking.take(api, { match: MATCH }, 1, "Ada");

  assert.equal(new Set(api.asked).size, 1);
  assert.deepEqual(memory.tokens(MATCH), { "seat:1": TOKEN });
  assert.equal(memory.readerOf(MATCH), "seat:1");
});

test("another wish, or one after a refusal, is a new one", async () => {
  const api = apiOf([new NetworkFailure(null), new Problem(409, {}), new Problem(409, {})]);
  const taking = new SeatTaking();
  for (const name of ["Ada", "Bob", "Bob"]) {
    await assert.rejects(taking.take(api, { match: MATCH }, 1, name));
  }
  assert.equal(new Set(api.asked).size, 3);
});

test("where all draw together a seat is taken with a pledge, and with the same one again", async () => {
  const api = apiOf([new NetworkFailure(null), { seat: 1, token: TOKEN }]);
  const taking = new SeatTaking();
  const match = { id: MATCH, joint_entropy: true };
  await assert.rejects(taking.take(api, match, 1, "Ada"), NetworkFailure);
  await taking.take(api, match, 1, "Ada");

  assert.equal(new Set(api.asked).size, 1);
  const [, { pledge, entropy }] = JSON.parse(api.asked[0]);
  assert.equal(entropy, undefined);
  assert.equal(await digest({ entropy: keptOf(pledge).entropy, seat: 1 }), pledge);
});

/** Return what this browser keeps of a pledge. */
function keptOf(pledge) {
  return JSON.parse(localStorage.getItem(`giornale/entropy/${pledge}`));
}

test("of pledges that were never disclosed the newest are kept alone", async () => {
  for (let number = 0; number < 100; number += 1) {
    const at = `2026-01-31T12:34:56.${String(number).padStart(3, "0")}Z`;
    localStorage.setItem(`giornale/entropy/${number}`, JSON.stringify({ entropy: "00", at }));
  }
  const newest = await newPledge(0);
  const kept = Object.keys(localStorage).filter((key) => key.includes("/entropy/"));
  assert.equal(kept.length, 100);
  assert.equal(keptOf("0"), null);
  assert.notEqual(keptOf("1"), null);
  assert.notEqual(keptOf(newest), null);
});

/** Return a history whose opening has such seats, and what a match document says of it. */
async function historyOf(...pledges) {
  const seats = pledges.map((pledge) => ({ kind: "human", pledge }));
  const time = "2026-01-31T12:34:56.789Z";
  const commit = { match: MATCH, version: 1, time, actor: "owner", command: { type: "open" } };
  const events = [{ type: "match_opened", draws: "moves", joint_entropy: true, seats }];
  Object.assign(commit, { events, prev: "", view: "", secrets: {} });
  const hash = await digest(commit);
  const line = {
    ...{ specversion: "1.0", type: "giornale.commit", source: `/v1/matches/${MATCH}`, id: "1" },
    ...{ subject: MATCH, time, datacontenttype: "application/json", data: { commit, hash, secrets: {} } },
  };
  const owing = seats.map(({ kind }, seat) => ({ seat, kind, owes: "disclosure" }));
  return { record: `${canonical(line)}\n`, match: { id: MATCH, version: 1, hash, seats: owing } };
}

const REFUSED = 409;

/** Let a server tell a history, and answer so what it is sent. Return what it is sent. */
function serverTelling({ record, match }, status = REFUSED) {
  const sent = [];
  globalThis.fetch = async (address, { method, body }) => {
    if (address.endsWith("record")) return new Response(record);
    if (method === "GET") return Response.json(match);
    sent.push(JSON.parse(body));
    return Response.json({ title: "Refused" }, { status });
  };
  return sent;
}

/** Give what seat 0 owes. Return what the player is told, "" for nothing. */
async function toldOf(draws) {
  try {
    await draws;
    return "";
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    return `${failure.title}: ${failure.detail}`;
  }
}

const TRIES = 5;

test("what was sent to be disclosed is sent for the same pledges alone, though the server refused it", async () => {
  memory.remember(MATCH, { tokens: { "seat:0": TOKEN } });
  const own = await newPledge(0);
  const { entropy } = keptOf(own);
  const complete = await historyOf(own, await digest({ entropy: "00".repeat(32), seat: 1 }));
  const other = await historyOf(own, await digest({ entropy: "11".repeat(32), seat: 1 }));
  const early = await historyOf(own, "");

  const refused = Array(TRIES).fill({ entropy });
  for (const [history, disclosed, why] of [
    [early, [], /cannot be true: It asks .* before all have pledged/],
    [complete, refused, /Refused/],
    [complete, refused, /Refused/],
    [other, [], /cannot be true: It has shown other pledges/],
  ]) {
    const sent = serverTelling(history);
    assert.match(await toldOf(drawTogether(MATCH, 0)), why);
    assert.deepEqual(sent, disclosed);
  }
});

test("a history that is not the one of the match is told, and nothing is disclosed for it", async () => {
  memory.remember(MATCH, { tokens: { "seat:0": TOKEN } });
  const own = await newPledge(0);
  const { record, match } = await historyOf(own);
  for (const [history, why] of [
    [{ record, match: { ...match, hash: "ab".repeat(32) } }, /not the history of this match/],
    [{ record: record.replace("match_opened", "match_closed"), match }, /wrong: commit 1: /],
    [{ record: "", match }, /it has no commits/],
  ]) {
    const sent = serverTelling(history);
    assert.match(await toldOf(drawTogether(MATCH, 0)), why);
    assert.deepEqual(sent, []);
  }
});

test("a refused pledge is not kept, and a disclosed one neither", async () => {
  memory.remember(MATCH, { tokens: { "seat:0": TOKEN } });
  const own = await newPledge(0);
  const { record, match } = await historyOf(own);
  const owing = { ...match, seats: [{ ...match.seats[0], owes: "pledge" }] };
  const pledges = serverTelling({ record, match: owing });
  assert.match(await toldOf(drawTogether(MATCH, 0)), /Refused/);
  assert.equal(new Set(pledges.map((sent) => sent.digest)).size, TRIES);
  assert.equal(pledges.some((sent) => keptOf(sent.digest) !== null), false);

  serverTelling({ record, match }, 200);
  assert.equal(await toldOf(drawTogether(MATCH, 0)), "");
  assert.equal(keptOf(own), null);
});

test("a fault of the page is no word of the server's: it is seen as what it is", async () => {
  memory.remember(MATCH, { tokens: { "seat:0": TOKEN } });
  serverTelling({ record: "", match: { match: MATCH } });
  await assert.rejects(drawTogether(MATCH, 0), TypeError);
});

test("two tabs that take a link's matches lose none, whatever answer is lost", async () => {
  const matches = ["b", "c", "d"].map((letter) => letter.repeat(26));
  const tokenOf = (match) => `gio_${match}_${"A".repeat(43)}`;
  let asked = 0;
  globalThis.fetch = async (address, { method, headers }) => {
    const token = headers.Authorization.replace("Bearer ", "");
    if (method === "GET") return Response.json({ seats: [{}] }, { headers: { ETag: '"3;seat:0;5df6"' } });
    asked += 1;
    if (asked === 3) throw new TypeError("the network is away");
    return Response.json({ holder: "seat:0", token: `${token}, replaced` }, { status: 201 });
  };
  localStorage.setItem(
    WAITING,
    JSON.stringify(
      matches.map((match) => {
        return { match, game: "calimala", name: "", holder: "seat:0", token: tokenOf(match), key: match, at: 1 };
      }),
    ),
  );
  const moving = { said: () => {}, taken: () => {} };
  await Promise.all([takeWaiting(moving), takeWaiting(moving)]);
  await takeWaiting(moving);

  for (const match of matches) {
    assert.deepEqual(memory.tokens(match), { "seat:0": `${tokenOf(match)}, replaced` });
  }
  assert.equal(localStorage.getItem(WAITING), null);
});

test("a browser's memory that is full is told, once", () => {
  localStorage.full = true;
  for (const name of ["Ada", "Bea"]) memory.remember(MATCH, { name });
  assert.equal(FULL.told, 1);
});
