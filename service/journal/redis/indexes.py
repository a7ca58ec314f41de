"""Indexes: the public matches, those that may be idle, those that wait, timers, the log's order.

Each partition has its indexes, so every question goes to all partitions, in one round trip a
server. Lists and counts are put together by scripts, where the indexes are. How long a match has
waited is measured by the clock of that server alone, so a wrong clock elsewhere hides no match.
"""

import hashlib
import itertools
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence

from service.journal import encoding, values
from service.journal.encoding import listing_bounds, read_gaps, read_listing_member
from service.journal.keys import BEAT, LAYOUT, LOG, ORDER, ORDER_PROBE
from service.journal.redis.connection import (
    Argument,
    Reply,
    follows_moves,
    retries_once,
    translates_errors,
)
from service.journal.redis.events import lines_in
from service.journal.redis.store import NEWEST_LAYOUT, Port, Store
from service.journal.values import (
    CLOCK,
    HOOK,
    STATUSES,
    Beat,
    Failure,
    Pending,
    PendingTotals,
    SetBacks,
    Timer,
)

# Lines of INFO that change with whatever is written. The time is in seconds, and two saves may fall
# within one.
_COUNTS = (b"rdb_changes_since_last_save", b"rdb_last_save_time", b"rdb_saves")
_WRITTEN = re.compile(rb"^(?:%s):\d+" % b"|".join(_COUNTS), re.MULTILINE)


class RedisIndex(Port):
    """A sorted set for each partition and question."""

    @retries_once
    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches before a cursor, newest first."""
        store = self._store
        group = f"@{game}:{status}" if game else status
        newest, oldest = listing_bounds(group, before)
        prefix = f"{group}:"
        arguments: list[str | int] = [
            newest,
            oldest,
            limit,
            _first_asked(limit, store.keys.partitions),
            len(prefix) + 1,
            int(store.servers.is_cluster),
        ]

        keys = store.keys.listing
        script = store.scripts.list
        answers = store.query_raw(("EVALSHA", script.sha, 0, len(keys), *keys, *arguments))
        if answers is None:
            answers = store.query_partitions(script, keys, arguments)

        members = itertools.chain.from_iterable(answers)
        newest_first = sorted(members, reverse=True)[:limit]
        return [
            read_listing_member(member.decode().removeprefix(prefix)) for member in newest_first
        ]

    @retries_once
    def listed_counts(self) -> dict[str, int]:
        """Return how many public matches there are of each status, counted in every partition."""
        bounds = []
        for status in STATUSES:
            newest, oldest = listing_bounds(status, before=None)
            bounds.append(f"{oldest} {newest}")

        sums = self._store.sums("ZLEXCOUNT", self._keys.listing, bounds)
        return dict(zip(STATUSES, sums, strict=True))

    @retries_once
    def written(self) -> str:
        """Return a fingerprint of all that was written to one server, "" for several.

        The server counts its changes since the last time that it wrote all to a file, and knows
        when that was and how often it did so. To ask for that costs it as much as a few GETs.
        """
        store = self._store
        if not store.servers.is_fixed:
            return ""

        answers = store.query_raw(("INFO", "persistence"))
        if answers is None:
            store.client.ping()  # raises what is wrong, if it still is
            return ""
        found = _WRITTEN.findall(answers[0])
        return b" ".join(found).decode() if len(found) == len(_COUNTS) else ""

    @retries_once
    def idle(self, before: int, limit: int) -> list[str]:
        """Return matches that are to be looked at by a time, first due first."""
        answers = self._store.query_each(
            "zrangebyscore",
            self._keys.idle,
            min="-inf",
            max=before,
            start=0,
            num=limit,
            withscores=True,
        )
        members = itertools.chain.from_iterable(answers)
        due = sorted((int(time), match.decode()) for match, time in members)
        return [match for _, match in due[:limit]]

    @retries_once
    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Set when matches are to be looked at again; None: never."""
        keys = self._keys
        with self._store.pipeline() as pipeline:
            for match, time in times.items():
                key = keys.idle[keys.partition_of(match)]
                if time is None:
                    pipeline.zrem(key, match)
                else:
                    pipeline.zadd(key, {match: time})

            pipeline.execute()


def _first_asked(limit: int, partitions: int) -> int:
    """Return for how many members each partition is asked first.

    Few partitions have more of the newest than twice their share of them, and those are asked
    again.
    """
    return 2 * limit // partitions + 1


