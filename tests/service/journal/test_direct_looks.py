"""Looks that take the direct way: the same answers, and the ordinary way where it fails."""

from collections.abc import Iterator
from typing import Any

import pytest

from service.journal.memory import memory_journal
from service.journal.port import Journal
from service.journal.redis import connect
from service.journal.redis.connection import RawConnections
from tests.service.journal.entries import commit


@pytest.fixture
def client(redis_url: str) -> Iterator[Any]:
    """A plain client of a server."""
    plain = connect(redis_url)
    yield plain
    plain.close()


@pytest.fixture
def direct(client: Any) -> RawConnections:
    """The direct way to the same server."""
    return RawConnections(client)


def test_answers_come_in_the_order_of_the_commands(client: Any, direct: RawConnections) -> None:
    """However long they are, and whether there is something or nothing."""
    client.set("long", b"x" * 300_000)
    client.set("short", b"y")

    for _ in range(3):
        answers = direct.query(
            ("GET", "long"), ("GET", "none"), ("GET", b"short"), ("STRLEN", "long")
        )
        assert answers == [b"x" * 300_000, None, b"y", 300_000]


def test_an_error_is_no_answer(client: Any, direct: RawConnections) -> None:
    """The caller is to ask in the ordinary way, and the next question is answered again."""
    client.rpush("list", "one")
    client.set("short", b"y")

    assert direct.query(("GET", "short"), ("GET", "list"), ("GET", "short")) is None
    assert direct.query(("LLEN", "list")) == [1]


def test_a_connection_that_the_server_has_closed_is_opened_again(
    client: Any, direct: RawConnections, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it was idle that is noticed before anything is asked."""
    monkeypatch.setattr("service.journal.redis.connection._FRESH_SECONDS", 0.0)
    assert direct.query(("PING",)) == [b"PONG"]
    client.client_kill_filter(_type="normal", skipme=True)

    assert direct.query(("PING",)) == [b"PONG"]


def test_a_connection_that_was_closed_in_use_answers_nothing(
    client: Any, direct: RawConnections, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller is to ask in the ordinary way, and the next question is answered again."""
    monkeypatch.setattr("service.journal.redis.connection._FRESH_SECONDS", 60.0)
    assert direct.query(("PING",)) == [b"PONG"]
    client.client_kill_filter(_type="normal", skipme=True)

    assert direct.query(("PING",)) is None
    assert direct.query(("PING",)) == [b"PONG"]


def test_an_interruption_leaves_no_answer_to_the_next(
    client: Any, direct: RawConnections, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C may come between two answers; the connection with the second is closed."""
    client.set("first", b"1")
    client.set("second", b"2")
    direct.query(("PING",))
    [(connection, _answered)] = direct._kept
    read = connection.read_response
    interrupted = iter([read, _interrupt])
    monkeypatch.setattr(connection, "read_response", lambda: next(interrupted, read)())

    with pytest.raises(KeyboardInterrupt):
        direct.query(("GET", "first"), ("GET", "second"))

    assert not direct._kept
    assert direct.query(("GET", "first")) == [b"1"]


def _interrupt() -> None:
    raise KeyboardInterrupt


def test_no_server_is_no_answer(tmp_path: Any) -> None:
    """The ordinary way says what is wrong."""
    nobody = connect(f"unix://{tmp_path}/nobody.sock")

    assert RawConnections(nobody).query(("PING",)) is None


def test_a_journal_is_read_while_its_connections_break(client: Any, redis_journal: Journal) -> None:
    """Whoever reads notices nothing."""
    commit(redis_journal, "m")
    whole = redis_journal.events.tail("m", 0, "")

    for _ in range(3):
        client.client_kill_filter(_type="normal", skipme=True)
        assert redis_journal.events.tail("m", 0, "") == whole
        assert redis_journal.events.read("m") == whole.commits
        assert redis_journal.events.overviews([("m", ("x",))]) == [(whole.head, {})]


def test_the_mark_of_what_is_written_changes_with_every_write(redis_journal: Journal) -> None:
    """Reading changes nothing of it; commits, metadata and deletions do."""
    marks = [redis_journal.index.written()]
    commit(redis_journal, "m")
    marks.append(redis_journal.index.written())
    redis_journal.metadata.put("m", {"name:0": "x"})
    marks.append(redis_journal.index.written())
    redis_journal.index.listing("", None, 5)
    redis_journal.events.tail("m", 0, "")

    assert "" not in marks
    assert len(set(marks)) == len(marks)
    assert redis_journal.index.written() == marks[-1]


def test_a_mark_does_not_come_again_when_the_server_saves(
    client: Any, redis_journal: Journal
) -> None:
    """Its count of changes begins anew, and two saves may be within a second."""
    marks = []
    for number in range(5):
        client.save()
        client.set("key", number)
        marks.append(redis_journal.index.written())

    assert len(set(marks)) == len(marks)


def test_memory_cannot_tell_what_was_written() -> None:
    """So nobody takes an equal mark for a promise."""
    assert memory_journal().index.written() == ""
