"""The express way of a move answers as Flask's way does, and leaves the rest to Flask."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from werkzeug.test import EnvironBuilder, TestResponse

from service.journal.errors import JournalUnavailable
from service.journal.values import Appended, Entry
from service.ledger.commit import Json
from service.ledger.record import Accepted
from tests.service.api.conftest import KEY, Door, Make, door_maker, json, opened, problem

# The same question, asked with a query: that is no way for the express.
EXPRESS = "moves"
BY_FLASK = "moves?dry_run=false"
OF_THE_REQUEST = {"X-Request-Id", "RateLimit"}


def without_its_own(answer: TestResponse) -> dict[str, str]:
    """Return the headers of an answer but those that every request has of its own."""
    return {name: value for name, value in answer.headers if name not in OF_THE_REQUEST}


def flask_fails(*_arguments: Any, **_more: Any) -> Any:
    """Stand where the route was."""
    raise AssertionError("the request has come to Flask's route")


@pytest.mark.parametrize("game", ["calimala", "firenze"])
def test_both_ways_answer_alike(door: Door, game: str) -> None:
    """The answer to a repeated move is the same to the byte, and so are its headers."""
    match = opened(door, game)
    move = match.moves("seat:0")[0]
    headers = {"Idempotency-Key": KEY, "If-Match": '"1"'}

    first = match.post(EXPRESS, move, "seat:0", headers=headers)
    again = match.post(EXPRESS, move, "seat:0", headers=headers)
    by_flask = match.post(BY_FLASK, move, "seat:0", headers=headers)

    assert [first.status, again.status, by_flask.status] == ["201 CREATED"] * 3
    assert first.data == again.data == by_flask.data
    assert without_its_own(again) == without_its_own(by_flask)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert without_its_own(first) == {
        name: value
        for name, value in without_its_own(again).items()
        if name != "Idempotent-Replayed"
    }


def test_a_plain_move_does_not_come_to_flask(match: Door) -> None:
    """The express way is taken, and only without a query."""
    move = match.moves("seat:0")[0]
    match.client.application.view_functions["moves.make_move"] = flask_fails

    by_flask = match.post(BY_FLASK, move, "seat:0")
    express = match.post(EXPRESS, move, "seat:0")

    assert by_flask.status_code == 500
    assert express.status_code == 201


# Nobody may make it now, so it is refused at the last if at nothing before.
A_MOVE = {"type": "place_disc", "street": "1-2", "disc": "white"}

Send = Callable[[Door, str], TestResponse]

WRONG: dict[str, Send] = {
    "illegal": lambda door, path: door.post(path, {"type": "pass"}, "seat:0"),
    "unknown-type": lambda door, path: door.post(path, {"type": "fly"}, "seat:0"),
    "no-type": lambda door, path: door.post(path, {}, "seat:0"),
    "with-a-seat": lambda door, path: door.post(path, {"type": "pass", "seat": 0}, "seat:0"),
    "no-object": lambda door, path: door.post(path, [1], "seat:0"),
    "not-the-turn": lambda door, path: door.post(path, A_MOVE, "seat:1"),
    "stale": lambda door, path: door.post(path, A_MOVE, "seat:0", headers={"If-Match": '"9"'}),
    "wrong-if-match": lambda door, path: door.post(
        path, A_MOVE, "seat:0", headers={"If-Match": "nine"}
    ),
    "wrong-key": lambda door, path: door.post(
        path, A_MOVE, "seat:0", headers={"Idempotency-Key": "a b"}
    ),
    "owner": lambda door, path: door.post(path, A_MOVE, "owner"),
    "no-token": lambda door, path: door.post(path, A_MOVE),
    "no-such-token": lambda door, path: door.post(path, A_MOVE, f"gio_{door.match}_{'a' * 43}"),
    "of-another-match": lambda door, path: door.post(path, A_MOVE, f"gio_{'a' * 26}_{'a' * 43}"),
    "no-match": lambda door, path: door.post(
        f"/v1/matches/{'a' * 26}/{path}", {"type": "pass"}, f"gio_{'a' * 26}_{'a' * 43}"
    ),
    "no-json": lambda door, path: door.ask(
        "POST", path, "seat:0", data=b"{", content_type="application/json"
    ),
    "twice": lambda door, path: door.ask(
        "POST", path, "seat:0", data=b'{"a":1,"a":2}', content_type="application/json"
    ),
    "deep": lambda door, path: door.ask(
        "POST",
        path,
        "seat:0",
        data=b'{"a":' * 99 + b"1" + b"}" * 99,
        content_type="application/json",
    ),
    "too-long": lambda door, path: door.ask(
        "POST", path, "seat:0", data=b" " * 100_000, content_type="application/json"
    ),
    "a-form": lambda door, path: door.ask("POST", path, "seat:0", data={"type": "pass"}),
    "empty": lambda door, path: door.ask(
        "POST", path, "seat:0", data=b"", content_type="application/json"
    ),
    "compressed": lambda door, path: door.ask(
        "POST", path, "seat:0", json=A_MOVE, headers={"Content-Encoding": "gzip"}
    ),
    "another-host": lambda door, path: door.post(
        path, {"type": "pass"}, "seat:0", headers={"Host": "evil.example"}
    ),
    "another-site": lambda door, path: door.post(
        path, {"type": "pass"}, "seat:0", headers={"Sec-Fetch-Site": "cross-site"}
    ),
    "get": lambda door, path: door.ask("PUT", path, "seat:0", json={"type": "pass"}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_both_ways_refuse_alike(match: Door, wrong: str) -> None:
    """A problem is the same to the byte, and each refusal counts as one request."""
    send = WRONG[wrong]
    match.post(EXPRESS, match.moves("seat:0")[0], "seat:0")  # so the match and a token are known

    express = send(match, EXPRESS)
    by_flask = send(match, BY_FLASK)

    assert express.status_code >= 400
    assert (express.status, express.data) == (by_flask.status, by_flask.data)
    assert without_its_own(express) == without_its_own(by_flask)


def test_a_refused_move_counts_once(match: Door) -> None:
    """What the express way has counted, Flask does not count again."""
    wrong = {"type": "fly"}
    match.post(EXPRESS, wrong, "seat:0")  # from now on it is the token that counts
    left = [
        int(match.post(EXPRESS, wrong, "seat:0").headers["RateLimit"].split(";")[1][2:])
        for _ in range(3)
    ]

    assert left == [left[0], left[0] - 1, left[0] - 2]


@pytest.fixture
def make(redis_url: str, tmp_path: Any) -> Make:
    """Makes a door with settings of its own."""
    return door_maker(redis_url, tmp_path)


def test_who_asks_too_much_is_refused(make: Make) -> None:
    """The limit holds on the express way, too."""
    match = opened(make(RATE_LIMIT="64", ALLOW_SEED="true"))
    statuses = [match.post(EXPRESS, {"type": "fly"}, "seat:0").status_code for _ in range(70)]

    assert set(statuses) == {422, 429}
    assert statuses[-1] == 429


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
    answer = match.post(EXPRESS, move, "seat:0")

    assert problem(answer) == told
    assert appends == [1]


@pytest.mark.parametrize("path", [EXPRESS, BY_FLASK])
def test_a_move_is_signed_once(match: Door, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """The receipt that is made while the journal answers is the one that is told."""
    signer = match.ctx.signer
    assert signer is not None
    sign = signer.sign
    receipts: list[Any] = []

    def sign_and_note(accepted: Accepted) -> Json:
        receipts.append(sign(accepted))
        return dict(receipts[-1])

    monkeypatch.setattr(signer, "sign", sign_and_note)
    answer = match.post(path, match.moves("seat:0")[0], "seat:0")

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
