"""The examples of the contract, recorded from real answers; and openapi.yaml, written from both.

`python -m tests.service.api.recording` writes service/api/examples.json and openapi.yaml anew.
"""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import orjson
import yaml
from flask import Flask

from domain.games import GAMES
from service.api.app import create_app
from service.api.contract import examples
from service.api.contract.openapi import document as openapi
from service.api.routes import streams
from service.config import Config
from service.journal.memory import MemoryJournal
from service.matches.desk import Desk
from tests.service.api.conftest import KEY, Door, json

CONTRACT = Path(__file__).parents[3] / "openapi.yaml"
START = 1_772_388_000_000  # 2026-03-01T18:00:00Z
Recorded = dict[str, dict[str, dict[str, Any]]]


def quiet_app() -> Flask:
    """Return the application over a journal in memory, on which everything happens alike each time."""
    app = create_app(
        Config.load({"GIORNALE_JOURNAL_URL": "redis://127.0.0.1:1", "GIORNALE_SECRET": "x" * 32})
    )
    ticks: Iterator[int] = count(START, 1000)
    app.extensions["desk"] = Desk(
        MemoryJournal(), b"s" * 32, lambda: next(ticks), lambda *_: None, allow_seed=True
    )
    app.extensions["rate_limit"] = app.extensions["openings"] = None
    return app


_ID, _HASH = "a" * 26, "0" * 64
_AUDIT: dict[str, Any] = {"match": _ID, "version": 2, "done": 1, "report": None}
_REPORT: dict[str, Any] = {
    "ok": True, "verdict": "right", "wrong": None,
    "match": _ID, "game": "calimala", "rules": "calimala/1", "commits": 2, "hash": _HASH,
    "status": "running", "outcome": None, "redacted": False, "ended": False, "folded": 2, "decided": 2, "unchecked": [],
    "notes": [],
}  # fmt: skip
_KEY = {
    "id": "8048",
    "algorithm": "Ed25519",
    "public": _HASH,
    "from": "2026-03-01T18:00:00.000Z",
    "until": None,
}
# What does not happen alike each time, or not without workers.
UNRECORDED: Recorded = {
    "isReady": {"200": {"ready": {"status": "ok"}}, "503": {"unready": {"status": "unready"}}},
    "getMetrics": {
        "text/plain": {
            "some": 'giornale_conflicts_total 3.0\ngiornale_queued_jobs{queue="bots"} 0.0\n'
        }
    },
    "listKeys": {"200": {"one": {"keys": [_KEY]}}},
    "auditMatch": {
        "200": {"done": {**_AUDIT, "done": 2, "report": _REPORT}},
        "202": {"under-way": _AUDIT},
    },
    "getAudit": {
        "200": {"done": {**_AUDIT, "done": 2, "report": _REPORT}},
        "202": {"under-way": _AUDIT},
    },
    "importRecord": {
        "200": {"here": {"match": _ID, "commits": 3}},
        "201": {"new": {"match": _ID, "commits": 3}},
    },
}


class Recorder:
    """A door that writes down what goes through it."""

    def __init__(self, app: Flask) -> None:
        self.door = Door(app.test_client(), app.extensions["desk"])
        self.held: Recorded = {}

    def __call__(
        self,
        operation: str,
        name: str,
        method: str,
        path: str,
        who: str = "",
        body: Any = None,
        **more: Any,
    ) -> Any:
        """Send a request, keep both sides as an example of the operation, and return the answer."""
        sent = {} if body is None else {"json": body}
        answer = self.door.ask(method, path, who, **sent, **more)
        assert answer.status_code < 400 or operation == "problems", answer.text
        if operation == "problems":
            self.held.setdefault("problems", {})[json(answer)["type"].rpartition("/")[2]] = json(
                answer
            )
            return json(answer)
        kept = self.held.setdefault(operation, {})
        if body is not None:
            kept.setdefault("request", {})[name] = body
        value = json(answer) if answer.mimetype == "application/json" else answer.text
        part = (
            str(answer.status_code)
            if answer.mimetype == "application/json"
            else str(answer.mimetype)
        )
        if answer.data:
            kept.setdefault(part, {})[name] = value
        return value

    def open(self, name: str, number: int, **more: Any) -> None:
        """Open a match and take its tokens."""
        body = {"seed": "example", **more}
        key = {"Idempotency-Key": f"{KEY}-{number}"}
        made = self("openMatch", name, "POST", "/v1/matches", body=body, headers=key)
        del self.held["openMatch"]["request"][name]["seed"]
        self.door.match, self.door.tokens = made["id"], made["tokens"]