# ---- matches that wait, and timers: found, claimed and put off -----------------------------------


_WOKEN_AT_ONCE = 10_000  # timers that one script makes due
_MOST_GAPS = 6_000  # bytes of all gaps, which are about 200; the oldest ones go first


class RedisPending(Port):
    """Who waits since when, who was claimed, and whose work has failed."""

    @retries_once
    def due(self, waited_ms: int, limit: int) -> list[Pending]:
        """Return matches that have waited for so long, longest first."""
        store = self._store
        arguments = [waited_ms, limit]
        answers = store.query_partitions(store.scripts.pending, store.keys.roots, arguments)

        found = []
        for answer in answers:
            for match, waited, record, parked in _groups(answer, 4):
                found.append(_read_pending(match, waited, record, parked=parked == 1))

        found.sort(key=_longest_first)
        return found[:limit]

    @retries_once
    def totals(self) -> PendingTotals:
        """Return how many matches wait and how many are parked, and the longest wait."""
        answers = self._store.query_partitions(self._store.scripts.totals, self._keys.roots)
        counts = [PendingTotals(*answer) for answer in answers]
        return PendingTotals(
            waiting=sum(count.waiting for count in counts),
            parked=sum(count.parked for count in counts),
            longest_wait=max(count.longest_wait for count in counts),
        )

    def claim(self, waited_ms: int, longest_pause_ms: int, limit: int) -> list[Pending]:
        """Return matches that are to be looked at now, each put off at once.

        limit: of each server that holds partitions.
        """
        return self._claim([waited_ms, longest_pause_ms, limit, _claim_name()])

    @retries_once
    def _claim(self, arguments: Sequence[Argument]) -> list[Pending]:
        store = self._store
        answers = store.query_partitions(store.scripts.claim, store.keys.roots, arguments)

        claimed = []
        for answer in answers:
            for match, waited, record in _groups(answer, 3):
                claimed.append(_read_pending(match, waited, record, parked=False))

        claimed.sort(key=_longest_first)
        return claimed

    @translates_errors
    @follows_moves
    def fail(self, match_id: str, error: str, pauses_ms: Sequence[int]) -> Failure | None:
        """Note a failure, and put the match off or park it."""
        tries, parked = self._store.scripts.fail(
            keys=self._keys.of_failure(match_id),
            args=[match_id, error, *pauses_ms],
        )
        return Failure(tries, parked == 1) if tries else None

    @translates_errors
    @follows_moves
    def free(self, match_id: str) -> bool:
        """Forget the failures of a match; return whether it had any."""
        _head, *keys = self._keys.of_failure(match_id)
        return bool(self._store.scripts.free(keys=keys, args=[match_id]))

    @translates_errors
    @follows_moves
    def rouse(self, match_id: str) -> bool:
        """Have a match wait that was resting; return True if it was."""
        keys = self._keys.of_failure(match_id)
        return bool(self._store.scripts.rouse(keys=keys, args=[match_id]))

    @retries_once
    def forget(self, matches: Sequence[str]) -> None:
        """Forget claims and failures of matches that do not wait any more.

        A commit that makes one wait again meanwhile is not forgotten: it is in the index of the
        matches that were not claimed.
        """
        keys = self._keys
        with self._store.pipeline() as pipeline:
            for match in matches:
                late, again, failing = keys.late[keys.partition_of(match)]
                pipeline.zrem(late, match)
                pipeline.zrem(again, match)
                pipeline.hdel(failing, match)

            pipeline.execute()


