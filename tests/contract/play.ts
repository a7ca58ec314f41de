// A client in strict TypeScript, typed by openapi.yaml alone: it opens a match, joins it, plays it to its end and reads
// it again. It has no cast and no `any`.
//
//     node play.ts http://127.0.0.1:8000 calimala
//
// The modules contract.ts and openings.ts are made by the test (tests/e2e/test_typescript.py).

import createClient from "openapi-fetch";
import type { components, paths } from "./contract.ts";
import { openings } from "./openings.ts";

type Schemas = components["schemas"];
type Client = ReturnType<typeof createClient<paths>>;

const [url = "", game = ""] = process.argv.slice(2);
const client: Client = createClient<paths>({ baseUrl: url });

function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}

/** Return the body that opens a match of the game. */
function opening(): Schemas["OpenMatch"] {
  const body = openings.find((one) => one.game === game);
  if (body === undefined) throw new Error(`there is no game ${game}`);
  return body;
}

/** Throw an error with the problem's detail. By `never` the compiler knows that nothing follows. */
function refuse(problem: Schemas["Problem"] | undefined, response: Response): never {
  throw new Error(`${response.status}: ${problem?.detail ?? "no detail"}`);
}

/** Open a match, take its open seat, start it, and return its id and the seat's token. */
async function begin(): Promise<{ match: string; token: string }> {
  const opened = await client.POST("/v1/matches", { body: opening() });
  if (!opened.data) refuse(opened.error, opened.response);
  const match = opened.data.match;
  const owner = opened.data.tokens["owner"] ?? "";

  const joined = await client.POST("/v1/matches/{match}/seats/{seat}", {
    params: { path: { match, seat: 0 } },
    body: { name: "Lorenzo" },
  });
  if (!joined.data) refuse(joined.error, joined.response);

  const started = await client.POST("/v1/matches/{match}/start", {
    params: { path: { match } },
    headers: bearer(owner),
  });
  if (!started.data) refuse(started.error, started.response);
  return { match, token: joined.data.token };
}

/** Make the first, the middle or the last legal move in turns until the match is over. Return the number of moves. */
async function play(match: string, token: string): Promise<number> {
  const headers = bearer(token);
  let made = 0;
  for (;;) {
    const legal = await client.GET("/v1/matches/{match}/moves", { params: { path: { match } }, headers });
    if (!legal.data) refuse(legal.error, legal.response);
    const { moves } = legal.data;
    const seen = legal.response.headers.get("ETag") ?? "";
    const body: Schemas["Move"] | undefined = moves[Math.floor((made % 3) * 0.5 * (moves.length - 1))];
    if (body !== undefined) {
      const done = await client.POST("/v1/matches/{match}/moves", {
        params: { path: { match }, header: { "If-Match": seen } },
        headers,
        body,
      });
      if (!done.data && done.response.status !== 412) refuse(done.error, done.response);
      made += done.data ? 1 : 0;
      continue;
    }
    // Without moves the match may be over. Then no other state ever follows.
    const now = await client.GET("/v1/matches/{match}/state", { params: { path: { match } }, headers });
    if (!now.data) refuse(now.error, now.response);
    if (now.data.status === "ended") return made;

    const held = { "If-None-Match": seen };
    const next = await client.GET("/v1/matches/{match}/state", {
      params: { path: { match }, query: { wait: 20 }, header: held },
      headers,
    });
    if (!next.data && next.response.status !== 304) refuse(undefined, next.response);
  }
}

/** Return the reasons in the event `play_ended` of Firenze. That of Calimala has the same type, and no reason. */
function reasonsIn(commit: Schemas["Commit"]): string[] {
  if (commit.rules !== "firenze/1") return [];
  return commit.events.flatMap((event) => (event.type === "play_ended" ? [event.reason] : []));
}

type History = { commits: number; joined: number; reasons: string[] };

/** Read all commits of a match, page by page. Return their number, the number of joins, and the reasons for the end. */
async function read(match: string): Promise<History> {
  let commits = 0;
  let joined = 0;
  const reasons: string[] = [];
  for (;;) {
    const page = await client.GET("/v1/matches/{match}/commits", {
      params: { path: { match }, query: { after: commits, limit: 50 } },
    });
    if (!page.data) refuse(page.error, page.response);
    if (page.data.commits.length === 0) return { commits, joined, reasons };
    for (const commit of page.data.commits) {
      commits = commit.version;
      joined += commit.events.filter((event) => event.type === "seat_joined").length;
      reasons.push(...reasonsIn(commit));
    }
  }
}

const { match, token } = await begin();
const made = await play(match, token);
const history = await read(match);
const ended = await client.GET("/v1/matches/{match}", { params: { path: { match } } });
if (!ended.data) refuse(ended.error, ended.response);
const { status, outcome, seats } = ended.data;
console.log(JSON.stringify({ made, status, points: outcome?.points, name: seats[0]?.name, ...history }));
