"""A server with answers in a wrong form: each command ends with a sentence, and no traceback."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from werkzeug import Request, Response

import giornale_client
from tests.service.ops.cli.conftest import Run
from tests.service.ops.cli.site import served_by

MATCH = "a" * 26
TOKEN = f"gio_{MATCH}_{'x' * 43}"
HASH = "e" * 64
BODIES = {
    "nothing": b"",
    "no JSON": b"<html>",
    "null": b"null",
    "number": b"7",
    "text": b'"seats"',
    "list": b"[]",
    "object": b"{}",
    "nested": b"[" * 100_000,
    "invalid UTF-8": b'{"a": "\xff"}',
    "lists": json.dumps(
        {name: [] for name in ("commits", "keys", "seats", "games", "players", "moves", "next")}
    ).encode(),
    "numbers": json.dumps(
        dict.fromkeys(("commits", "keys", "seats", "games", "players", "moves", "log"), 1)
    ).encode(),
    "lists of numbers": json.dumps(
        {name: [1] for name in ("commits", "keys", "seats", "games", "players", "moves", "data")}
    ).encode(),
    "moves": json.dumps(
        {"moves": [], "version": 1, "seat": 0, "beyond": {}, "waiting_for": {}}
    ).encode(),
    "version and hash": json.dumps({"version": 1, "hash": HASH, "seats": [{}]}).encode(),
}
BOT = ["bot", "{url}", "bot_of_test:choose", "--patience", "0"]
COMMANDS = {
    "bot": [*BOT, "--tokens", "{tokens}"],
    "bot with a key": [*BOT, "--tokens", "{tokens}", "--key", "{key}"],
    "bot that joins": [*BOT, "--join", MATCH],
    "bot that joins with a key": [*BOT, "--join", MATCH, "--key", "{key}"],
    "feed": ["feed", "{url}", "--once", "--patience", "0"],
    "log prove": ["log", "prove", "{url}/v1/matches/" + MATCH],
    "log consistency": ["log", "consistency", "{url}", "{new}", "--policy", "{policy}"],
    "ratings": ["ratings", "{url}"],
    "story": ["story", "{url}/v1/matches/" + MATCH],
    "view": ["view", "{url}/v1/matches/" + MATCH, "-o", "{new}"],
    "verify": ["verify", "{url}/v1/matches/" + MATCH],
    "verify by a page": ["verify", "{url}/matches/" + MATCH],
}


@pytest.fixture
def body() -> list[bytes]:
    """The body of every answer."""
    return [b""]


@pytest.fixture
def url(body: list[bytes]) -> Iterator[str]:
    """The address of a server with one answer to all but the stream of many matches."""

    @Request.application
    def application(request: Request) -> Response:
        if request.path == "/v1/me/stream":  # the bot watches each match by itself then
            return Response(status=404)
        return Response(body[0], content_type="application/json")

    yield from served_by(application)


@pytest.fixture
def places(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The values for the names in the commands."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "bot_of_test.py").write_text("def choose(view, moves):\n    return moves[0]\n")
    (tmp_path / "tokens").write_text(f"{TOKEN}\n")
    (tmp_path / "policy").write_text("log a+e5a3b8a5+AU\nquorum none\n")
    names = ("tokens", "key", "new", "policy")
    return {"url": url.rstrip("/"), **{name: str(tmp_path / name) for name in names}}


def told(result: Result) -> None:
    """Check that a command ended with a sentence, or took the answer as it is."""
    trace = f"{result.output}\n{result.exception!r}"
    assert result.exception is None or isinstance(result.exception, SystemExit), trace
    assert result.exit_code in (0, 1, 2), trace
    assert "Usage:" not in result.output, trace
    assert "Traceback" not in result.output, trace
    assert result.exit_code == 0 or len(result.output.strip()) > 10, trace


@pytest.mark.parametrize("name", COMMANDS)
def test_an_answer_of_a_wrong_form_is_told(
    name: str, run_alone: Run, body: list[bytes], places: dict[str, Any]
) -> None:
    """No body of the table makes a command end with a traceback."""
    words = [word.format(**places) for word in COMMANDS[name]]
    for body[0] in BODIES.values():
        told(run_alone(*words))


PROOF = (
    b"c2sp.org/tlog-proof@v1\nindex 0\n\n"
    b"games.example/log\n1\n" + b"A" * 43 + b"=\n\n\xe2\x80\x94 games.example/log AAAAAAA=\n"
)
NO_PROOFS = {
    "no-proof": (b"<html>", "it is not a proof"),
    "another-version": (PROOF.replace(b"@v1", b"@v2"), "its first line is not"),
    "no-position": (PROOF.replace(b"index 0", b"index x"), "it has no position"),
    "a-hash-cut-off": (PROOF.replace(b"0\n\n", b"0\nAAAA\n\n"), "not a SHA-256 in base64"),
    "no-signature": (PROOF.rpartition(b"\n\n")[0], "the note has no signatures"),
    "a-signature-cut-off": (PROOF[:-3] + b"\n", "invalid base64"),
    "no-size": (PROOF.replace(b"log\n1", b"log\none"), "the note is not a checkpoint"),
    "a-root-cut-off": (PROOF.replace(b"A" * 43 + b"=", b"AAAA"), "does not have 32 bytes"),
    "no-UTF-8": (PROOF.replace(b"games.example/log\n1", b"\xff\n1"), "the note is not UTF-8"),
    "an-escape": (PROOF.replace(b"index", b"extra \x1b[2J\nindex"), "invisible characters"),
    "a-broken-extra": (PROOF.replace(b"index", b"extra \x9b2J\nindex"), "invisible characters"),
}


@pytest.mark.parametrize(("answer", "hint"), NO_PROOFS.values(), ids=NO_PROOFS)
def test_an_answer_that_is_no_proof_is_not_written(
    answer: bytes, hint: str, run_alone: Run, body: list[bytes], places: dict[str, Any]
) -> None:
    """An answer that is no proof is neither saved nor printed. The error names the address."""
    command = [word.format(**places) for word in COMMANDS["log prove"]]
    body[0] = answer

    for result in (run_alone(*command), run_alone(*command, "-o", places["new"])):
        assert result.exit_code == 2
        assert result.output.startswith(f"Error: {places['url']}/v1/matches/{MATCH}/proof answers")
        assert hint in result.output
        assert result.output.count("\n") == 1
    assert not Path(places["new"]).exists()


def test_a_proof_is_written_as_it_came(
    run_alone: Run, body: list[bytes], places: dict[str, Any]
) -> None:
    """A proof is saved unchanged, even with an unsigned line `extra`."""
    body[0] = PROOF.replace(b"index", b"extra AAAA\nindex")
    command = [word.format(**places) for word in COMMANDS["log prove"]]

    assert run_alone(*command, "-o", places["new"]).exit_code == 0
    assert Path(places["new"]).read_bytes() == body[0]


def test_an_error_of_the_function_is_shown_whole(
    run_alone: Run, places: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the bot's function is not hidden, so that its author sees the traceback."""
    (tmp_path / "bot_of_test.py").write_text("def choose(view, moves):\n    return moves['x']\n")
    monkeypatch.delitem(sys.modules, "bot_of_test", raising=False)
    monkeypatch.setattr(
        giornale_client, "play", lambda _client, _tokens, choose, **_: choose({}, [])
    )

    result = run_alone(*(word.format(**places) for word in COMMANDS["bot"]))
    assert isinstance(result.exception, TypeError), result.output
