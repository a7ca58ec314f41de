"""The journal in Redis when connections break, and when the server dies or is not there."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from redis.client import Pipeline

from service.journal.errors import Conflict, JournalUnavailable
from service.journal.port import Journal
from service.journal.redis import open_journal
from service.journal.redis.events import RedisEvents
from service.journal.values import Appended, Entry, Generation, Last, Marker, Tombstone, Whole
from service.process.valkey import Server
from tests.service.journal.entries import commit, entry, everything, grow
from tests.service.journal.lost_connections import Lose, What, losing_connections
from tests.service.journal.ports import METHODS

either_way = pytest.mark.parametrize("what", ["request", "reply"])


@pytest.fixture
def lose(monkeypatch: pytest.MonkeyPatch) -> Lose:
    """Breaks connections."""
    return losing_connections(monkeypatch)


def test_a_killed_server_loses_no_answered_commit(
    own_server: Server, own_journal: Journal, tmp_path: Path
) -> None:
    """What was appended before a SIGKILL is there after the restart, and the match goes on."""
    commits = grow(own_journal, "m", 20, work="bots")
    before = everything(own_journal, "m")

    os.kill(own_server.pid, signal.SIGKILL)

    with Server(tmp_path):
        assert own_journal.events.read("m") == commits
        assert everything(own_journal, "m") == before

        appended = own_journal.events.append(entry(version=21))
        assert appended == Appended(21, repeated=False)


@pytest.mark.parametrize("command_id", ["", "c"], ids=["without-id", "with-id"])
@either_way
def test_an_append_without_an_answer_lands_once(
    redis_journal: Journal, lose: Lose, what: What, command_id: str
) -> None:
    """When the connection breaks in an append, it is told as an append, not a repetition."""
    grow(redis_journal, "m", 3)
    lose(what, 1)
    appended = redis_journal.events.append(entry(version=4, command_id=command_id))

    assert appended == Appended(4, repeated=False)
    assert len(redis_journal.events.read("m")) == 4


@either_way
def test_a_lost_answer_is_not_taken_from_another(
    redis_journal: Journal, lose: Lose, what: What
) -> None:
    """When the connection breaks and another commit stands at that version: a conflict."""
    grow(redis_journal, "m", 4)
    lose(what, 1)

    with pytest.raises(Conflict) as refused:
        redis_journal.events.append(entry(version=4, commit_bytes=b"mine"))
    assert refused.value.version == 4


def test_a_commit_that_lands_late_is_recognised(
    redis_journal: Journal, lose: Lose, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first try that lands after it was looked for makes the second a conflict with itself."""
    has_landed = RedisEvents.has_landed
    looks = []

    def not_at_the_first_look(events: RedisEvents, new: Entry) -> bool:
        looks.append(new)
        return len(looks) > 1 and has_landed(events, new)

    monkeypatch.setattr(RedisEvents, "has_landed", not_at_the_first_look)
    lose("reply", 1)

    assert redis_journal.events.append(entry()) == Appended(1, repeated=False)
    assert len(redis_journal.events.read("m")) == 1


def test_an_append_that_finds_no_redis_says_so(redis_journal: Journal, lose: Lose) -> None:
    """When the second try breaks too the journal is unavailable, in plain words."""
    lose("request", 2)
    words = "Redis cannot be reached: the connection was lost"

    with pytest.raises(JournalUnavailable, match=words):
        redis_journal.events.append(entry())
    assert redis_journal.events.read("m") == []


@either_way
def test_what_may_be_asked_twice_survives_one_broken_connection(
    redis_journal: Journal, lose: Lose, what: What
) -> None:
    """A question, or a change that may be made twice, is made again."""
    grow(redis_journal, "m", 1)
    lose(what, 1)
    redis_journal.metadata.put("m", {"x": "y"})

    assert redis_journal.metadata.fields("m") == {"x": "y"}


@either_way
def test_nothing_survives_two_broken_connections(
    redis_journal: Journal, lose: Lose, what: What
) -> None:
    """What may be asked twice is not asked three times."""
    grow(redis_journal, "m", 1)
    lose(what, 2)

    with pytest.raises(JournalUnavailable):
        redis_journal.metadata.put("m", {"x": "z"})


