// The fetches of an audit, and its words on answers that do not come.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { Problem } from "../../page/static/base/api.js";
import { askLog } from "../../page/static/audit/in_log.js";
import { askServer, fetchAll } from "../../page/static/audit/server.js";

const MATCH = "abcdefghijklmnopqrstuvwxyz";

/** An API of a private match at version 3, whose states are as `statesAfter` says. */
function apiOf(statesAfter) {
  const head = { match: MATCH, version: 3, visibility: "private" };
  return {
    async get(path, { query }) {
      if (path.endsWith("/states")) return { value: { states: statesAfter(query.after) } };
      return { value: path === "/v1/keys" ? { keys: [] } : head };
    },
    async lines() {
      return new Response("{}\n");
    },
  };
}

async function besideOf(statesAfter) {
  const { signal } = new AbortController();
  const { beside } = await fetchAll(apiOf(statesAfter), MATCH, signal, () => {});
  return beside;
}

function frame(version, seat = null) {
  return { version, hash: "", state: {}, seat };
}

test("what the public is shown comes in several portions, up to the version of the match", async () => {
  const { shown, unshown } = await besideOf((after) => [frame(after + 1), frame(after + 2)]);
  assert.deepEqual(shown.map(({ version }) => version), [1, 2, 3]);
  assert.equal(unshown, undefined);
});

test("what a seat sees is held against no digest", async () => {
  const { shown, unshown } = await besideOf((after) => [frame(after + 1, 0)]);
  assert.deepEqual([shown, unshown], [[], undefined]);
});

test("a service that shows nothing does not get the seal of one that does", async () => {
  const silent = await besideOf(() => []);
  const refusing = await besideOf(() => {
    throw new Problem(503, { title: "Too busy" });
  });
  assert.equal(silent.unshown, "the service does not list it");
  assert.equal(refusing.unshown, "the service says: Too busy");
});

/** Let the service show a fork of a fork of a match, or not show the last of them. */
function chainOf(context, matches) {
  context.mock.method(globalThis, "fetch", async (address) => {
    const found = matches.find(({ match }) => address.includes(match));
    if (found === undefined) return new Response("{}", { status: 404 });
    if (address.endsWith("/record")) return new Response(`{"of":"${found.match}"}\n`);
    return Response.json(found);
  });
}

async function basesOf(forked_from) {
  const api = apiOf(() => [frame(1)]);
  const head = { match: MATCH, version: 1, visibility: "private", forked_from };
  const get = async (path, options) => (path.endsWith(MATCH) ? { value: head } : api.get(path, options));
  const { signal } = new AbortController();
  const { beside } = await fetchAll({ ...api, get }, MATCH, signal, () => {});
  return beside.bases.map((record) => JSON.parse(new TextDecoder().decode(record)).of);
}

test("the records of what a fork goes on from are fetched, as far as they are shown", async (context) => {
  const [first, second] = ["b".repeat(26), "c".repeat(26)];
  const forked_from = { match: second, version: 2 };
  chainOf(context, [{ match: first, forked_from }, { match: second }]);
  assert.deepEqual(await basesOf({ match: first, version: 9 }), [first, second]);
  assert.deepEqual(await basesOf(undefined), []);

  context.mock.restoreAll();
  chainOf(context, [{ match: first, forked_from }]);
  assert.deepEqual(await basesOf({ match: first, version: 9 }), [first]);
});

test("a policy that is given while the log is asked counts", async () => {
  globalThis.localStorage = {
    text: null,
    getItem() {
      return this.text;
    },
  };
  let asked = 0;
  const api = {
    async send() {
      asked += 1;
      localStorage.text = "quorum none";
      throw new Problem(404, { title: "No proof" });
    },
  };
  const report = { match: "m".repeat(26), hash: "ab".repeat(32), counts: { commits: 3 } };
  const { text } = await askLog(api, report, false, new AbortController().signal);
  assert.equal(text, "The server says: No proof.");
  assert.equal(asked, 2);
});

test("an audit of an earlier version is waited for, then the next is started", async () => {
  const requests = [];
  const answers = [
    { version: 2, report: null },
    { version: 2, report: {} },
    { version: 3, report: {} },
  ];
  const api = {
    async post(path) {
      requests.push(`POST ${path}`);
      return answers.shift();
    },
    async get(path) {
      requests.push(`GET ${path}`);
      return { value: answers.shift() };
    },
  };
  const told = [];
  const { signal } = new AbortController();
  await askServer(api, { match: MATCH, version: 3 }, signal, ({ version }) => told.push(version));

  const audits = `/v1/matches/${MATCH}/audits`;
  assert.deepEqual(requests, [`POST ${audits}`, `GET ${audits}/2`, `POST ${audits}`]);
  assert.deepEqual(told, [2, 2, 3]);
});

test("an audit whose job was lost is started again", async (context) => {
  context.mock.method(globalThis, "setTimeout", (go) => setImmediate(go));
  const { signal } = new AbortController();
  let starts = 0;
  const api = {
    async post() {
      starts += 1;
      return { version: 3, report: starts === 1 ? null : {} };
    },
    async get() {
      return { value: { version: 3, report: null } };
    },
  };
  await askServer(api, { match: MATCH, version: 3 }, signal, () => {});
  assert.equal(starts, 2);
});
