"""Commands sent to one server without its client, which is asked where that fails."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.journal.errors import JournalUnavailable
from service.journal.port import Journal
from service.journal.redis import connect
from service.journal.redis.connection import RawConnections
from service.journal.redis.events import RedisEvents
from service.journal.values import Appended
from tests.service.journal.entries import commit, entry, grow
from tests.service.journal.ports import store_of

FRESH_SECONDS = "service.journal.redis.connection._FRESH_SECONDS"


@pytest.fixture
def client(redis_url: str) -> Iterator[Any]:
    """A plain client of a server."""
    plain = connect(redis_url)
    yield plain
    plain.close()


@pytest.fixture
def raw(client: Any) -> RawConnections:
    """Raw connections of that client."""
    return RawConnections(client)


def raw_of(journal: Journal) -> RawConnections:
    """Return the raw connections of a journal."""
    found = store_of(journal).raw
    assert found is not None
    return found


def kept(journal: Journal) -> list[Any]:
    """Return the connections that are kept."""
    return [connection for connection, _answered in raw_of(journal)._kept]


def kill_connections(client: Any) -> None:
    """Let a server close all connections but that of the command."""
    client.client_kill_filter(_type="normal", skipme=True)


def interrupt() -> None:
    """Interrupt, as Ctrl-C does."""
    raise KeyboardInterrupt


# ---- questions --------------------------------------------------------------------------------


def test_answers_come_in_the_order_of_the_commands(client: Any, raw: RawConnections) -> None:
    """However long they are, and whether there is something or nothing."""
    client.set("long", b"x" * 300_000)
    client.set("short", b"y")

    for _ in range(3):
        answers = raw.query(("GET", "long"), ("GET", "none"), ("GET", b"short"), ("STRLEN", "long"))
        assert answers == [b"x" * 300_000, None, b"y", 300_000]


def test_an_error_is_no_answer(client: Any, raw: RawConnections) -> None:
    """The caller is to ask in the ordinary way, and the next question is answered again."""
    client.rpush("list", "one")
    client.set("short", b"y")

    assert raw.query(("GET", "short"), ("GET", "list"), ("GET", "short")) is None
    assert raw.query(("LLEN", "list")) == [1]


def test_no_server_is_no_answer(tmp_path: Path) -> None:
    """The ordinary way says what is wrong."""
    away = connect(f"unix://{tmp_path}/none.sock")

    assert RawConnections(away).query(("PING",)) is None


def test_an_interruption_leaves_no_answer_to_the_next(
    client: Any, raw: RawConnections, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C may come between two answers; the connection with the second is closed."""
    client.set("first", b"1")
    client.set("second", b"2")
    raw.query(("PING",))
    [(connection, _answered)] = raw._kept
    read = connection.read_response
    interrupted = iter([read, interrupt])
    monkeypatch.setattr(connection, "read_response", lambda: next(interrupted, read)())

    with pytest.raises(KeyboardInterrupt):
        raw.query(("GET", "first"), ("GET", "second"))

    assert not raw._kept
    assert raw.query(("GET", "first")) == [b"1"]


