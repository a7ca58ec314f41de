"""The random model: the journal in memory and that in Redis answer alike, whatever is done to both.

After each step the laws hold by which every other answer follows from commits and heads.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from redis import Redis

from service.journal.errors import Conflict, JournalError
from service.journal.keys import partition_of
from service.journal.memory import memory_journal
from service.journal.port import Journal
from service.journal.redis import open_journal
from service.journal.values import (
    STATUSES,
    Appended,
    Entry,
    Last,
    Marker,
    Pending,
    Tombstone,
    Whole,
)
from tests.service.journal.entries import entry, everything, lines
from tests.service.journal.passing_time import Clock, make_older

PARTITIONS = 3
STEP = 60_000  # milliseconds; far more than a run of the test takes

# What never changes in a match.
CREATED = {"a": 1_000, "b": 1_000, "c": 1_001, "d": 5}
GAMES = {"a": "calimala", "b": "firenze", "c": "calimala", "d": "firenze"}
IMPORTED = {"a": 0, "b": 0, "c": 999, "d": 1_002}
NAMES = sorted(CREATED)

MARKER = Marker(sha256="ab" * 32, size=9, commits=0, stored=9, at=9)
MATCHES = st.sampled_from(NAMES)
VERSIONS = st.integers(0, 6)
TIMES = st.integers(999, 1_011)
LIMITS = st.integers(1, 5)
CURSORS = st.none() | st.tuples(st.sampled_from([5, 1_000, 1_001]), MATCHES)
FIELDS = st.dictionaries(
    st.sampled_from("xyz"),
    st.one_of(st.none(), st.text(max_size=3)),
    max_size=3,
)

PRECONDITIONS = st.just(("", "")) | st.tuples(st.sampled_from("xy"), st.sampled_from(["", "first"]))

# What changes with an entry. What is right stands more often than what is refused.
CHANGES = st.fixed_dictionaries(
    {
        "ahead": st.sampled_from([0, 0, 0, 0, -1, 1]),
        "hash": st.sampled_from([None, None, None, "other"]),
        "command_id": st.sampled_from(["", "", "p", "q"]),
        "fingerprint": st.sampled_from(["f", "f", "g"]),
        "metadata": FIELDS,
        "status": st.sampled_from(STATUSES),
        "work": st.sampled_from(["", "house", "bots"]),
        "visibility": st.sampled_from(["public", "public", "private"]),
        "waiting": st.lists(st.integers(0, 3), unique=True, max_size=3).map(tuple),
        "updated": st.integers(1_000, 1_010),
        "thought": st.sampled_from([b"", b"", b'{"version":1}']),
    }
)

SHORT = settings(
    max_examples=30,
    stateful_step_count=40,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def outcome(call: Callable[[Journal], object], journal: Journal) -> object:
    """Return what a call gives, or the kind of refusal and, of a conflict, its version."""
    try:
        return call(journal)
    except Conflict as conflict:
        return Conflict, conflict.version
    except JournalError as error:
        return type(error)


def next_entry(match: str, version: int, changes: dict[str, Any]) -> Entry:
    """Return an entry for a match that is at a version.

    ahead: how far the entry is off the next version; hash: another one than the next commit names.
    """
    given = dict(changes)
    ahead = given.pop("ahead")
    if given["hash"] is None:
        del given["hash"]
    return entry(
        match,
        max(1, version + 1 + ahead),
        created=CREATED[match],
        game=GAMES[match],
        imported=IMPORTED[match],
        **given,
    )


class Twins(RuleBasedStateMachine):
    """Both journals, asked the same.

    fields: the metadata that each match must have.   left: what was archived, to come back.
    """

    real: Journal
    client: Redis
    in_memory: Journal
    clock: Clock
    fields: dict[str, dict[str, str]]
    left: dict[str, Whole]

    @initialize()
    def empty(self) -> None:
        self.client.flushall()
        self.clock = Clock()
        self.in_memory = memory_journal(PARTITIONS, self.clock)
        self.fields = {match: {} for match in NAMES}
        self.left = {}

    def same(self, call: Callable[[Journal], object]) -> object:
        """Return what a call gives; fail unless both journals answer it alike."""
        answer = outcome(call, self.in_memory)
        assert outcome(call, self.real) == answer
        return answer

    def change_fields(self, match: str, changes: dict[str, str | None]) -> None:
        """Note fields that were set, or deleted (None)."""
        fields = {**self.fields[match], **changes}
        self.fields[match] = {name: value for name, value in fields.items() if value is not None}

    @rule(match=MATCHES, changes=CHANGES)
    def append(self, match: str, changes: dict[str, Any]) -> None:
        """Append a commit. A refusal, or the answer to a repeated command, changes nothing."""
        head = self.in_memory.events.head(match)
        new = next_entry(match, len(self.in_memory.events.read(match)), changes)
        feed = partition_of(match, PARTITIONS)
        before = everything(self.in_memory, match, feed)

        answer = self.same(lambda journal: journal.events.append(new))
        if isinstance(answer, Appended) and not answer.repeated:
            assert answer.version == (head.version if head else 0) + 1
            self.change_fields(match, changes["metadata"])
        else:
            assert everything(self.in_memory, match, feed) == before

    @rule(match=MATCHES, changes=st.lists(CHANGES, min_size=1, max_size=3))
    def restore(self, match: str, changes: list[dict[str, Any]]) -> None:
        """Restore a match whole, or not at all."""
        plain = [{**one, "ahead": 0, "hash": None, "command_id": ""} for one in changes]
        entries = [next_entry(match, version, one) for version, one in enumerate(plain)]

        if self.same(lambda journal: journal.events.restore(entries)) is None:
            for entry_of_version in entries:
                self.change_fields(match, dict(entry_of_version.metadata))

    @rule(match=MATCHES, metadata=FIELDS, precondition=PRECONDITIONS)
    def put_metadata(
        self, match: str, metadata: dict[str, str | None], precondition: tuple[str, str]
    ) -> None:
        if self.same(lambda journal: journal.metadata.put(match, metadata, precondition)) is True:
            self.change_fields(match, metadata)

    @rule(match=MATCHES, name=st.sampled_from("xyz"))
    def put_if_missing(self, match: str, name: str) -> None:
        self.same(lambda journal: journal.metadata.put_if_missing(match, name, "first"))
        if self.in_memory.events.head(match) is not None:
            self.change_fields(match, {name: "first", **self.fields[match]})

    @rule(match=MATCHES, snapshot=st.binary(max_size=4))
    def put_snapshot(self, match: str, snapshot: bytes) -> None:
        self.same(lambda journal: journal.metadata.put_snapshot(match, snapshot))

    @rule(match=MATCHES, after=VERSIONS, limit=st.integers(1, 3))
    def read(self, match: str, after: int, limit: int) -> None:
        self.same(lambda journal: journal.events.read(match, after, limit))
        self.same(lambda journal: journal.events.tail(match, after, "x"))

    @rule(match=MATCHES, command_id=st.sampled_from("pq"), fingerprint=st.sampled_from("fg"))
    def version_made(self, match: str, command_id: str, fingerprint: str) -> None:
        self.same(lambda journal: journal.events.version_made(match, command_id, fingerprint))

    @rule(
        status=st.sampled_from(["", *STATUSES]),
        before=CURSORS,
        limit=LIMITS,
        game=st.sampled_from(["", "calimala", "firenze"]),
    )
    def listing(self, status: str, before: tuple[int, str] | None, limit: int, game: str) -> None:
        self.same(lambda journal: journal.index.listing(status, before, limit, game))

    @rule(asked=st.lists(st.tuples(MATCHES, st.lists(st.sampled_from("xyz"))), max_size=3))
    def overviews(self, asked: list[tuple[str, list[str]]]) -> None:
        self.same(lambda journal: journal.events.overviews([one for one in asked if one[1]]))

    @rule(match=st.sampled_from("ad"), elsewhere=st.booleans())
    def delete(self, match: str, elsewhere: bool) -> None:
        """Delete a match, or note that it was deleted elsewhere, which a match here prevents."""
        stone = Tombstone(7, "ada")
        if elsewhere:
            self.same(lambda journal: journal.lifecycle.put_tombstone(match, stone))
        else:
            self.same(lambda journal: journal.lifecycle.delete(match, stone))
            self.fields[match] = {}

    @rule(match=MATCHES, missing=st.sampled_from([0, 0, 0, 1]))
    def archive(self, match: str, missing: int) -> None:
        """Let a match leave, if it is final; missing: commits that were not packed."""
        metadata = self.in_memory.metadata.dump(match)
        commits = self.in_memory.events.read(match)
        marker = replace(MARKER, commits=len(commits) - missing)
        last_hash = metadata.head.hash if metadata.head else ""
        last = Last(last_hash, len(metadata.ids))

        self.same(lambda journal: journal.lifecycle.archive(match, marker, last))

        has_left = commits and not self.in_memory.events.read(match)
        if has_left:
            self.left[match] = Whole(commits, metadata.ids, metadata.thoughts)

    @rule(match=MATCHES)
    def unarchive(self, match: str) -> None:
        whole = self.left.get(match, Whole([b"c"], {}))
        marker = replace(MARKER, commits=len(whole.commits))
        self.same(lambda journal: journal.lifecycle.unarchive(match, marker, whole))

    @rule(times=st.dictionaries(MATCHES, st.none() | TIMES, max_size=2))
    def look_again(self, times: dict[str, int | None]) -> None:
        self.same(lambda journal: journal.index.look_again(times))

    @rule(before=TIMES, limit=LIMITS)
    def idle(self, before: int, limit: int) -> None:
        self.same(lambda journal: journal.index.idle(before, limit))

    @rule(steps=st.integers(1, 4))
    def pass_time(self, steps: int) -> None:
        self.clock.ahead += steps * STEP
        make_older(self.client, steps * STEP)

    @rule(steps=st.integers(0, 3))
    def pending(self, steps: int) -> None:
        self.same(lambda journal: in_steps(journal.pending.due(steps * STEP, len(NAMES))))

    @rule(steps=st.integers(0, 3))
    def claim(self, steps: int) -> None:
        # Half a step more or less: no match is due to the millisecond.
        half = STEP // 2
        self.same(lambda journal: in_steps(journal.pending.claim(steps * STEP + half, half, 9)))

    @rule(match=MATCHES, pauses=st.lists(st.integers(1, 3), max_size=3))
    def fail(self, match: str, pauses: list[int]) -> None:
        """Note a failure; it is void unless the match waits."""
        pauses_ms = [pause * STEP - STEP // 2 for pause in pauses]
        failure = self.same(lambda journal: journal.pending.fail(match, "ValueError", pauses_ms))

        head = self.in_memory.events.head(match)
        waits = head is not None and head.work != ""
        assert (failure is not None) == waits

    @rule(match=MATCHES)
    def free(self, match: str) -> None:
        self.same(lambda journal: journal.pending.free(match))

    @invariant()
    def agree(self) -> None:
        self.same(lambda journal: journal.pending.totals()[:2])
        self.same(lambda journal: journal.index.listed_counts())
        self.same(lambda journal: of_each_match(journal.metadata.dump))
        self.same(lambda journal: of_each_match(journal.metadata.snapshot))
        self.same(lambda journal: sorted(journal.lifecycle.all_archived(), key=str))
        self.same(lambda journal: journal.events.commit_count())
        self.same(all_feeds)

    @invariant()
    def listings_follow_the_heads(self) -> None:
        """Public matches are listed and counted, newest first; and those wait that must."""
        journal = self.in_memory
        public = []
        counts = dict.fromkeys(STATUSES, 0)
        must_wait = set()

        for match in NAMES:
            head = journal.events.head(match)
            if head is None:
                continue

            if head.work:
                must_wait.add(match)
            if head.visibility == "public":
                public.append((IMPORTED[match] or CREATED[match], match))
                counts[head.status] += 1

        newest_first = sorted(public, reverse=True)
        pending = journal.pending.due(0, 99)
        parked = [one for one in pending if one.parked]
        totals = journal.pending.totals()
        assert journal.index.listing("", None, 99) == newest_first
        assert journal.index.listed_counts() == counts
        assert {one.match for one in pending} == must_wait
        assert totals[:2] == (len(pending) - len(parked), len(parked))

    @invariant()
    def each_match_is_whole(self) -> None:
        """Commits, feed, metadata and command ids fit the head; of a deleted match none is left."""
        journal = self.in_memory
        in_feeds = [line for feed in range(PARTITIONS) for line in lines(journal, feed)]
        for match in NAMES:
            kept = journal.metadata.dump(match)
            last = kept.head.version if kept.head else 0
            commits = journal.events.read(match)
            is_archived = journal.lifecycle.archived(match) is not None

            assert len(commits) == (0 if is_archived else last)
            assert kept.fields == self.fields[match]
            assert "" not in kept.ids
            assert all(version <= last for version, _ in kept.ids.values())
            assert kept.head is None or kept.tombstone is None
            if kept.head is not None:
                versions = [version for name, version in in_feeds if name == match]
                assert versions == list(range(1, last + 1))
            else:
                assert (kept.ids, kept.thoughts) == ({}, [])
                assert journal.metadata.snapshot(match) is None


def in_steps(found: list[Pending]) -> list[Pending]:
    """Return waiting matches by their names, with waits in whole steps.

    Both journals have clocks of their own, so milliseconds differ.
    """
    rounded = [replace(pending, waited=pending.waited // STEP) for pending in found]
    return sorted(rounded, key=lambda pending: pending.match)


def of_each_match(ask: Callable[[str], object]) -> list[object]:
    """Return the answers to a question about each match."""
    return [ask(match) for match in NAMES]


def all_feeds(journal: Journal) -> object:
    """Return match and version of each line of each feed."""
    return [lines(journal, feed) for feed in range(PARTITIONS)]


def client_of(redis_url: str) -> Redis:
    """Return a plain client."""
    return Redis.from_url(redis_url, decode_responses=True)


@contextmanager
def twins_of(redis_url: str) -> Iterator[type[Twins]]:
    """Give the twins a real server."""
    with client_of(redis_url) as client, closing(open_journal(redis_url, PARTITIONS)) as real:
        yield type("Twins", (Twins,), {"real": real, "client": client})


def test_both_journals_answer_alike(redis_url: str) -> None:
    """Any run of appends, repeats and changes gives the same answers from both."""
    with twins_of(redis_url) as twins:
        run_state_machine_as_test(twins, settings=SHORT)