class RedisTimers(Port):
    """What is due at a time."""

    @retries_once
    def beat(self, time: int, longest_ms: int) -> Beat:
        """Note that timers are seen to now, and return the gaps."""
        arguments = [time, longest_ms, _MOST_GAPS]
        found = self._beat(*arguments, "")
        if found.set_back_ms == 0:
            return found

        # Woken before the beat is noted: after a crash in between the next beat finds it again.
        store = self._store
        while sum(store.query_partitions(store.scripts.wake, store.keys.roots, [_WOKEN_AT_ONCE])):
            pass
        return self._beat(*arguments, "1")

    def _beat(self, *arguments: int | str) -> Beat:
        there, gaps, set_back_ms = self._store.scripts.beat(keys=[BEAT], args=arguments)
        return Beat(there, read_gaps(gaps.decode()), set_back_ms)

    @retries_once
    def set_backs(self) -> SetBacks:
        """Return how often the clock was set back, by what beats have found."""
        [found] = self._store.query(("HMGET", BEAT, "set_backs", "ahead_until"))
        times, ahead_until = (int(value or 0) for value in found)
        return SetBacks(times, ahead_until)

    @retries_once
    def time(self) -> int:
        """Return the time of the server that holds the beat."""
        seconds, microseconds = self._store.holder(BEAT).time()
        return int(seconds) * 1000 + int(microseconds) // 1000

    def claim(self, leases_ms: Mapping[str, int], limit: int) -> list[Timer]:
        """Return timers that are due, each put off at once."""
        return self._claim([leases_ms[CLOCK], leases_ms[HOOK], limit, _claim_name()])

    @retries_once
    def _claim(self, arguments: Sequence[Argument]) -> list[Timer]:
        store = self._store
        answers = store.query_partitions(store.scripts.timers, store.keys.roots, arguments)

        claimed = []
        for answer in answers:
            for member, due, claimed_until in _groups(answer, 3):
                kind, match = member.decode().split(":")
                claimed.append(Timer(kind, match, int(due), int(claimed_until)))

        claimed.sort(key=lambda timer: timer.due)
        return claimed

    @translates_errors
    @follows_moves
    def settle(self, timer: Timer, wait_ms: int | None) -> bool:
        """Have a claimed timer due again, unless a commit has set it since the claim."""
        answer = self._settle(timer.kind, timer.match, str(timer.claimed_until), wait_ms)
        return bool(answer)

    @translates_errors
    @follows_moves
    def ring(self, kind: str, match_id: str) -> None:
        """Have a timer due now."""
        self._settle(kind, match_id, "", 0)

    def _settle(self, kind: str, match_id: str, claimed_until: str, wait_ms: int | None) -> Reply:
        timers = self._keys.timers[self._keys.partition_of(match_id)]
        wait = "" if wait_ms is None else wait_ms
        arguments = [f"{kind}:{match_id}", claimed_until, wait]
        return self._store.scripts.settle(keys=[timers], args=arguments)


def _claim_name() -> str:
    """Return a name for a claim. A retry has the same one, and gets the same answer."""
    return secrets.token_hex(8)


def _longest_first(pending: Pending) -> tuple[int, str]:
    return -pending.waited, pending.match


def _groups(answer: Sequence[Reply], size: int) -> Iterator[tuple[Reply, ...]]:
    """Return the values of an answer in groups of so many."""
    values = iter(answer)
    return iter(lambda: tuple(itertools.islice(values, size)), ())


def _read_pending(match: bytes, waited: int, record: bytes, *, parked: bool) -> Pending:
    """Return a match that waits, as the scripts list it; fail.lua writes the record."""
    tries, error = "0", ""
    if record:
        _version, tries, _since, error = record.decode().split("|", 3)
    return Pending(match.decode(), waited, int(tries), error, parked)


