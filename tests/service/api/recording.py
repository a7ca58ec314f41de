"""Record the examples of the contract from real answers, and write openapi.yaml.

Answers that are random or need workers are written by hand (WRITTEN_BY_HAND).
`python -m tests.service.api.recording` writes service/api/examples.json and openapi.yaml anew.
"""

from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import orjson
from flask import Flask
from werkzeug.test import TestResponse

from domain.games import GAMES
from domain.match.terms.joint_entropy import pledge_of
from service.api.contract import examples
from service.api.routes import streams
from service.base.config import Config
from service.capabilities.agents.routes import VERSIONS
from tests.service.api.conftest import KEY, Door, json, run_out
from tests.service.api.contract_file import CONTRACT, contract, quiet_app
from tests.signing import ADA, proven

JSON = "application/json"

# Operations that are answered as `resignMatch` is: with the commit that was made.
SHOWN_ELSEWHERE = {
    *("leaveMatch", "startMatch", "abortMatch", "putBot", "dismissBot"),
    *("returnToMatch", "askTakeBack", "agreeTakeBack", "refuseTakeBack"),
    *("pledgeEntropy", "discloseEntropy"),
}

# Examples by operation, part ("request", or the status or media type of an answer) and name.
Recorded = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Sent:
    """A request: method, path, holder of its token ("" for none), JSON body and headers."""

    method: str
    path: str
    who: str = ""
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


class Recorder:
    """Sends requests through a door, and records them with their answers."""

    def __init__(self, app: Flask) -> None:
        self.door = Door.of(app)
        self.recorded: Recorded = {}

    def record(self, operation: str, name: str, request: Sent) -> Any:
        """Send a request, record it and its answer, and return the answer.

        For an operation in SHOWN_ELSEWHERE only the request is recorded.
        """
        answer = self._send(request)
        assert answer.status_code < 400, answer.text

        parts = self.recorded.setdefault(operation, {})
        if request.body is not None:
            parts.setdefault("request", {})[name] = request.body

        if operation in SHOWN_ELSEWHERE:
            return json(answer)

        is_json = answer.mimetype == JSON
        value = json(answer) if is_json else answer.text
        part = str(answer.status_code) if is_json else str(answer.mimetype)
        if answer.data:
            parts.setdefault(part, {})[name] = value
        return value

    def record_problem(self, request: Sent) -> None:
        """Send a request that is refused, and keep the problem under its kind."""
        problem = json(self._send(request))
        _, _, kind = problem["type"].rpartition("/")
        self.recorded.setdefault("problems", {})[kind] = problem

    def open(self, name: str, number: int, **wish: Any) -> None:
        """Record the opening of a match without its seed, and keep the tokens."""
        once = f"{KEY}-{number}"
        request = Sent(
            "POST",
            "/v1/matches",
            body=proven({"seed": "example", **wish}, once),
            headers={"Idempotency-Key": once},
        )
        match = self.record("openMatch", name, request)
        del self.recorded["openMatch"]["request"][name]["seed"]

        self.door.match = match["match"]
        self.door.tokens = match["tokens"]

    def open_unrecorded(self, number: int, **wish: Any) -> None:
        """Open a match without recording an example."""
        self.open("unrecorded", number, **wish)
        self.forget("openMatch", "request", "unrecorded")
        self.forget("openMatch", "201", "unrecorded")

    def forget(self, operation: str, part: str, name: str) -> None:
        """Drop an example that shows nothing new."""
        del self.recorded[operation][part][name]

    def _send(self, request: Sent) -> TestResponse:
        body = {} if request.body is None else {"json": request.body}
        return self.door.ask(
            request.method, request.path, request.who, headers=request.headers, **body
        )


HUMAN = {"kind": "human"}
OPEN = {"kind": "open"}
COSIMO = {"kind": "human", "name": "Cosimo"}
SOME_ID = "a" * 26
SOME_HASH = "0" * 64

# ---- written by hand: answers that are random or need workers ------------------------------------