def record(app: Flask) -> Recorded:
    """Return the examples by operation, part and name: one good one of each, since each is read by everybody."""
    ask = Recorder(app)
    first, *others = GAMES
    with mock.patch("secrets.token_hex", return_value="0" * 32):
        _play(ask, first)
        for number, game in enumerate(others, 1):
            _begin(ask, game, number)
        _export(ask, first)
        _meet(ask, first)
        _err(ask)
    listed = ask("listGames", first, "GET", "/v1/games")
    listed["games"] = listed["games"][:1]
    ask("getGame", first, "GET", f"/v1/games/{first}")
    ask("listMatches", "newest", "GET", "/v1/matches?limit=1")
    ask("isAlive", "alive", "GET", "/livez")
    for operation, parts in UNRECORDED.items():
        ask.held.setdefault(operation, {}).update(parts)
    return ask.held


def _play(ask: Recorder, game: str) -> None:
    """Open a match, make a move, and ask for everything that can be asked about it."""
    seats = [{"kind": "human", "name": "Cosimo"}, {"kind": "human"}, {"kind": "human"}]
    ask.open(game, 0, game=game, seats=seats)
    state = ask("getState", game, "GET", "state", "seat:0")
    who = f"seat:{state['waiting_for']['seats'][0]}"
    legal = ask("getMoves", game, "GET", "moves", who)
    move = legal["moves"][0]
    legal["moves"] = legal["moves"][:3]
    ask("makeMove", game, "POST", "moves?dry_run=true", who, move)
    commit = ask("makeMove", game, "POST", "moves", who, move)
    ask("getCommit", game, "GET", "commits/2", who)
    ask("getDiff", game, "GET", "diff?from=1&to=2", who)
    ask("listCommits", game, "GET", "commits?after=1&limit=1")
    ask("listCommits", game, "GET", "commits?after=1", headers={"Accept": "application/x-ndjson"})
    ask("getMatch", game, "GET", "")
    event = streams.event(commit).decode()
    lines = {game: f"retry: 2000\n\n{event}: beat\n\n"}
    ask.held.setdefault("streamMatch", {}).setdefault("text/event-stream", {}).update(lines)


def _begin(ask: Recorder, game: str, number: int) -> None:
    """Open a match of another game and make a move: its requests look different, its answers much the same."""
    ask.open(game, number, game=game, seats=[{"kind": "human"}, {"kind": "bot", "level": "random"}])
    del ask.held["openMatch"]["201"][game]
    move = json(ask.door.get("moves", "seat:0"))["moves"][0]
    ask.held["makeMove"]["request"][game] = move


def _export(ask: Recorder, game: str) -> None:
    """Export the shortest whole record there is: of a match that was opened and aborted."""
    seats = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]
    ask.open("aborted", 89, game=game, seats=seats)
    del ask.held["openMatch"]["request"]["aborted"], ask.held["openMatch"]["201"]["aborted"]
    ask.door.post("abort", None, "owner")
    ask.door.house()
    lines = ask("getRecord", "record", "GET", "record")
    ask.held.setdefault("importRecord", {"request": {"record": lines}})