class RedisOrder(Port):
    """The order of the log: a list and its state, in one slot of a cluster."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._turns = itertools.count()
        self._has_newest_layout = False

    @retries_once
    def state(self, *, whole: bool = True) -> values.Order:
        """Return how far the order goes."""
        if whole:
            return encoding.read_order(self._store.client.hgetall(ORDER[1]))

        [found] = self._store.query(("HMGET", ORDER[1], *encoding.ORDER_FIELDS))
        present = encoding.present_fields(encoding.ORDER_FIELDS, found)
        return encoding.read_order({k.encode(): v.encode() for k, v in present.items()})

    @retries_once
    def settled(self) -> values.Order:
        """Return how far the order goes, once replicas have confirmed all of it."""
        fields = self._store.query_confirmed_beside(ORDER_PROBE, "HGETALL", ORDER[1])
        if isinstance(fields, list):
            fields = dict(zip(fields[::2], fields[1::2], strict=True))
        return encoding.read_order(fields)

    @retries_once
    def news(self, cursors: Mapping[int, values.Cursor], limit: int) -> values.News:
        """Return lines of the feeds after some cursors; other feeds come first at each call."""
        store, feeds = self._store, self._keys.feed
        first = next(self._turns) % len(feeds)
        partitions = [*range(first, len(feeds)), *range(first)]
        arguments: list[Argument] = [limit]
        for partition, one in cursors.items():
            if one.id and partition < len(feeds):
                arguments += (feeds[partition], one.id, f"{one.match}:{one.version}")

        keys = [feeds[number] for number in partitions]
        answers = store.query_partitions(store.scripts.news, keys, arguments)
        if store.replicas and any(lines for lines, _missing in answers):
            # What was just read may not be on replicas yet, and is read again with their word.
            probes = {feeds[number]: self._keys.probe[number] for number in partitions}
            answers = store.query_partitions_confirmed(store.scripts.news, probes, arguments)
        return self._news(answers)

    def _news(self, answers: Sequence[Reply]) -> values.News:
        numbers = {key.encode(): number for number, key in enumerate(self._keys.feed)}
        lines: list[tuple[int, values.Line]] = []
        missing: set[int] = set()
        for texts, missing_keys in answers:
            lines += [(number, line) for number, line in lines_in(texts, numbers) if line]
            missing |= {numbers[key] for key in missing_keys}
        return values.News(lines, frozenset(missing))

    @translates_errors
    def decide(
        self,
        seen: values.Order,
        lines: Sequence[bytes],
        cursors: Mapping[int, values.Cursor],
        generation: str,
    ) -> bool:
        """Append lines with one script."""
        store = self._store
        before = {number: seen.cursors.get(number) for number in cursors}
        arguments: list[Argument] = [seen.size, len(lines), len(cursors), *lines]
        arguments += (*encoding.packed_cursors(before), *encoding.packed_cursors(cursors))
        arguments += ("generation", generation)
        return bool(store.write(store.scripts.decide, ORDER, arguments))

    @retries_once
    def decided(self, position: int, limit: int) -> list[bytes] | None:
        """Return lines from a position on."""
        script = self._store.scripts.decided
        lines: list[bytes] | None = script(keys=ORDER, args=[position, limit])
        return lines

    @translates_errors
    def publish(self, published: int, lines: Sequence[bytes], key: str, checkpoint: bytes) -> bool:
        """Publish a checkpoint with one script."""
        store = self._store
        size = published + len(lines)
        kept = values.first_kept(size)
        channel = self._keys.channel(LOG)
        digest = hashlib.sha1(b"\n".join([*lines, b""]), usedforsecurity=False).hexdigest()
        arguments: list[Argument] = [published, size, kept, key, checkpoint, channel, digest]
        return bool(store.write(store.scripts.publish, ORDER, arguments))

    @translates_errors
    def cosign(self, size: int, checkpoint: bytes) -> bool:
        """Keep a cosigned checkpoint with one script."""
        store = self._store
        return bool(store.write(store.scripts.cosign, ORDER, [size, checkpoint]))

    @translates_errors
    def adopt(self, size: int, published: int, new: values.Order, lines: Sequence[bytes]) -> bool:
        """Replace the order with one script."""
        store = self._store
        arguments: list[Argument] = [size, published, len(lines), *lines]
        arguments += encoding.packed_order(new)
        return bool(store.write(store.scripts.adopt, ORDER, arguments))

    def trim(self, partition: int, cursor: values.Cursor, age_ms: int, limit: int) -> int:
        """Let lines of a feed go with one script."""
        if not cursor.id or partition >= self._keys.partitions:
            return 0
        self._demand_newest_layout()
        line = f"{cursor.match}:{cursor.version}"
        return self._trim(partition, [cursor.id, line, age_ms, limit])

    @retries_once
    def _trim(self, partition: int, arguments: Sequence[Argument]) -> int:
        keys = self._keys
        of_partition = [keys.feed[partition], keys.begun[partition], keys.trimmed[partition]]
        return int(self._store.scripts.trim(keys=of_partition, args=arguments))

    @retries_once
    def _demand_newest_layout(self) -> None:
        """Have releases refuse the journal that look for all matches in the feeds."""
        if not self._has_newest_layout:
            self._store.client.set(LAYOUT, NEWEST_LAYOUT)
            self._has_newest_layout = True

    @retries_once
    def report(self, stopped: str) -> None:
        """Note why the log stands still."""
        if stopped:
            self._store.client.hset(ORDER[1], "stopped", stopped)
        else:
            self._store.client.hdel(ORDER[1], "stopped")