_REPORT: dict[str, Any] = {
    "ok": True,
    "verdict": "right",
    "wrong": None,
    "match": SOME_ID,
    "game": "calimala",
    "rules": "calimala/1",
    "commits": 2,
    "hash": SOME_HASH,
    "status": "running",
    "outcome": None,
    "redacted": False,
    "ended": False,
    "folded": 2,
    "decided": 2,
    "unchecked": [],
    "notes": [],
}
_AUDIT_UNDER_WAY: dict[str, Any] = {"match": SOME_ID, "version": 2, "done": 1, "report": None}
_AUDIT_DONE = {**_AUDIT_UNDER_WAY, "done": 2, "report": _REPORT}
_AUDITS = {
    "200": {"done": _AUDIT_DONE},
    "202": {"under-way": _AUDIT_UNDER_WAY},
}
_KEY = {
    "id": "8048",
    "algorithm": "Ed25519",
    "public": SOME_HASH,
    "from": "2026-03-01T18:00:00.000Z",
    "until": None,
}
_BEST = [
    {"move": {"type": "keep_scoring_card", "card": "lisbon"}, "win_chance": 0.417},
    {"move": {"type": "keep_scoring_card", "card": "bruges"}, "win_chance": 0.389},
]
_THOUGHT: dict[str, Any] = {
    "version": 12,
    "seat": 1,
    "level": "strong",
    "iterations": 312,
    "best": _BEST,
}
_ADVICE: dict[str, Any] = {"match": SOME_ID, **_THOUGHT, "status": "ready"}
_THINKING = {**_ADVICE, "status": "thinking", "iterations": 0, "best": []}
_ROOT = {
    "release": "0.2.0",
    "links": {
        "commits": "/v1/commits",
        "contract": "/openapi.json",
        "core": "/openapi/core.json",
        "docs": "/docs",
        "games": "/v1/games",
        "keys": "/v1/keys",
        "matches": "/v1/matches",
        "my_matches": "/v1/me/stream",
        "problems": "/problems",
        "records": "/v1/records",
        "rules": "/rules",
    },
}
_ADVICE_ANSWERS = {"200": {"ready": _ADVICE}, "202": {"thinking": _THINKING}}
_METRICS = 'giornale_conflicts_total 3.0\ngiornale_queued_jobs{queue="bots"} 0.0\n'
_IMPORTED = {"match": SOME_ID, "commits": 3}

_CURVE = {
    "points": [
        {"version": 7, "win_chances": [0.334, 0.331, 0.335]},
        {"version": 15, "win_chances": [0.471, 0.262, 0.267]},
    ],
    "turning_points": [
        {"from": 7, "to": 15, "seat": 0, "chance_before": 0.334, "chance_after": 0.471},
    ],
}

_NO_VERSION = {
    "code": -32022,
    "message": "Unsupported protocol version",
    "data": {"supported": list(VERSIONS), "requested": "1900-01-01"},
}
_NO_METHOD = {"code": -32601, "message": "no method resources/list"}

_LOG_ID = "4f2a9c1e"
_LOGGED = {
    "log": _LOG_ID,
    "position": 41,
    "match": SOME_ID,
    "version": 2,
    "hash": SOME_HASH,
    "time": "2026-03-01T18:00:00.000Z",
    "game": "calimala",
    "status": "running",
}
_LOG_KEY = "giornale-05ce874af694f324+4c306d3c+Ab3l5wu/CmZ0BfeNegKGyGqT8FqaFwkDsvoEWLfhrIb/"
_FAILED_CHECKS = {"queues": "the queues cannot be reached"}
_PROOF = (
    "c2sp.org/tlog-proof@v1\nindex 0\n\ngiornale-8048\n1\n"
    "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n"
    "\u2014 giornale-8048 Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGz\n"
)
_RATING = {"mean": 27.635, "uncertainty": 7.952, "ordinal": 3.779, "matches": 1}
_ADA = {"player": "a1" * 32, "name": "Ada"}
_LADDER = {
    "game": "calimala",
    "model": "BradleyTerryFull",
    "model_version": "openskill 6.2.0",
    "players": [
        {"place": 1, **_ADA, "rating": _RATING},
        {"place": 1, "player": "bot:greedy", "name": None, "rating": _RATING},
    ],
    "next": None,
}
_MOMENT = {"match": SOME_ID, "ended": _LOGGED["time"], "rating": _RATING}
_PLAYER = {
    **_ADA,
    "ratings": [{"game": "calimala", "place": 1, "rating": _RATING, "history": [_MOMENT]}],
    "matches": [],
    "next": None,
}
_LOGGED_LINE = orjson.dumps(_LOGGED).decode()
_LOGGED_EVENT = f"id: {_LOG_ID}-42\nevent: commit\ndata: {_LOGGED_LINE}"

