"""Scripts that are sent to one server by hand: what becomes of their connections."""

import os
import threading
from typing import Any

import pytest

from service.journal.errors import JournalUnavailable
from service.journal.port import Journal
from service.journal.redis.connection import RawConnections
from service.journal.values import Appended
from tests.service.journal.entries import entry, grow
from tests.service.journal.ports import store_of


def direct_of(journal: Journal) -> RawConnections:
    """Return what sends the journal's scripts."""
    found = store_of(journal).raw
    assert found is not None
    return found


def kept(journal: Journal) -> list[Any]:
    """Return the connections that are kept for scripts."""
    return [connection for connection, _answered in direct_of(journal)._kept]


def test_one_connection_serves_one_thread(redis_journal: Journal) -> None:
    """What was used is used again."""
    grow(redis_journal, "m", 5)

    assert len(kept(redis_journal)) == 1


def test_a_script_that_the_server_has_forgotten_is_sent_again(redis_journal: Journal) -> None:
    """A server that was started anew has no scripts."""
    grow(redis_journal, "m", 1)
    store_of(redis_journal).client.script_flush()

    assert redis_journal.events.append(entry(version=2)) == Appended(2, repeated=False)


def test_a_connection_that_the_server_has_closed_is_opened_again(
    redis_journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it was idle that is noticed before anything is sent, so nothing has to be found out."""
    monkeypatch.setattr("service.journal.redis.connection._FRESH_SECONDS", 0.0)
    grow(redis_journal, "m", 1)
    store_of(redis_journal).client.client_kill_filter(_type="normal", skipme=True)
    monkeypatch.setattr("service.journal.redis.events.RedisEvents.has_landed", _never)

    assert redis_journal.events.append(entry(version=2)) == Appended(2, repeated=False)


def test_a_connection_that_was_closed_in_use_is_opened_again(
    redis_journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody looks whether it is open right after an answer; the commit is still made once."""
    monkeypatch.setattr("service.journal.redis.connection._FRESH_SECONDS", 60.0)
    grow(redis_journal, "m", 1)
    store_of(redis_journal).client.client_kill_filter(_type="normal", skipme=True)

    assert redis_journal.events.append(entry(version=2)) == Appended(2, repeated=False)
    assert len(redis_journal.events.read("m")) == 2
    assert redis_journal.events.append(entry(version=3)) == Appended(3, repeated=False)


def _never(*_arguments: Any) -> bool:
    raise AssertionError("an answer was lost")


def test_a_process_that_was_forked_opens_its_own_connections(redis_journal: Journal) -> None:
    """Two processes on one connection would read each other's answers."""
    grow(redis_journal, "m", 1)
    [of_parent] = kept(redis_journal)

    child = os.fork()
    if child == 0:
        is_own = False
        try:
            is_own = direct_of(redis_journal)._take() is not of_parent
        finally:
            os._exit(0 if is_own else 1)  # whatever happens, this process runs no further tests

    _, status = os.waitpid(child, 0)
    assert status == 0
    assert kept(redis_journal) == [of_parent]


def test_many_threads_append_at_once(redis_journal: Journal) -> None:
    """Each has a connection of its own, and every commit is made."""
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


def test_a_server_that_cannot_be_reached_is_told(redis_journal: Journal) -> None:
    """A connection that cannot be opened is not kept, and is tried again at the next append."""
    direct = direct_of(redis_journal)
    connection = direct._take()
    direct._give_back(connection, is_answered=False)
    path, connection.path = connection.path, "/nowhere"

    with pytest.raises(JournalUnavailable):
        redis_journal.events.append(entry(version=1))
    assert kept(redis_journal) == []

    connection.path = path
    assert redis_journal.events.append(entry(version=1)) == Appended(1, repeated=False)
    assert kept(redis_journal) == [connection]