STONE = Tombstone(1, "ada")
WHOLE = Whole([b"c"], {})
MARKER = Marker(sha256="ab", size=1, commits=1, stored=1, at=1)
QUESTIONS: dict[str, Callable[[Journal], object]] = {
    "events.append": lambda journal: journal.events.append(entry()),
    "events.restore": lambda journal: journal.events.restore([entry()]),
    "events.version_made": lambda journal: journal.events.version_made("m", "c", "f"),
    "events.read": lambda journal: journal.events.read("m"),
    "events.tail": lambda journal: journal.events.tail("m", 0, "x"),
    "events.head": lambda journal: journal.events.head("m"),
    "events.heads": lambda journal: journal.events.heads(["m"]),
    "events.overviews": lambda journal: journal.events.overviews([("m", ["x"])]),
    "index.written": lambda journal: journal.index.written(),
    "metadata.field": lambda journal: journal.metadata.field("m", "x"),
    "metadata.fields": lambda journal: journal.metadata.fields("m"),
    "metadata.put": lambda journal: journal.metadata.put("m", {"x": "y"}),
    "metadata.put_if_missing": lambda journal: journal.metadata.put_if_missing("m", "x", "y"),
    "pending.due": lambda journal: journal.pending.due(1, 1),
    "pending.totals": lambda journal: journal.pending.totals(),
    "pending.claim": lambda journal: journal.pending.claim(1, 1, 1),
    "pending.fail": lambda journal: journal.pending.fail("m", "ValueError", [1]),
    "pending.free": lambda journal: journal.pending.free("m"),
    "pending.forget": lambda journal: journal.pending.forget(["m"]),
    "index.listing": lambda journal: journal.index.listing("", None, 1),
    "index.listed_counts": lambda journal: journal.index.listed_counts(),
    "index.idle": lambda journal: journal.index.idle(1, 1),
    "index.look_again": lambda journal: journal.index.look_again({"m": 1}),
    "lifecycle.delete": lambda journal: journal.lifecycle.delete("m", STONE),
    "lifecycle.deleted": lambda journal: journal.lifecycle.deleted("m"),
    "lifecycle.put_tombstone": lambda journal: journal.lifecycle.put_tombstone(
        "m", Tombstone(1, "ada")
    ),
    "lifecycle.archive": lambda journal: journal.lifecycle.archive("m", MARKER, Last("h", ids=0)),
    "lifecycle.unarchive": lambda journal: journal.lifecycle.unarchive(
        "m", MARKER, Whole([b"c"], {})
    ),
    "lifecycle.archived": lambda journal: journal.lifecycle.archived("m"),
    "lifecycle.all_archived": lambda journal: next(journal.lifecycle.all_archived()),
    "events.feed": lambda journal: journal.events.feed(0, "", 1),
    "events.matches": lambda journal: next(journal.events.matches()),
    "events.commit_count": lambda journal: journal.events.commit_count(),
    "lifecycle.generation": lambda journal: journal.lifecycle.generation(),
    "lifecycle.replace_generation": lambda journal: journal.lifecycle.replace_generation(
        None, Generation("e", since=1)
    ),
    "events.feed_ends": lambda journal: journal.events.feed_ends({}),
    "metadata.dump": lambda journal: journal.metadata.dump("m"),
    "metadata.thoughts": lambda journal: journal.metadata.thoughts("m"),
    "server.memory": lambda journal: journal.server.memory(),
    "metadata.snapshot": lambda journal: journal.metadata.snapshot("m"),
    "metadata.put_snapshot": lambda journal: journal.metadata.put_snapshot("m", b""),
    "server.check": lambda journal: journal.server.check(),
    "server.upgrade": lambda journal: journal.server.upgrade(),
    "server.ping": lambda journal: journal.server.ping(),
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_without_redis_the_journal_is_unavailable(
    tmp_path: Path, question: Callable[[Journal], object]
) -> None:
    """Every method turns an unreachable Redis into JournalUnavailable."""
    journal = open_journal(f"unix://{tmp_path}/none.sock", 2)
    with pytest.raises(JournalUnavailable, match="Redis cannot be reached"):
        question(journal)


def test_every_method_of_the_port_is_asked() -> None:
    """The table above leaves out no method of the port."""
    assert set(QUESTIONS) == set(METHODS)


def test_a_question_outlives_a_restart(
    own_server: Server, own_journal: Journal, tmp_path: Path
) -> None:
    """Reading, and appending, go on over new connections once the server is back."""
    commits = grow(own_journal, "m", 2)
    own_server.stop()

    with pytest.raises(JournalUnavailable):
        own_journal.server.ping()

    with Server(tmp_path):
        assert own_journal.events.read("m") == commits
        assert own_journal.events.append(entry(version=3)) == Appended(3, repeated=False)


def test_a_match_begun_meanwhile_is_not_restored_over(
    redis_journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match that somebody begins while it is being restored is left as they began it."""
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


def test_a_forgotten_script_is_sent_again(redis_journal: Journal, client: Any) -> None:
    """A server that has forgotten its scripts is told them again."""
    grow(redis_journal, "m", 1)
    client.script_flush()

    appended = redis_journal.events.append(entry(version=2))

    assert appended == Appended(2, repeated=False)


def test_a_forgotten_script_is_sent_again_with_a_whole_match(
    redis_journal: Journal, client: Any
) -> None:
    """A restore uses the script of an append, in a transaction."""
    grow(redis_journal, "m", 1)
    client.script_flush()

    redis_journal.events.restore([entry("n"), entry("n", version=2)])

    assert len(redis_journal.events.read("n")) == 2