WRITTEN_BY_HAND: Recorded = {
    "listAllCommits": {
        "200": {
            "two": {
                "commits": [_LOGGED, {"log": _LOG_ID, "position": 42, "hash": SOME_HASH}],
                "next": "/v1/commits?after=43&log=4f2a9c1e",
                "log": _LOG_ID,
            }
        },
    },
    "getProof": {"text/plain": {"some": _PROOF}},
    "getLadder": {"200": {"two": _LADDER}},
    "getPlayer": {"200": {"one": _PLAYER}},
    "listAllCommitLines": {"application/x-ndjson": {"one": f"{_LOGGED_LINE}\n"}},
    "streamAllCommits": {
        "text/event-stream": {
            "one": f"retry: 2000\n\n{_LOGGED_EVENT}\n\n: beat\n\n",
        },
    },
    "isReady": {
        "200": {"ready": {"status": "ok"}},
        "503": {"unready": {"status": "unready", "checks": _FAILED_CHECKS}},
    },
    "getMetrics": {"text/plain": {"some": _METRICS}},
    "getRoot": {"200": {"some": _ROOT}},
    "listKeys": {"200": {"one": {"keys": [_KEY], "log_key": _LOG_KEY}}},
    "startAudit": _AUDITS,
    "getAudit": _AUDITS,
    "listThoughts": {"200": {"some": {"thoughts": [_THOUGHT], "next": None}}},
    "listThoughtLines": {
        "application/x-ndjson": {"some": orjson.dumps(_THOUGHT).decode() + "\n"},
    },
    "startAdvice": _ADVICE_ANSWERS,
    "getAdvice": _ADVICE_ANSWERS,
    "getCurve": {"200": {"some": _CURVE}},
    "callTool": {
        "400": {"version": {"jsonrpc": "2.0", "id": 1, "error": _NO_VERSION}},
        "404": {"method": {"jsonrpc": "2.0", "id": 1, "error": _NO_METHOD}},
    },
    "importRecord": {
        "200": {"here": _IMPORTED},
        "201": {"new": _IMPORTED},
    },
}

# ---- recorded from played matches ----------------------------------------------------------------


def record(app: Flask) -> Recorded:
    """Return the examples by operation, part and name."""
    recorder = Recorder(app)
    first_game, *other_games = GAMES

    with mock.patch("secrets.token_hex", return_value="0" * 32):
        _play(recorder, first_game)
        for number, game in enumerate(other_games, 1):
            _begin(recorder, game, number)
        _export(recorder, first_game)
        _meet(recorder, first_game)
        _take_back(recorder, first_game)
        _draw_together(recorder, first_game)
        _err(recorder, first_game)

    _look_around(recorder, first_game)
    _prefer(recorder, first_game)
    for operation, parts in WRITTEN_BY_HAND.items():
        recorder.recorded.setdefault(operation, {}).update(parts)
    return recorder.recorded


def _play(recorder: Recorder, game: str) -> None:
    """Open a match, make a move, and read the match in all its forms."""
    recorder.open(game, 0, game=game, seats=[COSIMO, HUMAN, HUMAN])
    state = recorder.record("getState", game, Sent("GET", "state", "seat:0"))
    [seat, *_] = state["waiting_for"]["seats"]
    who = f"seat:{seat}"

    legal_moves = recorder.record("getMoves", game, Sent("GET", "moves", who))
    move = legal_moves["moves"][0]
    legal_moves["moves"] = legal_moves["moves"][:3]

    recorder.record("makeMove", game, Sent("POST", "moves?dry_run=true", who, move))
    _try_line(recorder, game, who, {**move, "seat": seat})
    commit = recorder.record("makeMove", game, Sent("POST", "moves", who, move))
    recorder.record("getCommit", game, Sent("GET", "commits/2", who))
    recorder.record("getDiff", game, Sent("GET", "diff?from=1&to=2", who))

    recorder.record("listCommits", game, Sent("GET", "commits?after=1&limit=1"))
    recorder.record("listCommitLines", game, Sent("GET", "commits.ndjson?after=1"))
    recorder.record("readStory", game, Sent("GET", "story?after=1&limit=1"))
    recorder.record("readStoryLines", game, Sent("GET", "story.ndjson?after=1"))
    recorder.record("getMatch", game, Sent("GET", ""))

    event = streams.event(commit).decode()
    stream = f"retry: 2000\n\n{event}: beat\n\n"
    parts = recorder.recorded.setdefault("streamMatch", {})
    parts.setdefault("text/event-stream", {})[game] = stream