def test_a_connection_closed_while_idle_is_opened_again(
    client: Any, raw: RawConnections, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is noticed before anything is asked."""
    monkeypatch.setattr(FRESH_SECONDS, 0.0)
    assert raw.query(("PING",)) == [b"PONG"]
    kill_connections(client)

    assert raw.query(("PING",)) == [b"PONG"]


def test_a_connection_closed_in_use_answers_nothing(
    client: Any, raw: RawConnections, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller is to ask in the ordinary way, and the next question is answered again."""
    monkeypatch.setattr(FRESH_SECONDS, 60.0)
    assert raw.query(("PING",)) == [b"PONG"]
    kill_connections(client)

    assert raw.query(("PING",)) is None
    assert raw.query(("PING",)) == [b"PONG"]


def test_a_journal_is_read_while_its_connections_break(client: Any, redis_journal: Journal) -> None:
    """Its readers notice nothing."""
    commit(redis_journal, "m")
    whole = redis_journal.events.tail("m", 0, "")

    for _ in range(3):
        kill_connections(client)
        assert redis_journal.events.tail("m", 0, "") == whole
        assert redis_journal.events.read("m") == whole.commits
        assert redis_journal.events.overviews([("m", ("x",))]) == [(whole.head, {})]


# ---- scripts ----------------------------------------------------------------------------------


def test_a_script_that_the_server_has_forgotten_is_sent_again(
    client: Any, redis_journal: Journal
) -> None:
    """A server that was started anew has no scripts."""
    grow(redis_journal, "m", 1)
    client.script_flush()

    assert redis_journal.events.append(entry(version=2)) == Appended(2, repeated=False)


def test_an_append_over_a_connection_closed_while_idle_is_not_in_doubt(
    client: Any, redis_journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is noticed before anything is sent, so nothing has to be found out."""
    monkeypatch.setattr(FRESH_SECONDS, 0.0)
    grow(redis_journal, "m", 1)
    kill_connections(client)
    monkeypatch.setattr(RedisEvents, "has_landed", lambda *_: pytest.fail("an answer was lost"))

    assert redis_journal.events.append(entry(version=2)) == Appended(2, repeated=False)


def test_an_append_over_a_connection_closed_in_use_is_made_once(
    client: Any, redis_journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No look tells whether it is open right after an answer; the commit is still made once."""
    monkeypatch.setattr(FRESH_SECONDS, 60.0)
    grow(redis_journal, "m", 1)
    kill_connections(client)

    assert redis_journal.events.append(entry(version=2)) == Appended(2, repeated=False)
    assert len(redis_journal.events.read("m")) == 2
    assert redis_journal.events.append(entry(version=3)) == Appended(3, repeated=False)


def test_an_answer_that_was_not_read_reaches_no_other_append(
    redis_journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection of an interrupted append is closed, with the answer that still comes."""
    grow(redis_journal, "m", 1)
    [connection] = kept(redis_journal)
    monkeypatch.setattr(connection, "read_response", interrupt)
    with pytest.raises(KeyboardInterrupt):
        redis_journal.events.append(entry(version=2))

    monkeypatch.undo()
    assert kept(redis_journal) == []
    redis_journal.events.append(entry("other", version=1))
    assert len(redis_journal.events.read("other")) == 1
    assert len(redis_journal.events.read("m")) in (1, 2)
    assert redis_journal.events.append(entry("other", version=2)) == Appended(2, repeated=False)


# ---- connections ------------------------------------------------------------------------------


def test_one_connection_serves_one_thread(redis_journal: Journal) -> None:
    """What was used is used again."""
    grow(redis_journal, "m", 5)

    assert len(kept(redis_journal)) == 1


def test_many_threads_append_at_once(redis_journal: Journal) -> None:
    """Each has a connection to itself, and every commit is made."""
    threads = [
        threading.Thread(target=grow, args=(redis_journal, f"m{number}", 20)) for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    counts = [len(redis_journal.events.read(f"m{number}")) for number in range(8)]
    assert counts == [20] * 8
    assert len(kept(redis_journal)) <= 8


def test_a_process_that_was_forked_opens_its_own_connections(redis_journal: Journal) -> None:
    """Two processes on one connection would read each other's answers."""
    grow(redis_journal, "m", 1)
    [of_parent] = kept(redis_journal)

    child = os.fork()
    if child == 0:
        is_own = False
        try:
            is_own = raw_of(redis_journal)._take() is not of_parent
        finally:
            os._exit(0 if is_own else 1)  # whatever happens, this process runs no further tests

    _, status = os.waitpid(child, 0)
    assert status == 0
    assert kept(redis_journal) == [of_parent]


def test_a_connection_that_cannot_be_opened_is_not_kept(redis_journal: Journal) -> None:
    """It is tried again at the next append."""
    raw = raw_of(redis_journal)
    connection = raw._take()
    raw._give_back(connection, is_answered=False)
    path, connection.path = connection.path, "/nowhere"

    with pytest.raises(JournalUnavailable):
        redis_journal.events.append(entry(version=1))
    assert kept(redis_journal) == []

    connection.path = path
    assert redis_journal.events.append(entry(version=1)) == Appended(1, repeated=False)
    assert kept(redis_journal) == [connection]
