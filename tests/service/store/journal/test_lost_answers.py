"""Lost answers of the journal in Redis, and the connections it keeps without a client.

A command may have run although no answer came. None is made twice, or taken for another one.
"""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest
from redis.client import Pipeline
from redis.connection import UnixDomainSocketConnection
from redis.exceptions import ConnectionError as Unreachable

from service.store.journal.errors import Conflict, JournalError, JournalUnavailable
from service.store.journal.ports import Journal
from service.store.journal.redis import connect
from service.store.journal.redis.connection import RawConnections
from service.store.journal.redis.events import RedisEvents
from service.store.journal.redis.store import RedisStore
from service.store.journal.values import Appended, Entry, Generation, Tombstone
from tests.service.store.journal.entries import LEASES_MS, commit, entry, everything, grow
from tests.service.store.journal.ports import ARGUMENTS, METHODS, store_of

# "request": the script never arrives. "reply": it runs, and its answer is lost.
What = Literal["request", "reply"]
Lose = Callable[[What, int], None]

_SCRIPT = b"\r\nEVALSHA\r\n"

either_way = pytest.mark.parametrize("what", ["request", "reply"])


@pytest.fixture
def lose(monkeypatch: pytest.MonkeyPatch) -> Lose:
    """Breaks the connection of a script, a number of times from now on."""

    def lose_from_now_on(what: What, times: int) -> None:
        breaks = iter(range(times))
        send: Any = UnixDomainSocketConnection.send_packed_command
        receive: Any = UnixDomainSocketConnection.read_response
        with_a_script: set[Any] = set()

        def perhaps_break(connection: Any) -> None:
            if next(breaks, None) is not None:
                connection.disconnect()
                raise Unreachable("the connection was lost")

        def send_packed(connection: Any, command: Any, **options: object) -> None:
            is_script = _SCRIPT in b"".join(command)
            if is_script:
                with_a_script.add(connection)
            else:
                with_a_script.discard(connection)

            if is_script and what == "request":
                perhaps_break(connection)
            send(connection, command, **options)

        def read_response(connection: Any, *args: object, **options: object) -> object:
            response = receive(connection, *args, **options)
            if connection in with_a_script and what == "reply":
                perhaps_break(connection)
            return response

        monkeypatch.setattr(UnixDomainSocketConnection, "send_packed_command", send_packed)
        monkeypatch.setattr(UnixDomainSocketConnection, "read_response", read_response)

    return lose_from_now_on


# ---- appends -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command_id", ["", "c"], ids=["without-id", "with-id"])
@either_way
def test_an_append_without_an_answer_lands_once(
    redis_journal: Journal, lose: Lose, what: What, command_id: str
) -> None:
    """A retried append is answered as an append, not as a repeat."""
    grow(redis_journal, "m", 3)
    lose(what, 1)
    appended = redis_journal.events.append(entry(version=4, command_id=command_id))

    assert appended == Appended(4, repeated=False)
    assert len(redis_journal.events.read("m")) == 4


@either_way
def test_a_lost_answer_is_not_taken_from_another(
    redis_journal: Journal, lose: Lose, what: What
) -> None:
    """After a broken connection, another commit at this version is a conflict."""
    grow(redis_journal, "m", 4)
    lose(what, 1)

    with pytest.raises(Conflict) as refused:
        redis_journal.events.append(entry(version=4, commit_bytes=b"mine"))
    assert refused.value.version == 4


@either_way
def test_equal_bytes_of_another_request_are_no_repeat(
    redis_journal: Journal, lose: Lose, what: What
) -> None:
    """Two requests for one move in one millisecond differ in their keys alone.

    One makes the commit. The other is refused, so that no key is acknowledged and then unknown.
    """
    grow(redis_journal, "m", 3)
    redis_journal.events.append(entry(version=4, command_id="one"))
    lose(what, 1)

    with pytest.raises(Conflict) as refused:
        redis_journal.events.append(entry(version=4, command_id="other"))
    assert refused.value.version == 4
    assert redis_journal.events.version_made("m", "other", entry().fingerprint) is None


@either_way
def test_a_repeated_request_is_answered_with_its_earlier_commit(
    redis_journal: Journal, lose: Lose, what: What
) -> None:
    """If another process has committed the same request, its commit is the answer."""
    grow(redis_journal, "m", 3)
    redis_journal.events.append(entry(version=4, command_id="one", commit_bytes=b"theirs"))
    lose(what, 1)

    appended = redis_journal.events.append(entry(version=4, command_id="one", commit_bytes=b"mine"))
    assert appended == Appended(4, repeated=True)
    assert redis_journal.events.read("m", after=3) == [b"theirs"]


