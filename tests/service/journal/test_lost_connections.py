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
from service.journal.redis import RedisJournal, events, open_journal
from service.journal.redis.store import Store
from service.journal.values import Appended, Entry, Epoch, Last, Marker, Tombstone, Whole
from service.process.valkey import Server
from tests.service.journal.entries import commit, entry, everything, grow
from tests.service.journal.lost_connections import Lose, What, losing_connections

either_way = pytest.mark.parametrize("what", ["request", "reply"])


@pytest.fixture
def lose(monkeypatch: pytest.MonkeyPatch) -> Lose:
    """Breaks connections."""
    return losing_connections(monkeypatch)


def test_a_killed_server_loses_no_answered_commit(
    own_server: Server, own_journal: RedisJournal, tmp_path: Path
) -> None:
    """What was appended before a SIGKILL is there after the restart, and the match goes on."""
    commits = grow(own_journal, "m", 20, work="bots")
    before = everything(own_journal, "m")

    os.kill(own_server.pid, signal.SIGKILL)

    with Server(tmp_path):
        assert own_journal.read("m") == commits
        assert everything(own_journal, "m") == before

        appended = own_journal.append(entry(version=21))
        assert appended == Appended(21, repeated=False)


@pytest.mark.parametrize("command_id", ["", "c"], ids=["without-id", "with-id"])
@either_way
def test_an_append_without_an_answer_lands_once(
    redis_journal: RedisJournal, lose: Lose, what: What, command_id: str
) -> None:
    """When the connection breaks in an append, it is told as an append, not a repetition."""
    grow(redis_journal, "m", 3)
    lose(what, 1)
    appended = redis_journal.append(entry(version=4, command_id=command_id))

    assert appended == Appended(4, repeated=False)
    assert len(redis_journal.read("m")) == 4


@either_way
def test_a_lost_answer_is_not_taken_from_another(
    redis_journal: RedisJournal, lose: Lose, what: What
) -> None:
    """When the connection breaks and another commit stands at that version: a conflict."""
    grow(redis_journal, "m", 4)
    lose(what, 1)

    with pytest.raises(Conflict) as refused:
        redis_journal.append(entry(version=4, commit_bytes=b"mine"))
    assert refused.value.version == 4


