// Going through a match and following it: what the modules without a page do.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { NetworkFailure, oneByOne, Problem } from "../../page/static/base/api.js";
import * as memory from "../../page/static/base/memory.js";
import { newestTokens } from "../../page/static/base/mine.js";
import { Stream } from "../../page/static/base/stream.js";
import { Frames } from "../../page/static/replay/frames.js";
import { Presence } from "../../page/static/table/following.js";
import { Position } from "../../page/static/replay/position.js";
import { Told } from "../../page/static/replay/story.js";

const MATCH = "abcdefghijklmnopqrstuvwxyz";

/** A source of a match with so many versions, which gives no more than so many at once. */
function sourceOf(lastVersion, portion, lineOf = () => []) {
  return {
    lastVersion,
    asked: [],
    versions(after, limit) {
      const until = Math.min(after + Math.min(limit, portion), this.lastVersion);
      return Array.from({ length: Math.max(0, until - after) }, (_, index) => after + index + 1);
    },
    async states(after, limit) {
      this.asked.push(after);
      return this.versions(after, limit).map((version) => ({ version, state: version }));
    },
    async story(after, limit) {
      return this.versions(after, limit).map((version) => ({
        version,
        sentences: lineOf(version),
      }));
    },
  };
}

test("at the last version a reader follows what comes; one who looks back stays", () => {
  const position = new Position(10);
  position.go(99);
  assert.deepEqual([position.version, position.follows], [10, true]);
  position.grow(12);
  assert.equal(position.version, 12);

  position.go(4);
  position.grow(13);
  assert.deepEqual([position.version, position.follows], [4, false]);
  position.stay(13);
  position.grow(14);
  assert.deepEqual([position.version, position.follows], [13, false]);
});

test("steps between marks end at the first and the last version", () => {
  const position = new Position(20);
  const marks = [3, 8, 15];
  position.go(8);
  assert.deepEqual([position.beside(-1, marks), position.beside(1, marks)], [3, 15]);
  position.go(2);
  assert.equal(position.beside(-1, marks), 1);
  position.go(16);
  assert.equal(position.beside(1, marks), 20);
});

test("a piece is loaded whole, in as many portions as the source gives, and only once", async () => {
  const source = sourceOf(250, 30);
  const frames = new Frames(source);
  await Promise.all([frames.load(101), frames.load(150)]);

  for (let version = 101; version <= 200; version += 1) {
    assert.equal(frames.get(version)?.version, version);
  }
  assert.equal(frames.get(201), undefined);
  assert.deepEqual(source.asked, [100, 130, 160, 190]);
});

test("a version that came while its piece was on the way is loaded after it", async () => {
  const source = sourceOf(74, 100);
  const frames = new Frames(source);
  frames.prefetch(60);
  source.lastVersion = 76;
  const [frame] = await Promise.all([frames.load(76), frames.extend()]);
  assert.equal(frame.version, 76);
  assert.equal(frames.newest, 76);
  assert.equal(frames.get(75)?.version, 75);
});

test("turns and scorings are found wherever in a commit their headings stand", async () => {
  const heading = (part) => ({ text: "", rules: [], heading: { part, title: "" } });
  const parts = new Map([
    [2, ["setup"]],
    [5, ["turn"]],
    [9, ["scoring", "turn"]],
    [12, ["end"]],
  ]);
  const lineOf = (version) => [{ text: "", rules: [] }, ...(parts.get(version) ?? []).map(heading)];
  const told = new Told(sourceOf(12, 5, lineOf));
  await told.extend(() => {});

  assert.deepEqual(told.turns, [2, 5, 9, 12]);
  assert.deepEqual(told.scorings, [9, 12]);
  assert.equal(told.line(12)?.version, 12);
});

test("news that come while the story is being loaded are kept once", async () => {
  const source = sourceOf(3, 5, (version) => [{ text: `${version}`, rules: [] }]);
  const told = new Told(source);
  const first = told.extend(() => {});
  source.lastVersion = 4;
  await Promise.all([first, told.extend(() => {})]);
  assert.deepEqual(told.lines.map(({ version }) => version), [1, 2, 3, 4]);
});

test("a story whose loading has failed is loaded the next time", async () => {
  const source = sourceOf(3, 5);
  const told = new Told({ lastVersion: 3, story: async () => Promise.reject(new Error("away")) });
  await assert.rejects(told.extend(() => {}));
  told.source = source;
  await told.extend(() => {});
  assert.equal(told.lines.length, 3);
});

