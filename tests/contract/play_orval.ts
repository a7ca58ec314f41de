// The client that orval generates of openapi.yaml, over axios, in strict TypeScript: it opens a match, joins it, plays it
// to its end and reads it again. It has no cast and no `any`.
//
//     node play_orval.js http://127.0.0.1:8000 calimala
//
// The modules client.ts and openings.ts are made by the test (tests/e2e/test_typescript.py).

import type { AxiosRequestConfig } from "axios";
import axios from "axios";
import type { Move, OpenMatch } from "./client";
import { getGiornale } from "./client";
import { openings } from "./openings";

const [url = "", game = ""] = process.argv.slice(2);
const api = getGiornale(axios.create({ baseURL: url }));

function bearer(token: string, more: Record<string, string> = {}): AxiosRequestConfig {
  return { headers: { Authorization: `Bearer ${token}`, ...more } };
}

function opening(): OpenMatch {
  const body = openings.find((one) => one.game === game);
  if (body === undefined) throw new Error(`there is no game ${game}`);
  return body;
}

/** Open a match, take its open seat, start it, and return its id and the seat's token. */
async function begin(): Promise<{ match: string; token: string }> {
  const { data: opened } = await api.openMatch(opening());
  const { data: joined } = await api.joinMatch(opened.match, 0, { name: "Lorenzo" });
  await api.startMatch(opened.match, bearer(opened.tokens["owner"] ?? ""));
  return { match: opened.match, token: joined.token };
}

/** Make the first, the middle or the last legal move in turns until the match is over. Return the number of moves. */
async function play(match: string, token: string): Promise<number> {
  let made = 0;
  for (;;) {
    const legal = await api.getMoves(match, {}, bearer(token));
    const { moves } = legal.data;
    const seen = String(legal.headers["etag"]);
    const move: Move | undefined = moves[Math.floor((made % 3) * 0.5 * (moves.length - 1))];
    if (move !== undefined) {
      const orStale = (status: number) => status === 201 || status === 412;
      const config = { ...bearer(token, { "If-Match": seen }), validateStatus: orStale };
      const done = await api.makeMove(match, move, {}, config);
      made += done.status === 201 ? 1 : 0;
      continue;
    }
    // Without moves the match may be over. Then no other state ever follows.
    const now = await api.getState(match, {}, bearer(token));
    if (now.data.status === "ended") return made;

    const orUnchanged = (status: number) => status === 200 || status === 304;
    const waiting = { ...bearer(token, { "If-None-Match": seen }), validateStatus: orUnchanged };
    await api.getState(match, { wait: 20 }, waiting);
  }
}

/** Play a match, and print its figures. */
async function main(): Promise<void> {
  const { match, token } = await begin();
  const made = await play(match, token);
  const { data: history } = await api.listCommits(match, { limit: 1000 });
  const { data: ended } = await api.getMatch(match);

  const { status, outcome, seats } = ended;
  const joined = history.commits.flatMap(({ events }) => events.filter(({ type }) => type === "seat_joined"));
  const commits = history.commits.length;
  const name = seats[0]?.name;
  console.log(JSON.stringify({ made, status, points: outcome?.points, name, commits, joined: joined.length }));
}

void main();
