"""The fake and the real journal cannot be told apart, whatever is done to both."""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from redis import Redis

from service.journal.errors import Conflict, JournalError
from service.journal.memory import MemoryJournal
from service.journal.port import Journal
from service.journal.redis import open_journal
from service.journal.values import STATUSES, Tombstone
from tests.service.journal.entries import entry

PARTITIONS = 3
CREATED = {"a": 1_000, "b": 1_000, "c": 1_001, "d": 5}
GAMES = {"a": "calimala", "b": "firenze", "c": "calimala", "d": "firenze"}
IMPORTED = {"a": 0, "b": 0, "c": 999, "d": 1_002}
MATCHES = st.sampled_from(sorted(CREATED))
SMALL = st.integers(0, 6)
FIELDS = st.dictionaries(
    st.sampled_from("xyz"), st.one_of(st.none(), st.text(max_size=3)), max_size=3
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


def test_the_fake_behaves_as_redis_does(redis_url: str) -> None:  # noqa: C901 - a rule a method
    """Any run of appends, repeats and changes gives the same answers from the fake and from Redis."""
    real = open_journal(redis_url, PARTITIONS)

    class Twins(RuleBasedStateMachine):
        """Both journals, asked the same."""

        fake: MemoryJournal

        @initialize()
        def empty(self) -> None:
            client: Redis = real._store.client
            client.flushall()
            self.fake = MemoryJournal(PARTITIONS)

        def same(self, call: Callable[[Journal], object]) -> None:
            assert outcome(call, real) == outcome(call, self.fake)

        @rule(
            match=MATCHES,
            ahead=st.sampled_from([0, 0, 0, 0, -1, 1]),
            prev=st.sampled_from([None, None, None, "other"]),
            command_id=st.sampled_from(["", "", "p", "q"]),
            fingerprint=st.sampled_from(["f", "f", "g"]),
            sidecar=FIELDS,
            head=st.fixed_dictionaries(
                {
                    "status": st.sampled_from(STATUSES),
                    "work": st.sampled_from(["", "house", "bots"]),
                    "visibility": st.sampled_from(["public", "public", "private"]),
                    "waiting": st.lists(st.integers(0, 3), unique=True, max_size=3).map(tuple),
                    "updated": st.integers(1_000, 1_010),
                }
            ),
        )
        def append(
            self,
            match: str,
            ahead: int,
            prev: str | None,
            sidecar: dict[str, str | None],
            **rest: Any,
        ) -> None:
            version = max(1, len(self.fake.read(match)) + 1 + ahead)
            head = {
                **rest["head"],
                "created": CREATED[match],
                "game": GAMES[match],
                "imported": IMPORTED[match],
            }
            if prev is not None:
                head["hash"] = prev
            new = entry(match, version, rest["command_id"], rest["fingerprint"], sidecar, **head)
            self.same(lambda journal: journal.append(new))

        @rule(match=MATCHES, sidecar=FIELDS)
        def put_sidecar(self, match: str, sidecar: dict[str, str | None]) -> None:
            self.same(lambda journal: journal.put_sidecar(match, sidecar))

        @rule(match=MATCHES, data=st.binary(max_size=4))
        def put_snapshot(self, match: str, data: bytes) -> None:
            self.same(lambda journal: journal.put_snapshot(match, data))

        @rule(match=MATCHES, after=SMALL, limit=st.integers(1, 3))
        def read(self, match: str, after: int, limit: int) -> None:
            self.same(lambda journal: journal.read(match, after, limit))
            self.same(lambda journal: journal.tail(match, after, "x"))

        @rule(match=MATCHES, command_id=st.sampled_from("pq"), fingerprint=st.sampled_from("fg"))
        def version_made(self, match: str, command_id: str, fingerprint: str) -> None:
            self.same(lambda journal: journal.version_made(match, command_id, fingerprint))

        @rule(
            status=st.sampled_from(["", *STATUSES]),
            before=st.none() | st.tuples(st.sampled_from([5, 1_000, 1_001]), MATCHES),
            limit=st.integers(1, 5),
            game=st.sampled_from(["", "calimala", "firenze"]),
        )
        def listing(
            self, status: str, before: tuple[int, str] | None, limit: int, game: str
        ) -> None:
            self.same(lambda journal: journal.listing(status, before, limit, game))

        @rule(match=st.sampled_from("ad"))
        def delete(self, match: str) -> None:
            self.same(lambda journal: journal.delete(match, Tombstone(7, "ada")))

        @rule(times=st.dictionaries(MATCHES, st.none() | st.integers(999, 1_011), max_size=2))
        def look_again(self, times: dict[str, int | None]) -> None:
            self.same(lambda journal: journal.look_again(times))

        @rule(before=st.integers(999, 1_011), limit=st.integers(1, 5))
        def idle(self, before: int, limit: int) -> None:
            self.same(lambda journal: journal.idle(before, limit))

        @rule(before=st.integers(999, 1_011), limit=st.integers(1, 5))
        def pending(self, before: int, limit: int) -> None:
            self.same(lambda journal: journal.pending(before, limit))

        @invariant()
        def agree(self) -> None:
            matches = sorted(CREATED)
            self.same(lambda journal: journal.heads(matches))
            self.same(lambda journal: [journal.sidecar(match) for match in matches])
            self.same(lambda journal: [journal.snapshot(match) for match in matches])
            self.same(lambda journal: [journal.deleted(match) for match in matches])
            self.same(lambda journal: journal.pending_count())
            self.same(
                lambda journal: [
                    row[1:] for part in range(PARTITIONS) for row in journal.feed(part, "", 999)
                ]
            )

    try:
        run_state_machine_as_test(Twins, settings=SHORT)
    finally:
        real.close()