/** An API whose stream gives these answers in turn. A failure is thrown. */
function apiOf(answers) {
  return {
    headers: [],
    async send(_method, _path, { headers }) {
      this.headers.push(headers["Last-Event-ID"]);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

function streamOf(...chunks) {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
  return new Response(body, { status: 200 });
}

async function followed(answers) {
  const api = apiOf(answers);
  const heard = [];
  const following = new Stream("/stream", "3").follow(api, {
    heard: ({ name, data }) => {
      heard.push(name === "commit" ? JSON.parse(data).version : name);
      return name === "rewritten" ? "enough" : undefined;
    },
    state: (state) => {
      heard.push(state);
      if (state === "reconnecting") setTimeout(() => window.dispatchEvent(new Event("online")));
    },
    refused: ({ status }) => heard.push(status),
  });
  setTimeout(() => window.dispatchEvent(new Event("online")), 50);
  await following;
  return { heard, from: api.headers };
}

test("a lost stream goes on after the last commit that was heard", async () => {
  const cut = ['id: 4\nevent: commit\nda', 'ta: {"version":4}\n', "\n: a heartbeat\n\nid: 5\neve"];
  const answers = [
    new NetworkFailure(null),
    streamOf(...cut),
    streamOf('id: 5\nevent: commit\ndata: {"version":5}\n\n'),
    new Response(null, { status: 204 }),
  ];
  const timer = setInterval(() => window.dispatchEvent(new Event("online")), 20);
  const { heard, from } = await followed(answers).finally(() => clearInterval(timer));
  assert.deepEqual(heard, ["reconnecting", "live", 4, "live", 5, "ended"]);
  assert.deepEqual(from, ["3", "3", "4", "5"]);
});

test("a stream ends where history was rewritten, or where the reader is refused", async () => {
  const rewritten = await followed([streamOf("event: rewritten\ndata: {}\n\n")]);
  assert.deepEqual(rewritten.heard, ["live", "rewritten"]);
  const refused = await followed([new Problem(401, {})]);
  assert.deepEqual(refused.heard, ["ended", 401]);
});

test("what is asked for while it is being done is done once more", async () => {
  let begun = 0;
  const done = [];
  const act = oneByOne(async () => {
    begun += 1;
    const number = begun;
    await new Promise((resolve) => setTimeout(resolve));
    done.push(number);
  });
  await Promise.all([act(), act(), act()]);
  assert.deepEqual(done, [1, 2]);
  await act();
  assert.deepEqual(done, [1, 2, 3]);
});

test("a seat's token is used before a spectator's and the owner's, unless another was chosen", () => {
  memory.remember(MATCH, { tokens: { owner: "o", spectator: "s" } });
  assert.equal(memory.tokenFor(MATCH), "s");
  memory.remember(MATCH, { tokens: { "seat:2": "two", "seat:1": "one" } });
  assert.equal(memory.tokenFor(MATCH), "one");
  memory.remember(MATCH, { reader: "seat:2" });
  assert.equal(memory.tokenFor(MATCH), "two");
  memory.forgetToken(MATCH, "seat:2");
  assert.equal(memory.tokenFor(MATCH), "one");
  memory.forget(MATCH);
  assert.equal(memory.tokenFor(MATCH), null);
});

test("one stream is asked for with the fifty tokens used last, in an order that lasts", (context) => {
  let now = 0;
  context.mock.method(Date, "now", () => now++);
  const matches = Array.from({ length: 60 }, (_, number) => `match ${100 + number}`);
  for (const match of matches) {
    memory.remember(match, { tokens: { "seat:0": `seat of ${match}`, owner: `owner of ${match}` } });
  }
  const newest = matches.slice(10).map((match) => `seat of ${match}`);
  assert.deepEqual(newestTokens(), newest);

  memory.remember(matches[30], {});
  assert.deepEqual(newestTokens(), newest);
  memory.remember(matches[0], {});
  assert.deepEqual(newestTokens(), [`seat of ${matches[0]}`, ...newest.slice(1)]);

  for (const match of matches) memory.forget(match);
  memory.remember("watched", { tokens: { owner: "o", spectator: "s" } });
  assert.deepEqual(newestTokens(), ["s"]);
  memory.forget("watched");
});

test("who has just come or moved is here before the service says so", () => {
  const now = Date.parse("2026-01-01T12:00:00Z");
  const at = (seconds) => new Date(now - 1000 * seconds).toISOString();
  const open = (seat) => ({ seat, kind: "open" });
  const human = (seat) => ({ seat, kind: "human" });

  const presence = new Presence();
  assert.deepEqual([0, 1].map(presence.at(null, [], now)), [null, null]);
  assert.deepEqual([0, 1].map(presence.at([0], [], now)), [true, false]);

  presence.compare([human(0), open(1)], [human(0), human(1)], now);
  assert.deepEqual([0, 1, 2].map(presence.at([0], [], now)), [true, true, false]);
  assert.equal(presence.at([0], [], now + 180_000)(1), false);

  const lines = [{ actor: "seat:2", time: at(179) }, { actor: "owner", time: at(1) }];
  assert.equal(presence.at([0], lines, now)(2), true);
  assert.equal(presence.at([0], [{ actor: "seat:2", time: at(181) }, lines[1]], now)(2), false);
});

test("a bot that stands in is not here, and whom it makes way for is", () => {
  const presence = new Presence();
  const seat = (absent) => [{ seat: 0, kind: absent ? "bot" : "human", absent }];
  presence.compare(seat(false), seat(true), 0);
  assert.equal(presence.at([], [], 0)(0), false);
  presence.compare(seat(true), seat(false), 0);
  assert.equal(presence.at([], [], 0)(0), true);
});
