"""Moves over HTTP: what is wrong with one is said, and nothing is done twice."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from werkzeug.test import EnvironBuilder, TestResponse

from service.journal.errors import JournalUnavailable
from service.journal.values import Appended, Entry
from service.ledger.commit import Json
from service.ledger.record import Accepted
from tests.service.api.conftest import Door, json, problem

# Nobody may make it now, so it is refused at the last if at nothing before.
A_MOVE = {"type": "place_disc", "street": "1-2", "disc": "white"}

Send = Callable[[Door], TestResponse]

WRONG: dict[str, tuple[tuple[int, str], Send]] = {
    "without-its-fields": (
        (422, "invalid-request"),
        lambda door: door.post("moves", {"type": "pass"}, "seat:0"),
    ),
    "unknown-type": (
        (422, "invalid-request"),
        lambda door: door.post("moves", {"type": "fly"}, "seat:0"),
    ),
    "no-type": ((422, "invalid-request"), lambda door: door.post("moves", {}, "seat:0")),
    "with-a-seat": (
        (422, "invalid-request"),
        lambda door: door.post("moves", {"type": "pass", "seat": 0}, "seat:0"),
    ),
    "no-object": ((422, "invalid-request"), lambda door: door.post("moves", [1], "seat:0")),
    "not-the-turn": ((409, "illegal-move"), lambda door: door.post("moves", A_MOVE, "seat:1")),
    "stale": (
        (412, "stale-version"),
        lambda door: door.post("moves", A_MOVE, "seat:0", headers={"If-Match": '"9"'}),
    ),
    "wrong-if-match": (
        (422, "invalid-request"),
        lambda door: door.post("moves", A_MOVE, "seat:0", headers={"If-Match": "nine"}),
    ),
    "wrong-key": (
        (422, "invalid-request"),
        lambda door: door.post("moves", A_MOVE, "seat:0", headers={"Idempotency-Key": "a b"}),
    ),
    "owner": ((403, "forbidden"), lambda door: door.post("moves", A_MOVE, "owner")),
    "no-token": ((401, "unauthorized"), lambda door: door.post("moves", A_MOVE)),
    "no-such-token": (
        (401, "unauthorized"),
        lambda door: door.post("moves", A_MOVE, f"gio_{door.match}_{'a' * 43}"),
    ),
    "of-another-match": (
        (403, "forbidden"),
        lambda door: door.post("moves", A_MOVE, f"gio_{'a' * 26}_{'a' * 43}"),
    ),
    "no-match": (
        (401, "unauthorized"),
        lambda door: door.post(
            f"/v1/matches/{'a' * 26}/moves", {"type": "pass"}, f"gio_{'a' * 26}_{'a' * 43}"
        ),
    ),
    "no-json": (
        (400, "malformed-json"),
        lambda door: door.ask(
            "POST", "moves", "seat:0", data=b"{", content_type="application/json"
        ),
    ),
    "twice": (
        (400, "malformed-json"),
        lambda door: door.ask(
            "POST", "moves", "seat:0", data=b'{"a":1,"a":2}', content_type="application/json"
        ),
    ),
    "deep": (
        (400, "malformed-json"),
        lambda door: door.ask(
            "POST",
            "moves",
            "seat:0",
            data=b'{"a":' * 99 + b"1" + b"}" * 99,
            content_type="application/json",
        ),
    ),
    "too-long": (
        (413, "too-large"),
        lambda door: door.ask(
            "POST", "moves", "seat:0", data=b" " * 100_000, content_type="application/json"
        ),
    ),
    "a-form": (
        (415, "unsupported-media-type"),
        lambda door: door.ask("POST", "moves", "seat:0", data={"type": "pass"}),
    ),
    "empty": (
        (400, "malformed-json"),
        lambda door: door.ask("POST", "moves", "seat:0", data=b"", content_type="application/json"),
    ),
    "compressed": (
        (415, "unsupported-media-type"),
        lambda door: door.ask(
            "POST", "moves", "seat:0", json=A_MOVE, headers={"Content-Encoding": "gzip"}
        ),
    ),
    "another-host": (
        (421, "misdirected"),
        lambda door: door.post(
            "moves", {"type": "pass"}, "seat:0", headers={"Host": "evil.example"}
        ),
    ),
    "another-site": (
        (403, "cross-site"),
        lambda door: door.post(
            "moves", {"type": "pass"}, "seat:0", headers={"Sec-Fetch-Site": "cross-site"}
        ),
    ),
    "put": (
        (405, "method-not-allowed"),
        lambda door: door.ask("PUT", "moves", "seat:0", json={"type": "pass"}),
    ),
}


@pytest.mark.parametrize(("expected", "send"), WRONG.values(), ids=WRONG)
def test_a_wrong_move_is_refused(match: Door, expected: tuple[int, str], send: Send) -> None:
    """The problem says in which way, also when the match and the token are known already."""
    assert send(match).status_code == expected[0]
    match.post("moves", match.moves("seat:0")[0], "seat:0")

    assert problem(send(match)) == expected


def test_a_refused_move_counts_once(match: Door) -> None:
    """Each refusal uses up one request of the caller."""
    wrong = {"type": "fly"}
    match.post("moves", wrong, "seat:0")  # from now on it is the token that counts
    left = [
        int(match.post("moves", wrong, "seat:0").headers["RateLimit"].split(";")[1][2:])
        for _ in range(3)
    ]

    assert left == [left[0], left[0] - 1, left[0] - 2]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (JournalUnavailable("away"), (503, "journal-unavailable")),
        (ZeroDivisionError("nobody has thought of it"), (500, "internal")),
    ],
    ids=["journal", "unexpected"],
)
def test_nothing_is_done_twice(
    match: Door, monkeypatch: pytest.MonkeyPatch, error: Exception, told: tuple[int, str]
) -> None:
    """What fails in the append is told by Flask, without another append: the first may land."""
    move = match.moves("seat:0")[0]
    appends: list[int] = []

    def fail(entry: Entry) -> Appended:
        appends.append(entry.expected)
        raise error

    monkeypatch.setattr(match.ctx.journal.events, "append", fail)
    answer = match.post("moves", move, "seat:0")

    assert problem(answer) == told
    assert appends == [1]


def test_a_move_is_signed_once(match: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """The receipt that is made while the journal answers is the one that is told."""
    signer = match.ctx.signer
    assert signer is not None
    sign = signer.sign
    receipts: list[Any] = []

    def sign_and_note(accepted: Accepted) -> Json:
        receipts.append(sign(accepted))
        return dict(receipts[-1])

    monkeypatch.setattr(signer, "sign", sign_and_note)
    answer = match.post("moves", match.moves("seat:0")[0], "seat:0")

    assert receipts == [json(answer)["receipt"]]


class InPieces(io.RawIOBase):
    """A body that comes byte by byte, and perhaps ends too soon."""

    def __init__(self, whole: bytes) -> None:
        self._left = iter(whole)

    def read(self, _size: int = -1, /) -> bytes:
        """Return the next byte, b"" at the end."""
        byte = next(self._left, None)
        return b"" if byte is None else bytes([byte])


@pytest.mark.parametrize(("missing", "status"), [(0, "201"), (1, "400")])
def test_a_body_is_read_to_its_end(match: Door, missing: int, status: str) -> None:
    """Pieces are put together; a sender that goes away has sent nothing that counts."""
    token = match.tokens["seat:0"]
    builder = EnvironBuilder(
        f"/v1/matches/{match.match}/moves",
        method="POST",
        json=match.moves("seat:0")[0],
        headers=[("Authorization", f"Bearer {token}")],
    )
    environ = builder.get_environ()
    body = environ["wsgi.input"].read()
    environ["wsgi.input"] = InPieces(body[: len(body) - missing])

    answer = match.client.run_wsgi_app(environ)

    assert answer[1].startswith(status)