def _meet(ask: Recorder, game: str) -> None:
    seats = [{"kind": "human", "name": "Cosimo"}, {"kind": "open"}, {"kind": "open"}]
    ask.open("invitation", 90, game=game, seats=seats, visibility="private")
    del ask.held["openMatch"]["201"]["invitation"]
    key = {"Idempotency-Key": f"{KEY}-join"}
    joined = ask(
        "joinMatch", "invited", "POST", "seats/1", "invitation", {"name": "Contessina"}, headers=key
    )
    ask.door.tokens["seat:1"] = joined["token"]
    ask("leaveMatch", "leave", "DELETE", "seats/1", "seat:1")
    for seat in (1, 2):
        ask.door.post(f"seats/{seat}/bot", {"level": "greedy"}, "owner")
    ask("startMatch", "start", "POST", "start", "owner")
    ask("putBot", "stand-in", "POST", "seats/0/bot", "owner", {"level": "greedy"})
    ask("dismissBot", "back", "DELETE", "seats/0/bot", "owner")
    ask(
        "replaceToken",
        "own",
        "POST",
        "tokens",
        "owner",
        {},
        headers={"Idempotency-Key": f"{KEY}-rotate"},
    )
    ask.door.tokens["owner"] = ask.held["replaceToken"]["201"]["own"]["token"]
    ask("revokeToken", "spectator", "DELETE", "tokens/spectator", "owner")
    ask("abortMatch", "abort", "POST", "abort", "owner")


def _err(ask: Recorder) -> None:
    ask.open("again", 91, game=next(iter(GAMES)), seats=[{"kind": "human"}] * 3)
    del ask.held["openMatch"]["request"]["again"], ask.held["openMatch"]["201"]["again"]
    seat = json(ask.door.get())["waiting_for"]["seats"][0]
    who, legal = f"seat:{seat}", ask.door.moves(f"seat:{seat}")
    wrong: list[dict[str, Any]] = [
        {"path": "moves", "body": {"type": "castle"}},
        {"path": "moves", "body": legal[0], "headers": {"If-Match": '"7"'}},
        {"path": "moves", "body": legal[0], "who": ""},
        {"path": "start", "body": {}},
        {"path": "moves", "body": {"type": "end_activation"}},
    ]
    for one in wrong:
        ask(
            "problems",
            "",
            "POST",
            one["path"],
            one.get("who", who),
            one["body"],
            headers=one.get("headers", {}),
        )
    ask("problems", "", "GET", f"/v1/matches/{'a' * 26}")


LINE = 112  # characters of plain values that are written on one line


class _Dumper(yaml.SafeDumper):
    """Writes paragraphs as they are, and what is short and plain on one line."""

    def represent_str(self, text: str) -> yaml.ScalarNode:
        """Return a text with line ends as a literal block."""
        return self.represent_scalar(
            "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
        )

    def represent_values(self, values: list[Any]) -> yaml.SequenceNode:
        """Return a list of plain values as a line, any other as a block."""
        return self.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=_plain(values))

    def represent_object(self, members: dict[str, Any]) -> yaml.MappingNode:
        """Return a short object of plain values as a line, any other as a block."""
        short = all(isinstance(value, list) or _plain([value]) for value in members.values())
        short = short and len(orjson.dumps(members)) < LINE
        return self.represent_mapping("tag:yaml.org,2002:map", members, flow_style=short)


def _plain(values: list[Any]) -> bool:
    return not any(isinstance(value, dict | list) or "\n" in str(value) for value in values)


_Dumper.add_representer(str, _Dumper.represent_str)
_Dumper.add_representer(list, _Dumper.represent_values)
_Dumper.add_representer(dict, _Dumper.represent_object)


def contract() -> str:
    """Return openapi.yaml as it should be."""
    document = openapi.document(quiet_app())
    return yaml.dump(
        orjson.loads(orjson.dumps(document)),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=120,
    )


def main() -> None:
    """Write both files anew."""
    recorded = record(quiet_app())
    examples.FILE.write_bytes(orjson.dumps(recorded, option=orjson.OPT_INDENT_2) + b"\n")
    examples.recorded.cache_clear()
    CONTRACT.write_text(contract())


if __name__ == "__main__":
    main()