def test_a_commit_that_lands_late_is_recognised(
    redis_journal: RedisJournal, lose: Lose, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first try that lands after it was looked for makes the second a conflict with itself."""
    has_landed = events.has_landed
    looks = []

    def not_at_the_first_look(store: Store, new: Entry) -> bool:
        looks.append(new)
        return len(looks) > 1 and has_landed(store, new)

    monkeypatch.setattr(events, "has_landed", not_at_the_first_look)
    lose("reply", 1)

    assert redis_journal.append(entry()) == Appended(1, repeated=False)
    assert len(redis_journal.read("m")) == 1


def test_an_append_that_finds_no_redis_says_so(redis_journal: RedisJournal, lose: Lose) -> None:
    """When the second try breaks too the journal is unavailable, in plain words."""
    lose("request", 2)
    words = "Redis cannot be reached: the connection was lost"

    with pytest.raises(JournalUnavailable, match=words):
        redis_journal.append(entry())
    assert redis_journal.read("m") == []


@either_way
def test_what_may_be_asked_twice_survives_one_broken_connection(
    redis_journal: RedisJournal, lose: Lose, what: What
) -> None:
    """A question, or a change that may be made twice, is made again."""
    grow(redis_journal, "m", 1)
    lose(what, 1)
    redis_journal.put_sidecar("m", {"x": "y"})

    assert redis_journal.sidecar("m") == {"x": "y"}


@either_way
def test_nothing_survives_two_broken_connections(
    redis_journal: RedisJournal, lose: Lose, what: What
) -> None:
    """What may be asked twice is not asked three times."""
    grow(redis_journal, "m", 1)
    lose(what, 2)

    with pytest.raises(JournalUnavailable):
        redis_journal.put_sidecar("m", {"x": "z"})


MARKER = Marker(sha256="ab", size=1, commits=1, stored=1, at=1)
QUESTIONS: dict[str, Callable[[Journal], object]] = {
    "append": lambda journal: journal.append(entry()),
    "restore": lambda journal: journal.restore([entry()]),
    "version_made": lambda journal: journal.version_made("m", "c", "f"),
    "read": lambda journal: journal.read("m"),
    "tail": lambda journal: journal.tail("m", 0, "x"),
    "head": lambda journal: journal.head("m"),
    "heads": lambda journal: journal.heads(["m"]),
    "overviews": lambda journal: journal.overviews([("m", ["x"])]),
    "written": lambda journal: journal.written(),
    "sidecar_field": lambda journal: journal.sidecar_field("m", "x"),
    "sidecar": lambda journal: journal.sidecar("m"),
    "put_sidecar": lambda journal: journal.put_sidecar("m", {"x": "y"}),
    "put_sidecar_if_missing": lambda journal: journal.put_sidecar_if_missing("m", "x", "y"),
    "pending": lambda journal: journal.pending(1, 1),
    "pending_totals": lambda journal: journal.pending_totals(),
    "claim_pending": lambda journal: journal.claim_pending(1, 1, 1),
    "note_failure": lambda journal: journal.note_failure("m", "ValueError", [1]),
    "free_pending": lambda journal: journal.free_pending("m"),
    "forget_pending": lambda journal: journal.forget_pending(["m"]),
    "listing": lambda journal: journal.listing("", None, 1),
    "listed_counts": lambda journal: journal.listed_counts(),
    "idle": lambda journal: journal.idle(1, 1),
    "look_again": lambda journal: journal.look_again({"m": 1}),
    "delete": lambda journal: journal.delete("m", Tombstone(1, "ada")),
    "deleted": lambda journal: journal.deleted("m"),
    "put_tombstone": lambda journal: journal.put_tombstone("m", Tombstone(1, "ada")),
    "archive": lambda journal: journal.archive("m", MARKER, Last("h", ids=0)),
    "unarchive": lambda journal: journal.unarchive("m", MARKER, Whole([b"c"], {})),
    "archived": lambda journal: journal.archived("m"),
    "all_archived": lambda journal: next(journal.all_archived()),
    "feed": lambda journal: journal.feed(0, "", 1),
    "matches": lambda journal: next(journal.matches()),
    "commit_count": lambda journal: journal.commit_count(),
    "epoch": lambda journal: journal.epoch(),
    "replace_epoch": lambda journal: journal.replace_epoch(None, Epoch("e", since=1)),
    "feed_ends": lambda journal: journal.feed_ends({}),
    "metadata": lambda journal: journal.metadata("m"),
    "thoughts": lambda journal: journal.thoughts("m"),
    "memory": lambda journal: journal.memory(),
    "snapshot": lambda journal: journal.snapshot("m"),
    "put_snapshot": lambda journal: journal.put_snapshot("m", b""),
    "check": lambda journal: journal.check(),
    "upgrade": lambda journal: journal.upgrade(),
    "ping": lambda journal: journal.ping(),
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
    assert set(QUESTIONS) == {name for name in vars(Journal) if not name.startswith("_")}


def test_a_question_outlives_a_restart(
    own_server: Server, own_journal: RedisJournal, tmp_path: Path
) -> None:
    """Reading, and appending, go on over new connections once the server is back."""
    commits = grow(own_journal, "m", 2)
    own_server.stop()

    with pytest.raises(JournalUnavailable):
        own_journal.ping()

    with Server(tmp_path):
        assert own_journal.read("m") == commits
        assert own_journal.append(entry(version=3)) == Appended(3, repeated=False)


def test_a_match_begun_meanwhile_is_not_restored_over(
    redis_journal: RedisJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match that somebody begins while it is being restored is left as they began it."""
    multi: Any = Pipeline.multi

    def begin_first(pipeline: Any) -> None:
        monkeypatch.undo()
        commit(redis_journal, commit_bytes=b"first")
        multi(pipeline)

    monkeypatch.setattr(Pipeline, "multi", begin_first)

    with pytest.raises(Conflict) as refused:
        redis_journal.restore([entry(), entry(version=2)])
    assert refused.value.version == 1
    assert redis_journal.read("m") == [b"first"]


def test_a_forgotten_script_is_sent_again(redis_journal: RedisJournal, client: Any) -> None:
    """A server that has forgotten its scripts is told them again."""
    grow(redis_journal, "m", 1)
    client.script_flush()

    appended = redis_journal.append(entry(version=2))

    assert appended == Appended(2, repeated=False)


def test_a_forgotten_script_is_sent_again_with_a_whole_match(
    redis_journal: RedisJournal, client: Any
) -> None:
    """A restore uses the script of an append, in a transaction."""
    grow(redis_journal, "m", 1)
    client.script_flush()

    redis_journal.restore([entry("n"), entry("n", version=2)])

    assert len(redis_journal.read("n")) == 2