def _try_line(recorder: Recorder, game: str, who: str, move: dict[str, Any]) -> None:
    """Try a move. At most three of the moves that may follow are kept."""
    line = recorder.record(
        "tryLine", game, Sent("POST", "lines", who, {"version": 1, "moves": [move]})
    )
    line["moves"] = line["moves"][:3]


def _begin(recorder: Recorder, game: str, number: int) -> None:
    """Open a match of another game and make a move.

    The requests differ from those of the first game. The similar answers are not recorded.
    """
    bot = {"kind": "bot", "level": "random"}
    recorder.open(game, number, game=game, seats=[HUMAN, bot])
    recorder.forget("openMatch", "201", game)

    legal_moves = json(recorder.door.get("moves", "seat:0"))["moves"]
    recorder.recorded["makeMove"]["request"][game] = legal_moves[0]


def _export(recorder: Recorder, game: str) -> None:
    """Export a short record, of an aborted match. Then use its webhook, and ask for a rematch."""
    recorder.open_unrecorded(89, game=game, seats=[HUMAN, OPEN, OPEN])
    recorder.door.post("abort", None, "owner")
    recorder.door.house()

    lines = recorder.record("getRecord", "record", Sent("GET", "record"))
    recorder.recorded.setdefault("importRecord", {"request": {"record": lines}})
    recorder.recorded["listRecords"] = {"application/x-ndjson": {"record": lines}}

    webhook = {"url": "https://example.org/calls", "on": ["turn", "ended"]}
    with mock.patch.object(Config, "hooks", True):
        recorder.record("putWebhook", "first", Sent("PUT", "webhook", "seat:0", webhook))
        recorder.record("putWebhook", "again", Sent("PUT", "webhook", "seat:0", webhook))
        recorder.forget("putWebhook", "request", "again")
        recorder.record("testWebhook", "any", Sent("POST", "webhook/test", "seat:0"))
    recorder.record("getWebhook", "first", Sent("GET", "webhook", "seat:0"))

    recorder.record("askRematch", "first", Sent("POST", "rematch", "seat:0", {}))
    recorder.record("streamMyMatches", "ended", Sent("GET", "/v1/me/stream", "seat:0"))


def _meet(recorder: Recorder, game: str) -> None:
    """Go through the lobby of a private match: seats, bots, tokens, the start and the end."""
    seats = [COSIMO, OPEN, OPEN]
    recorder.open("invitation", 90, game=game, seats=seats, visibility="private")
    recorder.forget("openMatch", "201", "invitation")
    recorder.record("listStates", "lobby", Sent("GET", "states", "owner"))
    recorder.record("listStateLines", "lobby", Sent("GET", "states.ndjson", "owner"))

    joining = Sent(
        "POST",
        "seats/1",
        "invitation",
        {"name": "Contessina"},
        {"Idempotency-Key": f"{KEY}-join"},
    )
    joined = recorder.record("joinMatch", "invited", joining)
    recorder.door.tokens["seat:1"] = joined["token"]
    recorder.record("leaveMatch", "leave", Sent("DELETE", "seats/1", "seat:1"))

    greedy = {"level": "greedy"}
    for seat in (1, 2):
        recorder.door.post(f"seats/{seat}/bot", greedy, "owner")
    recorder.record("startMatch", "start", Sent("POST", "start", "owner"))
    recorder.record("putBot", "stand-in", Sent("POST", "seats/0/bot", "owner", greedy))
    recorder.record("dismissBot", "back", Sent("DELETE", "seats/0/bot", "owner"))

    replacing = Sent("POST", "tokens", "owner", {}, {"Idempotency-Key": f"{KEY}-rotate"})
    replaced = recorder.record("replaceToken", "own", replacing)
    recorder.door.tokens["owner"] = replaced["token"]
    recorder.record("revokeToken", "spectator", Sent("DELETE", "tokens/spectator", "owner"))
    recorder.record("abortMatch", "abort", Sent("POST", "abort", "owner"))


