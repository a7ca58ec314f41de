const server = "http://127.0.0.1:8000";
const json = { "Content-Type": "application/json" };

const opening = await fetch(`${server}/v1/matches`, {
  method: "POST",
  headers: json,
  body: JSON.stringify({ game: "firenze", seats: ["human", "bot:greedy"] }),
});
const opened = await opening.json();
const match = `${server}/v1/matches/${opened.match}`;
const token = { Authorization: `Bearer ${opened.tokens["seat:0"]}` };
// ----
const legal = await fetch(`${match}/moves`, { headers: token });
const seen = legal.headers.get("ETag") ?? "";
const { moves } = await legal.json();
console.log(moves);
// ----
const made = await fetch(`${match}/moves`, {
  method: "POST",
  headers: { ...json, ...token, "If-Match": seen },
  body: JSON.stringify(moves[0]),
});
console.log(made.status, await made.json());
// ----
const stream = await fetch(`${match}/stream?after=0`, { headers: token });
const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
let text = "";
for (;;) {
  const { done, value } = await reader.read();
  if (done) break;
  const events = (text + value).split("\n\n");
  text = events.pop() ?? "";
  for (const event of events) {
    const data = event.match(/^data: (.*)$/m)?.[1];
    if (!data) continue;
    const commit = JSON.parse(data);
    console.log(commit.version, commit.actor);
  }
}
