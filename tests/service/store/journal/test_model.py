"""The random model: the right answers of a journal to random calls.

The journal in memory and one on real servers get the same calls and must answer alike.
The model notes the data of each match, so that both cannot be wrong in the same way.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from redis import Redis

from service.store.archive.archive import Archive
from service.store.archive.journal import with_archive
from service.store.archive.places import open_place
from service.store.journal.errors import ChainBroken, Conflict, Deleted, JournalError, KeyReused
from service.store.journal.keys import partition_of
from service.store.journal.memory import memory_journal
from service.store.journal.ports import Journal
from service.store.journal.redis import events as redis_events, open_journal
from service.store.journal.values import (
    STATUSES,
    VISIBILITIES,
    Appended,
    Entry,
    Head,
    Last,
    Marker,
    Metadata,
    Pending,
    Tail,
    Tombstone,
    Whole,
)
from tests.redis_cluster import RunningCluster
from tests.service.store.journal.entries import entry, lines
from tests.service.store.journal.passing_time import Clock, make_older

PARTITIONS = 3
STEP = 60_000  # milliseconds; far more than a run of the test takes

# Constants of a match. An id may contain the separator of match and version.
CREATED = {"a": 1_000, "b": 1_000, "c": 1_001, "d:7:d": 5}
GAMES = {"a": "calimala", "b": "firenze", "c": "calimala", "d:7:d": "firenze"}
IMPORTED = {"a": 0, "b": 0, "c": 999, "d:7:d": 1_002}
NAMES = sorted(CREATED)

LISTED_GAMES = ("", "calimala")
LOOKS = (1_002, 1_006, 2**53)  # times for questions about idle matches

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

NO_PRECONDITION = ("", "")
PRECONDITIONS = st.sampled_from([*[NO_PRECONDITION] * 9, ("x", "first"), ("y", "first"), ("x", "")])
# A line of JSON may hold any white space but a line feed.
THOUGHTS = st.sampled_from([b"", b"", b'{"version":1}', b'{"version":2,\r"best":\t[0.417]}'])

# Variables of an entry. Right values stand more often than refused ones.
CHANGES = st.fixed_dictionaries(
    {
        "ahead": st.sampled_from([*[0] * 10, -1, 1]),
        "hash": st.sampled_from([None, None, None, "other"]),
        "prev": st.sampled_from([*[None] * 10, "", "h1"]),
        "command_id": st.sampled_from(["", "", "p", "q"]),
        "fingerprint": st.sampled_from(["f", "f", "a:b\nc"]),
        "commit_bytes": st.binary(max_size=4),
        "metadata": FIELDS,
        "precondition": PRECONDITIONS,
        "status": st.sampled_from(STATUSES),
        "awaiting": st.sampled_from(["", "", "house", "bots"]),
        "visibility": st.sampled_from(["public", "public", "private"]),
        "waiting": st.lists(st.integers(0, 3), unique=True, max_size=3).map(tuple),
        "updated": st.integers(1_000, 1_010) | st.just(2**53 - 1),
        "thought": THOUGHTS,
    }
)
# With these values no entry is refused.
PLAIN = {
    "ahead": 0,
    "hash": None,
    "prev": None,
    "command_id": "",
    "precondition": NO_PRECONDITION,
}

SHORT = settings(
    max_examples=10,
    stateful_step_count=40,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


# ---- what must be kept ---------------------------------------------------------------------------


@dataclass
class Kept:
    """The data a journal must keep of one match. After archiving, the rest is in `Twins.packed`."""

    head: Head | None = None
    commits: list[bytes] = field(default_factory=list)
    ids: dict[str, tuple[int, str]] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    thoughts: list[bytes] = field(default_factory=list)
    snapshot: bytes | None = None
    stone: Tombstone | None = None
    marker: Marker | None = None

    @property
    def metadata(self) -> Metadata:
        """The metadata in a dump. It has no commits, no snapshot and no marker."""
        return Metadata(self.head, self.ids, self.fields, self.stone, self.thoughts)

    @property
    def whole(self) -> Whole:
        """The content of an archive file."""
        return Whole(list(self.commits), dict(self.ids), list(self.thoughts))

    def change(self, fields: Mapping[str, str | None]) -> None:
        """Set fields, and delete those of None."""
        changed = {**self.fields, **fields}
        self.fields = {name: value for name, value in changed.items() if value is not None}

    def after(self, new: Entry) -> object:
        """Return the expected result of an append: its answer, or the kind of its refusal."""
        version = len(self.commits)
        name, value = new.precondition
        if name and self.fields.get(name) != value:
            return Conflict, version

        if new.command_id in self.ids:
            first_version, fingerprint = self.ids[new.command_id]
            return (
                Appended(first_version, repeated=True)
                if fingerprint == new.fingerprint
                else KeyReused
            )

        if new.expected != version:
            return Conflict, version
        if self.stone is not None:
            return Deleted
        if new.prev != (self.head.hash if self.head else "") or (version == 0 and new.prev):
            return ChainBroken
        return Appended(version + 1, repeated=False)

    def take(self, new: Entry) -> None:
        """Add one more commit and its data."""
        self.head = new.head
        self.commits.append(new.commit_bytes)
        if new.command_id:
            self.ids[new.command_id] = (new.head.version, new.fingerprint)
        self.change(new.metadata)
        if new.thought:
            self.thoughts.append(new.thought)

    def pack(self, marker: Marker) -> None:
        """Drop everything that is in the archive."""
        self.marker = marker
        self.commits, self.ids, self.thoughts, self.snapshot = [], {}, [], None


def outcome(call: Callable[[Journal], object], journal: Journal) -> object:
    """Return the result of a call, or the kind of refusal and, of a conflict, its version."""
    try:
        return call(journal)
    except JournalError as error:
        if type(error) is Conflict:
            return Conflict, error.version
        return type(error)


def next_entry(match: str, version: int, changes: dict[str, Any]) -> Entry:
    """Return an entry for a match that is at a version.

    ahead: the difference from the next version. hash: its own, if it is not the usual one. prev:
    that of the commit before it, if it is not the usual one.
    """
    fields = dict(changes)
    ahead = fields.pop("ahead")
    for name in ("hash", "prev"):
        if fields[name] is None:
            del fields[name]
    return entry(
        match,
        max(1, version + 1 + ahead),
        created=CREATED[match],
        game=GAMES[match],
        imported=IMPORTED[match],
        **fields,
    )


class Twins(RuleBasedStateMachine):
    """Both journals, asked the same.

    kept: the data they must keep. fed: the lines each feed must have. looks: the times at which
    matches are to be looked at. packed: archived data, to come back. servers: clients of the
    other journal's servers.
    """

    open_other: Callable[[Clock], Journal]
    servers: Sequence[Any] = ()
    other: Journal
    in_memory: Journal
    clock: Clock
    kept: dict[str, Kept]
    fed: list[list[tuple[str, int]]]
    looks: dict[str, int]
    packed: dict[str, Whole]

    @initialize()
    def empty(self) -> None:
        self.clock = Clock()
        self.in_memory = memory_journal(PARTITIONS, self.clock)
        self.other = self.open_other(self.clock)
        self.kept = {match: Kept() for match in NAMES}
        self.fed = [[] for _ in range(PARTITIONS)]
        self.looks = {}
        self.packed = {}

    def same(self, call: Callable[[Journal], object]) -> object:
        """Return the result of a call. Fail unless both journals answer it alike."""
        answer = outcome(call, self.in_memory)
        assert outcome(call, self.other) == answer
        return answer

    def must(self, call: Callable[[Journal], object], answer: object) -> None:
        """Fail unless both journals give this answer to a call."""
        assert self.same(call) == answer

    def take(self, new: Entry) -> None:
        """Note a commit that was made."""
        match = new.match
        self.kept[match].take(new)
        self.fed[partition_of(match, PARTITIONS)].append((match, new.head.version))
        if new.head.version == 1 and new.head.status in ("open", "running"):
            self.looks[match] = new.head.updated

    # ---- commits and metadata ----

    @rule(match=MATCHES, many=st.lists(CHANGES, min_size=1, max_size=4))
    def append(self, match: str, many: list[dict[str, Any]]) -> None:
        """Append commits. A refusal, or the answer to a repeated command, changes nothing."""
        model = self.kept[match]
        for changes in many:
            new = next_entry(match, len(model.commits), changes)
            expected = model.after(new)

            self.must(partial(append, new), expected)
            if isinstance(expected, Appended) and not expected.repeated:
                self.take(new)

    @rule(match=MATCHES, changes=st.lists(CHANGES, min_size=1, max_size=3))
    def restore(self, match: str, changes: list[dict[str, Any]]) -> None:
        """Restore a match whole, or not at all."""
        model = self.kept[match]
        plain = [{**one, **PLAIN} for one in changes]
        entries = [next_entry(match, version, one) for version, one in enumerate(plain)]
        expected: object = Deleted if model.stone else None
        if model.head is not None:
            expected = (Conflict, model.head.version)

        self.must(lambda journal: journal.events.restore(entries), expected)
        if expected is None:
            for new in entries:
                self.take(new)

    @rule(match=MATCHES, fields=FIELDS, precondition=PRECONDITIONS)
    def put(self, match: str, fields: dict[str, str | None], precondition: tuple[str, str]) -> None:
        """Change metadata of an existing match, if a field still has the value that was read."""
        model = self.kept[match]
        name, value = precondition
        is_put = not name or model.fields.get(name, "") == value
        expected = (Conflict, 0) if model.head is None else is_put

        self.must(lambda journal: journal.metadata.put(match, fields, precondition), expected)
        if expected is True:
            model.change(fields)

    @rule(match=MATCHES, name=st.sampled_from("xyz"))
    def put_if_missing(self, match: str, name: str) -> None:
        model = self.kept[match]
        self.must(lambda journal: journal.metadata.put_if_missing(match, name, "first"), None)
        if model.head is not None:
            model.fields = {name: "first", **model.fields}

    @rule(match=MATCHES, snapshot=st.binary(max_size=4))
    def put_snapshot(self, match: str, snapshot: bytes) -> None:
        """Store a snapshot of a match with commits in the journal."""
        self.must(lambda journal: journal.metadata.put_snapshot(match, snapshot), None)
        if self.kept[match].commits:
            self.kept[match].snapshot = snapshot

    # ---- reading ----

    @rule(match=MATCHES, after=VERSIONS, limit=LIMITS, command_id=st.sampled_from("pq"))
    def read(self, match: str, after: int, limit: int, command_id: str) -> None:
        """Read the commits after a version, an overview, and the version of a command."""
        model = self.kept[match]
        commits = model.commits[after : after + limit]
        tail = Tail(commits, model.fields.get("x"), model.head)
        fields = {name: model.fields[name] for name in "xz" if name in model.fields}
        version, fingerprint = model.ids.get(command_id, (None, "f"))

        self.must(lambda journal: journal.events.read(match, after, limit), commits)
        self.must(lambda journal: journal.events.tail(match, after, "x", limit), tail)
        self.must(
            lambda journal: journal.events.overviews([(match, ["x", "z"])]),
            [(model.head, fields if model.head else {})],
        )
        self.must(lambda journal: journal.events.heads([match, "no"]), [model.head, None])
        self.must(
            lambda journal: journal.events.version_made(match, command_id, fingerprint), version
        )
        self.must(
            lambda journal: journal.events.version_made(match, command_id, "another"),
            KeyReused if version else None,
        )

    @rule(
        status=st.sampled_from(["", *STATUSES]),
        before=CURSORS,
        limit=LIMITS,
        game=st.sampled_from(["", "calimala", "firenze", "chess"]),
        now=TIMES,
    )
    def pages(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str, now: int
    ) -> None:
        """Read pages of a list, two successive pages of a feed, and the idle matches."""
        listed = [one for one in self.listed(status, game) if before is None or one < before]
        self.must(
            lambda journal: journal.index.listing(status, before, limit, game), listed[:limit]
        )
        idle = [match for time, match in self.idle_first() if time <= now]
        self.must(lambda journal: journal.index.idle(now, limit), idle[:limit])

        feed = now % PARTITIONS
        for journal in (self.in_memory, self.other):
            first = journal.events.feed(feed, "", limit)
            second = journal.events.feed(feed, first[-1][0], limit) if first else []
            pairs = [(match, version) for _, match, version in [*first, *second]]
            assert pairs == self.fed[feed][: 2 * limit]

    def listed(self, status: str, game: str) -> list[tuple[int, str]]:
        """Return the list keys of the public matches of a status and a game, newest first."""
        return [
            one
            for one, head in self.public()
            if status in ("", head.status) and game in ("", head.game)
        ]

    def public(self) -> list[tuple[tuple[int, str], Head]]:
        """Return the public matches, newest first, each with its list key."""
        heads = {match: model.head for match, model in self.kept.items()}
        places = [
            ((IMPORTED[match] or CREATED[match], match), head)
            for match, head in heads.items()
            if head is not None and head.visibility == "public"
        ]
        return sorted(places, key=lambda one: one[0], reverse=True)

    # ---- deleting and archiving ----

    @rule(match=MATCHES, elsewhere=st.sampled_from([False, False, True]), at=TIMES)
    def delete(self, match: str, elsewhere: bool, at: int) -> None:
        """Delete a match, or note its deletion elsewhere.

        An existing match prevents such a note.
        """
        model = self.kept[match]
        stone = Tombstone(at, "the command line | 1", ["", *VISIBILITIES][at % 3])
        if elsewhere:
            is_free = model.head is None and model.stone is None
            self.must(lambda journal: journal.lifecycle.put_tombstone(match, stone), is_free)
            if is_free:
                model.stone = stone
                self.fed[partition_of(match, PARTITIONS)].append((match, 1))
            return

        expected = Deleted if model.stone else (Conflict, 0) if model.head is None else model.marker
        self.must(lambda journal: journal.lifecycle.delete(match, stone), expected)
        if model.head is not None:
            self.kept[match] = Kept(stone=stone)
            self.looks.pop(match, None)

    @rule(match=MATCHES, lacks=st.sampled_from(["", "", "", "commit", "id", "hash"]))
    def archive(self, match: str, lacks: str) -> None:
        """Archive a match, if it is final and packed whole. `lacks` names an unpacked part."""
        model = self.kept[match]
        last_hash = model.head.hash if model.head and lacks != "hash" else "another"
        marker = replace(MARKER, commits=len(model.commits) - (lacks == "commit"))
        last = Last(last_hash, len(model.ids) - (lacks == "id"))
        may_leave = model.head is not None and model.head.final and model.commits != []
        leaves = may_leave and lacks == ""
        expected = None if leaves else (Conflict, model.head.version if model.head else 0)

        self.must(lambda journal: journal.lifecycle.archive(match, marker, last), expected)
        if leaves:
            self.packed[match] = model.whole
            model.pack(marker)
            self.looks.pop(match, None)

    @rule(match=MATCHES, size=st.sampled_from([9, 9, 8]))
    def unarchive(self, match: str, size: int) -> None:
        """Restore a match, if it was archived with this marker."""
        model = self.kept[match]
        whole = self.packed.get(match, Whole([b"c"], {}))
        marker = replace(MARKER, commits=len(whole.commits), size=size)
        comes_back = model.marker == marker
        expected = None if comes_back else (Conflict, model.head.version if model.head else 0)

        self.must(lambda journal: journal.lifecycle.unarchive(match, marker, whole), expected)
        if comes_back:
            model.marker = None
            model.commits, model.ids = list(whole.commits), dict(whole.ids)
            model.thoughts = list(whole.thoughts)

    # ---- matches to look at ----

    @rule(times=st.dictionaries(MATCHES, st.none() | TIMES, max_size=2))
    def look_again(self, times: dict[str, int | None]) -> None:
        self.must(lambda journal: journal.index.look_again(times), None)
        for match, time in times.items():
            self.looks.pop(match, None)
            if time is not None:
                self.looks[match] = time

    def idle_first(self) -> list[tuple[int, str]]:
        """Return the times of the next looks at matches, the longest idle first."""
        return sorted((time, match) for match, time in self.looks.items())

    @rule(steps=st.integers(1, 4))
    def pass_time(self, steps: int) -> None:
        self.clock.ahead += steps * STEP
        for server in self.servers:
            make_older(server, steps * STEP)

    @rule(steps=st.integers(0, 3))
    def claim(self, steps: int) -> None:
        # Half a step more or less: no match is due to the millisecond.
        half = STEP // 2
        self.same(lambda journal: in_steps(journal.pending.due(steps * STEP, len(NAMES))))
        self.same(lambda journal: in_steps(journal.pending.claim(steps * STEP + half, half, 9)))

    @rule(match=MATCHES, pauses=st.lists(st.integers(1, 3), max_size=3))
    def fail(self, match: str, pauses: list[int]) -> None:
        """Note a failure. It counts only if the match waits."""
        pauses_ms = [pause * STEP - STEP // 2 for pause in pauses]
        failure = self.same(lambda journal: journal.pending.fail(match, "ValueError", pauses_ms))

        head = self.kept[match].head
        waits = head is not None and head.awaiting != ""
        assert (failure is not None) == waits

    @rule(match=MATCHES)
    def free(self, match: str) -> None:
        self.same(lambda journal: journal.pending.free(match))

    # ---- what holds after each step ----

    @invariant()
    def each_match_is_whole(self) -> None:
        """Commits, metadata and snapshot are stored. A deleted match has only its tombstone."""
        models = self.kept.values()
        self.must(
            lambda journal: of_each_match(journal.events.read), [one.commits for one in models]
        )
        self.must(
            lambda journal: of_each_match(journal.metadata.dump), [one.metadata for one in models]
        )
        self.must(
            lambda journal: of_each_match(journal.metadata.snapshot),
            [one.snapshot for one in models],
        )

    @invariant()
    def feeds_hold_every_commit(self) -> None:
        """Each commit is in its feed once and in order, even if its match was deleted."""
        ids = sorted(match for feed in self.fed for match, version in feed if version == 1)
        self.must(all_feeds, self.fed)
        self.must(lambda journal: journal.events.commit_count(), sum(map(len, self.fed)))
        self.must(lambda journal: sorted(journal.events.matches()), ids)

    @invariant()
    def indexes_follow_the_heads(self) -> None:
        """Public matches are listed and counted. Matches with work wait.

        Archived ones have markers.
        """
        counts = {status: len(self.listed(status, "")) for status in STATUSES}
        heads = {match: model.head for match, model in self.kept.items()}
        must_wait = {match for match, head in heads.items() if head is not None and head.awaiting}
        markers = {match: model.marker for match, model in self.kept.items() if model.marker}

        for status in ("", *STATUSES):
            listed = [self.listed(status, game) for game in LISTED_GAMES]
            self.must(partial(lists_of, status), listed)
        self.must(lambda journal: journal.index.listed_counts(), counts)
        due = [[match for time, match in self.idle_first() if time <= now] for now in LOOKS]
        self.must(looks_at, due)
        self.must(lambda journal: dict(journal.lifecycle.all_archived()), markers)

        pending = self.in_memory.pending.due(0, 99)
        parked = [one for one in pending if one.parked]
        assert {one.match for one in pending} == must_wait
        self.must(
            lambda journal: journal.pending.totals()[:2],
            (len(pending) - len(parked), len(parked)),
        )


def in_steps(claims: list[Pending]) -> list[Pending]:
    """Return waiting matches by their names, with waits in whole steps.

    Both journals have clocks of their own, so milliseconds differ.
    """
    rounded = [replace(pending, waited=pending.waited // STEP) for pending in claims]
    return sorted(rounded, key=lambda pending: pending.match)


def append(new: Entry, journal: Journal) -> Appended:
    """Append an entry to a journal."""
    return journal.events.append(new)


def of_each_match(ask: Callable[[str], object]) -> list[object]:
    """Return the answers to one call for each match."""
    return [ask(match) for match in NAMES]


def lists_of(status: str, journal: Journal) -> list[list[tuple[int, str]]]:
    """Return the list of all games of a status, and that of each."""
    return [journal.index.listing(status, None, 99, game) for game in LISTED_GAMES]


def looks_at(journal: Journal) -> list[list[str]]:
    """Return the matches to look at by some times."""
    return [journal.index.idle(now, 99) for now in LOOKS]


def all_feeds(journal: Journal) -> list[list[tuple[str, int]]]:
    """Return match and version of each line of each feed."""
    return [lines(journal, feed) for feed in range(PARTITIONS)]


# ---- one life for every journal, and then any other ----------------------------------------------

STEPS: dict[str, Any] = {
    **PLAIN,
    "fingerprint": "f",
    "commit_bytes": bytes(range(256)),
    "metadata": {},
    "status": "open",
    "awaiting": "",
    "visibility": "public",
    "waiting": (0, 2),
    "updated": LOOKS[0],
    "thought": b"",
}
THOUGHT = b'{"version":2,\r"best":\t[0.417]}'


def commit(**changes: Any) -> dict[str, Any]:
    """Return the changes of an acceptable entry."""
    return {**STEPS, **changes}


BEGUN = [
    commit(command_id="p", metadata={"x": "first", "y": "2"}, thought=THOUGHT),
    commit(status="running", awaiting="bots", metadata={"y": None, "z": "\u00e9"}),
]
ENDED = [*BEGUN, commit(status="ended", command_id="q", updated=LOOKS[1], hash="other")]
LATE = [commit()]

# Each step is the name of a rule, with its arguments.
LIFE: list[tuple[str, dict[str, Any]]] = [
    ("append", {"match": "d:7:d", "many": BEGUN}),
    ("archive", {"match": "d:7:d", "lacks": ""}),
    ("put_snapshot", {"match": "d:7:d", "snapshot": b"state"}),
    ("fail", {"match": "d:7:d", "pauses": []}),
    ("delete", {"match": "d:7:d", "elsewhere": False, "at": 1_000}),
    ("append", {"match": "d:7:d", "many": LATE}),
    ("restore", {"match": "d:7:d", "changes": LATE}),
    ("put", {"match": "d:7:d", "fields": {"x": "1"}, "precondition": NO_PRECONDITION}),
    ("put_snapshot", {"match": "d:7:d", "snapshot": b"late"}),
    ("delete", {"match": "d:7:d", "elsewhere": False, "at": 1_001}),
    ("delete", {"match": "b", "elsewhere": True, "at": 1_001}),
    ("delete", {"match": "b", "elsewhere": True, "at": 1_002}),
    ("append", {"match": "b", "many": LATE}),
    ("append", {"match": "a", "many": ENDED}),
    ("append", {"match": "a", "many": [commit(command_id="p"), commit(command_id="p", ahead=-1)]}),
    ("append", {"match": "a", "many": [commit(command_id="p", fingerprint="another")]}),
    ("look_again", {"times": {"a": 1_004}}),
    ("read", {"match": "a", "after": 1, "limit": 1, "command_id": "q"}),
    ("pages", {"status": "", "before": (1_001, "a"), "limit": 1, "game": "", "now": 1_004}),
    ("put", {"match": "a", "fields": {"x": "2"}, "precondition": ("x", "other")}),
    ("put", {"match": "a", "fields": {"x": "2", "z": None}, "precondition": ("x", "first")}),
    ("put", {"match": "a", "fields": {"y": ""}, "precondition": NO_PRECONDITION}),
    *(("put_if_missing", {"match": "a", "name": name}) for name in "xyz"),
    ("put_snapshot", {"match": "a", "snapshot": b"state"}),
    *(("archive", {"match": "a", "lacks": lacks}) for lacks in ("commit", "id", "hash", "")),
    ("archive", {"match": "a", "lacks": ""}),
    ("put_snapshot", {"match": "a", "snapshot": b"late"}),
    ("append", {"match": "a", "many": LATE}),
    ("put", {"match": "a", "fields": {"x": None}, "precondition": NO_PRECONDITION}),
    ("unarchive", {"match": "a", "size": 8}),
    ("unarchive", {"match": "a", "size": 9}),
    ("archive", {"match": "a", "lacks": ""}),
    ("delete", {"match": "a", "elsewhere": False, "at": 1_000}),
    ("restore", {"match": "c", "changes": ENDED}),
    ("archive", {"match": "c", "lacks": ""}),
    ("unarchive", {"match": "c", "size": 9}),
    ("append", {"match": "c", "many": [commit(status="running")]}),
    ("archive", {"match": "c", "lacks": ""}),
]


def live_through(twins: type[Twins]) -> None:
    """Take the steps of `LIFE`, except those the state machine lacks. Then take random steps."""
    machine = twins()
    machine.empty()
    for name, arguments in LIFE:
        if getattr(machine, name) is not None:
            getattr(machine, name)(**arguments)
            machine.each_match_is_whole()
            machine.feeds_hold_every_commit()
            machine.indexes_follow_the_heads()

    run_state_machine_as_test(twins, settings=SHORT)


@contextmanager
def on_servers(url: str, clients: Sequence[Any]) -> Iterator[type[Twins]]:
    """Let the other journal lie on servers, emptied by their clients."""
    with closing(open_journal(url, PARTITIONS)) as journal:

        def emptied(_clock: Clock) -> Journal:
            for client in clients:
                client.flushall()
            return journal

        opening = {"open_other": staticmethod(emptied), "servers": clients}
        yield type("OnServers", (Twins,), opening)


@pytest.fixture(autouse=True)
def _short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of all matches read feeds by a few lines at a time."""
    monkeypatch.setattr(redis_events, "_LINES", 3)


@pytest.mark.whole
def test_a_server_answers_as_the_model(redis_url: str) -> None:
    """Random runs of appends, repeats and changes get the model's answers."""
    client = Redis.from_url(redis_url, decode_responses=True)
    with client, on_servers(redis_url, [client]) as twins:
        live_through(twins)


@pytest.mark.whole
def test_a_cluster_answers_as_the_model(
    shared_cluster: RunningCluster, cluster_masters: list[Any]
) -> None:
    with on_servers(shared_cluster.url, cluster_masters) as twins:
        live_through(twins)


def test_a_journal_beside_an_archive_answers_as_the_model(tmp_path: Path) -> None:
    """The archive stays empty, since these commits cannot be packed."""
    place = open_place(str(tmp_path))

    def beside_an_archive(clock: Clock) -> Journal:
        return with_archive(memory_journal(PARTITIONS, clock), Archive(place))

    without = {"archive": None, "unarchive": None}
    opening = {"open_other": staticmethod(beside_an_archive), **without}
    live_through(type("BesideAnArchive", (Twins,), opening))