def _take_back(recorder: Recorder, game: str) -> None:
    """Take moves back, run out of time and come back, and resign."""
    clock = {"bank_s": 60, "move_s": 30, "level": "greedy"}
    recorder.open_unrecorded(
        92, game=game, seats=[HUMAN] * 3, clock=clock, take_back="consent", advice=True
    )
    door = recorder.door
    before = {"to": 1}
    door.move("seat:1")
    recorder.record("askTakeBack", "own", Sent("POST", "take-back", "seat:1", before))
    door.move("seat:1")
    recorder.record("askTakeBack", "others", Sent("POST", "take-back", "seat:0", before))
    recorder.forget("askTakeBack", "request", "others")
    recorder.record("agreeTakeBack", "agree", Sent("POST", "take-back/agree", "seat:2"))
    recorder.record("refuseTakeBack", "refuse", Sent("POST", "take-back/refuse", "seat:1"))
    run_out(door, 0)
    recorder.record("resignMatch", "resign", Sent("POST", "resign", "seat:2"))
    recorder.record("listMatches", "stand-ins", Sent("GET", "/v1/matches?limit=1"))
    recorder.record("returnToMatch", "return", Sent("POST", "return", "seat:0"))


def _draw_together(recorder: Recorder, game: str) -> None:
    """Pledge and disclose, as one seat, entropy for all draws."""
    entropy = "5a" * 32
    pledging = {"kind": "human", "pledge": pledge_of("a5" * 32, 0)}
    bot = {"kind": "bot", "level": "random"}
    recorder.open_unrecorded(93, game=game, seats=[pledging, HUMAN, bot], joint_entropy=True)
    digest = {"digest": pledge_of(entropy, 1)}
    recorder.record("pledgeEntropy", "pledge", Sent("POST", "pledge", "seat:1", digest))
    disclosure = {"entropy": entropy}
    recorder.record("discloseEntropy", "disclose", Sent("POST", "disclose", "seat:1", disclosure))


def _err(recorder: Recorder, game: str) -> None:
    """Send refused requests of several kinds."""
    recorder.open_unrecorded(91, game=game, seats=[HUMAN] * 3)
    [seat, *_] = json(recorder.door.get())["waiting_for"]["seats"]
    who = f"seat:{seat}"
    move = recorder.door.moves(who)[0]
    somebody_elses = f"/v1/matches/{SOME_ID}"

    recorder.record_problem(Sent("POST", "moves", who, {"type": "castle"}))
    recorder.record_problem(Sent("POST", "moves", who, move, {"If-Match": '"7"'}))
    recorder.record_problem(Sent("POST", "moves", "", move))
    recorder.record_problem(Sent("POST", "start", who, {}))
    recorder.record_problem(Sent("POST", "moves", who, {"type": "end_activation"}))
    recorder.record_problem(Sent("GET", somebody_elses))

    signing = {**HUMAN, "key": ADA.key}
    recorder.open_unrecorded(94, game=game, seats=[signing, HUMAN, HUMAN])
    move = recorder.door.moves("seat:0")[0]
    recorder.record_problem(Sent("POST", "moves", "seat:0", move))


def _look_around(recorder: Recorder, game: str) -> None:
    """Send requests that belong to no match."""
    listed = recorder.record("listGames", game, Sent("GET", "/v1/games"))
    listed["games"] = listed["games"][:1]
    recorder.record("getGame", game, Sent("GET", f"/v1/games/{game}"))
    recorder.record("listMatches", "newest", Sent("GET", "/v1/matches?limit=1"))
    recorder.record("isAlive", "alive", Sent("GET", "/livez"))
    params = {"name": "rules", "arguments": {"game": "match", "about": "M2"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    recorder.record("callTool", "rules", Sent("POST", "/mcp", "", message))


def _prefer(recorder: Recorder, game: str) -> None:
    """Make a move with a minimal answer."""
    recorder.open_unrecorded(95, game=game, seats=[HUMAN] * 3)
    move = recorder.door.moves("seat:0")[0]
    minimal = {"Prefer": "return=minimal"}
    recorder.record("makeMove", "minimal", Sent("POST", "moves", "seat:0", move, minimal))
    recorder.forget("makeMove", "request", "minimal")


def main() -> None:
    """Write the examples and openapi.yaml anew."""
    recorded = record(quiet_app())
    lines = orjson.dumps(recorded, option=orjson.OPT_INDENT_2)
    examples.FILE.write_bytes(lines + b"\n")
    examples.recorded.cache_clear()
    CONTRACT.write_text(contract())


if __name__ == "__main__":
    main()