def test_a_commit_that_lands_late_is_recognised(
    redis_journal: Journal, lose: Lose, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the first try lands after the check for it, the second try recognizes its own commit."""
    has_landed = RedisEvents.has_landed
    looks = []

    def not_at_the_first_look(events: RedisEvents, new: Entry) -> bool:
        looks.append(new)
        return len(looks) > 1 and has_landed(events, new)

    monkeypatch.setattr(RedisEvents, "has_landed", not_at_the_first_look)
    lose("reply", 1)

    assert redis_journal.events.append(entry()) == Appended(1, repeated=False)
    assert len(redis_journal.events.read("m")) == 1


@either_way
def test_a_repeatable_command_is_tried_twice_and_not_three_times(
    redis_journal: Journal, lose: Lose, what: What
) -> None:
    """Reads, and changes without a further effect, are tried twice at most."""
    grow(redis_journal, "m", 1)
    lose(what, 1)
    redis_journal.metadata.put("m", {"x": "y"})
    assert redis_journal.metadata.fields("m") == {"x": "y"}

    lose(what, 2)
    with pytest.raises(JournalUnavailable):
        redis_journal.metadata.put("m", {"x": "z"})


def test_an_append_with_a_broken_second_try_is_not_made(redis_journal: Journal, lose: Lose) -> None:
    lose("request", 2)
    words = "Redis cannot be reached: the connection was lost"

    with pytest.raises(JournalUnavailable, match=words):
        redis_journal.events.append(entry())
    assert redis_journal.events.read("m") == []


def test_a_match_begun_meanwhile_is_not_restored_over(
    redis_journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    multi: Any = Pipeline.multi

    def begin_first(pipeline: Any) -> None:
        monkeypatch.undo()
        commit(redis_journal, commit_bytes=b"first")
        multi(pipeline)

    monkeypatch.setattr(Pipeline, "multi", begin_first)

    with pytest.raises(Conflict) as refused:
        redis_journal.events.restore([entry(), entry(version=2)])
    assert refused.value.version == 1
    assert redis_journal.events.read("m") == [b"first"]


def test_scripts_that_the_server_has_forgotten_are_sent_again(
    redis_journal: Journal, client: Any
) -> None:
    """A restarted server has no scripts. They are sent again, even within a transaction."""
    grow(redis_journal, "m", 1)
    client.script_flush()
    assert redis_journal.events.append(entry(version=2)) == Appended(2, repeated=False)

    client.script_flush()
    redis_journal.events.restore([entry("n"), entry("n", version=2)])
    assert len(redis_journal.events.read("n")) == 2


# ---- every method of every port --------------------------------------------------------------

# Arguments for a change, on the journal of `prepare`.
CHANGES: dict[str, tuple[Any, ...]] = {
    "events.append": (entry(version=4),),
    "events.restore": ([entry("n"), entry("n", version=2)],),
    "index.look_again": ({"m": 7},),
    "lifecycle.put_tombstone": ("n", Tombstone(1, "ada")),
    "metadata.put": ("m", {"x": "new", "y": None}, ("x", "old")),
    "metadata.put_if_missing": ("m", "z", "new"),
    "pending.claim": (0, 60_000, 10),
    "pending.due": (0, 10),
    "timers.claim": (LEASES_MS, 10),
}

# Fields with other values in each call: times, waits and ids of entries.
_MOMENTS = re.compile(r"(waited|longest_wait|used)=\d+|\d{13}(-\d+)?")


def prepare(journal: Journal, client: Any) -> None:
    """Empty a journal, then begin a match in it with work for the house and a timer."""
    client.flushdb()
    grow(journal, "m", 3, awaiting="house")
    journal.metadata.put("m", {"x": "old", "y": "old"})
    journal.timers.ring("hook", "m")


def told(journal: Journal, name: str) -> tuple[str, str]:
    """Return the answer of a method of a port, and the whole journal after it."""
    port_name, method = name.split(".")
    answer = getattr(getattr(journal, port_name), method)(*CHANGES.get(name, ARGUMENTS[name]))
    answer = list(answer) if isinstance(answer, Iterator) else answer
    return _MOMENTS.sub("", repr(answer)), _MOMENTS.sub("", repr(everything(journal, "m")))


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"index.written"}))
def test_a_retry_answers_as_the_first_try(
    name: str, redis_journal: Journal, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a lost answer a retry gets the first answer, or the journal is called unavailable."""
    prepare(redis_journal, client)
    try:
        expected = told(redis_journal, name)
    except JournalError as error:
        expected = (repr(error), "")

    prepare(redis_journal, client)
    receive: Any = UnixDomainSocketConnection.read_response
    losses = iter([True])

    def lose_one(connection: Any, *args: object, **options: object) -> object:
        response = receive(connection, *args, **options)
        if next(losses, False):
            connection.disconnect()
            raise Unreachable("the connection was lost")
        return response

    monkeypatch.setattr(UnixDomainSocketConnection, "read_response", lose_one)
    try:
        answer = told(redis_journal, name)
    except JournalUnavailable:
        return  # in doubt, and the caller knows it
    except JournalError as error:
        answer = (repr(error), "")
    assert answer == expected


def test_a_change_after_another_ones_is_refused(redis_journal: Journal, lose: Lose) -> None:
    """After a lost answer a refused change is still refused."""
    grow(redis_journal, "m", 1)
    redis_journal.metadata.put("m", {"x": "theirs"})
    lose("reply", 1)
    assert redis_journal.metadata.put("m", {"x": "mine"}, ("x", "old")) is False
    assert redis_journal.metadata.fields("m") == {"x": "theirs"}

    one, other = Generation("one", since=1), Generation("other", since=1)
    assert redis_journal.lifecycle.replace_generation(None, one)
    lose("reply", 1)
    assert redis_journal.lifecycle.replace_generation(None, other) is False


def test_a_field_is_set_while_the_match_goes_on(
    redis_journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field is set even if a commit comes in between."""
    grow(redis_journal, "m", 1)

    def commit_first(owner: type, name: str) -> None:
        function: Any = getattr(owner, name)

        def called(*arguments: Any) -> Any:
            monkeypatch.undo()
            commit(redis_journal, version=2)
            return function(*arguments)

        monkeypatch.setattr(owner, name, called)

    commit_first(RedisStore, "send")
    commit_first(Pipeline, "multi")
    redis_journal.metadata.put_if_missing("m", "x", "y")
    assert redis_journal.metadata.fields("m") == {"x": "y"}


# ---- raw connections: commands to one server without its client ----------------------------------

FRESH_SECONDS = "service.store.journal.redis.connection._FRESH_SECONDS"


@pytest.fixture
def bytes_client(redis_url: str) -> Iterator[Any]:
    """An ordinary client of the server. It returns bytes."""
    plain = connect(redis_url)
    yield plain
    plain.close()


@pytest.fixture
def raw(bytes_client: Any) -> RawConnections:
    """Raw connections of this client."""
    return RawConnections(bytes_client)


def raw_of(journal: Journal) -> RawConnections:
    """Return the raw connections of a journal."""
    connections = store_of(journal).raw
    assert connections is not None
    return connections


def kept(raw: RawConnections) -> list[Any]:
    """Return the stored connections."""
    return [connection for connection, _answered in raw._kept]


def kill_connections(client: Any) -> None:
    """Let the server close all connections but that of the command."""
    client.client_kill_filter(_type="normal", skipme=True)


def interrupt() -> None:
    """Interrupt, as Ctrl-C does."""
    raise KeyboardInterrupt


def test_answers_come_in_the_order_of_the_commands(bytes_client: Any, raw: RawConnections) -> None:
    """Answers of any length come in order. If one is an error, the result is None."""
    bytes_client.set("long", b"x" * 300_000)
    bytes_client.set("short", b"y")
    bytes_client.rpush("list", "one")

    for _ in range(3):
        answers = raw.query(
            [("GET", "long"), ("GET", "none"), ("GET", b"short"), ("STRLEN", "long")]
        )
        assert answers == [b"x" * 300_000, None, b"y", 300_000]
        assert raw.query([("GET", "short"), ("GET", "list"), ("GET", "short")]) is None


def test_an_interrupted_append_leaves_no_answer_to_the_next(
    redis_journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(redis_journal, "m", 1)
    [connection] = kept(raw_of(redis_journal))
    monkeypatch.setattr(connection, "read_response", interrupt)
    with pytest.raises(KeyboardInterrupt):
        redis_journal.events.append(entry(version=2))

    monkeypatch.undo()
    assert kept(raw_of(redis_journal)) == []
    redis_journal.events.append(entry("other", version=1))
    assert len(redis_journal.events.read("other")) == 1
    assert len(redis_journal.events.read("m")) in (1, 2)
    assert redis_journal.events.append(entry("other", version=2)) == Appended(2, repeated=False)


@pytest.mark.parametrize(
    ("fresh_seconds", "in_doubt"), [(0.0, False), (60.0, True)], ids=["idle", "in-use"]
)
def test_a_journal_goes_on_while_the_server_closes_connections(
    client: Any,
    redis_journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    fresh_seconds: float,
    in_doubt: bool,
) -> None:
    """Reads succeed. An append is made once, and is looked up only right after another."""
    monkeypatch.setattr(FRESH_SECONDS, fresh_seconds)
    has_landed = RedisEvents.has_landed
    looks = []

    def note_look(events: RedisEvents, new: Entry) -> bool:
        looks.append(new)
        return has_landed(events, new)

    monkeypatch.setattr(RedisEvents, "has_landed", note_look)
    grow(redis_journal, "m", 1)

    kill_connections(client)
    assert redis_journal.events.append(entry(version=2)) == Appended(2, repeated=False)
    assert bool(looks) is in_doubt

    whole = redis_journal.events.tail("m", 0, "")
    assert len(whole.commits) == 2
    for _ in range(3):
        kill_connections(client)
        assert redis_journal.events.tail("m", 0, "") == whole
        assert redis_journal.events.overviews([("m", ("x",))]) == [(whole.head, {})]


def test_a_process_that_was_forked_opens_its_own_connections(redis_journal: Journal) -> None:
    """Two processes on one connection would read each other's answers."""
    grow(redis_journal, "m", 5)
    [of_parent] = kept(raw_of(redis_journal))

    child = os.fork()
    if child == 0:
        is_own = False
        try:
            is_own = raw_of(redis_journal)._take() is not of_parent
        finally:
            os._exit(0 if is_own else 1)  # in any case, this process runs no further tests

    _, status = os.waitpid(child, 0)
    assert status == 0
    assert kept(raw_of(redis_journal)) == [of_parent]
