// The client that hey-api generates of openapi.yaml, in strict TypeScript: it opens a match, joins it, plays it to its end
// and reads it again. It has no cast and no `any`.
//
//     node play_hey_api.js http://127.0.0.1:8000 calimala
//
// The folder client and the module openings.ts are made by the test (tests/e2e/test_typescript.py).

import type { Move, OpenMatch, Problem } from "./client";
import { getMatch, getMoves, getState, joinMatch, listCommits, makeMove, openMatch, startMatch } from "./client";
import { client } from "./client/client.gen";
import { openings } from "./openings";

const [url = "", game = ""] = process.argv.slice(2);
client.setConfig({ baseUrl: url });

function opening(): OpenMatch {
  const body = openings.find((one) => one.game === game);
  if (body === undefined) throw new Error(`there is no game ${game}`);
  return body;
}

/** Throw an error with the problem's detail. By `never` the compiler knows that nothing follows. */
function refuse(problem: Problem | undefined): never {
  throw new Error(problem?.detail ?? "no detail");
}

/** Open a match, take its open seat, start it, and return its id and the seat's token. */
async function begin(): Promise<{ match: string; token: string }> {
  const opened = await openMatch({ body: opening() });
  if (!opened.data) refuse(opened.error);
  const path = { match: opened.data.match };

  const joined = await joinMatch({ path: { ...path, seat: 0 }, body: { name: "Lorenzo" } });
  if (!joined.data) refuse(joined.error);
  const started = await startMatch({ path, auth: opened.data.tokens["owner"] ?? "" });
  if (!started.data) refuse(started.error);
  return { match: path.match, token: joined.data.token };
}

/** Make the first, the middle or the last legal move in turns until the match is over. Return the number of moves. */
async function play(match: string, auth: string): Promise<number> {
  const path = { match };
  let made = 0;
  for (;;) {
    const legal = await getMoves({ path, auth });
    if (!legal.data) refuse(legal.error);
    const { moves } = legal.data;
    const seen = legal.response?.headers.get("ETag") ?? "";
    const body: Move | undefined = moves[Math.floor((made % 3) * 0.5 * (moves.length - 1))];
    if (body !== undefined) {
      const done = await makeMove({ path, auth, body, headers: { "If-Match": seen } });
      if (!done.data && done.response?.status !== 412) refuse(done.error);
      made += done.data ? 1 : 0;
      continue;
    }
    // Without moves the match may be over. Then no other state ever follows.
    const now = await getState({ path, auth });
    if (!now.data) refuse(now.error);
    if (now.data.status === "ended") return made;
    await getState({ path, auth, query: { wait: 20 }, headers: { "If-None-Match": seen } });
  }
}

/** Play a match, and print its figures. */
async function main(): Promise<void> {
  const { match, token } = await begin();
  const made = await play(match, token);
  const history = await listCommits({ path: { match }, query: { limit: 1000 } });
  if (!history.data) refuse(history.error);
  const ended = await getMatch({ path: { match } });
  if (!ended.data) refuse(ended.error);

  const { status, outcome, seats } = ended.data;
  const joined = history.data.commits.flatMap(({ events }) => events.filter(({ type }) => type === "seat_joined"));
  const commits = history.data.commits.length;
  const name = seats[0]?.name;
  console.log(JSON.stringify({ made, status, points: outcome?.points, name, commits, joined: joined.length }));
}

void main();
