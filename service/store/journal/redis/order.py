"""The order of the log: a list and its state, in one slot of a cluster."""

import hashlib
import itertools
from collections.abc import Mapping, Sequence

from service.store.journal import encoding, values
from service.store.journal.keys import LAYOUT, LOG, ORDER
from service.store.journal.redis.connection import Argument, Reply, retries_once, translates_errors
from service.store.journal.redis.scripts import LuaScript
from service.store.journal.redis.store import NEWEST_LAYOUT, RedisPort, RedisStore, Request


class RedisOrder(RedisPort):
    """The order of the log: a list and its state, in one slot of a cluster."""

    def __init__(self, store: RedisStore) -> None:
        super().__init__(store)
        self._turns = itertools.count()
        self._has_newest_layout = False

    @retries_once
    def state(self, *, whole: bool = True) -> values.Order:
        """Return the state of the order."""
        if whole:
            return encoding.read_order(self._store.client.hgetall(ORDER[1]))

        command = ("HMGET", ORDER[1], *encoding.ORDER_FIELDS)
        [contents] = self._store.send(Request([command]))
        present = encoding.present_fields(encoding.ORDER_FIELDS, contents)
        return encoding.read_order({k.encode(): v.encode() for k, v in present.items()})

    @retries_once
    def settled(self) -> values.Order:
        """Return the state of the order once replicas have confirmed the whole order."""
        [fields] = self._store.send(Request([("HGETALL", ORDER[1])], "read"))
        if isinstance(fields, list):
            fields = dict(zip(fields[::2], fields[1::2], strict=True))
        return encoding.read_order(fields)

    @retries_once
    def news(self, cursors: Mapping[int, values.Cursor], limit: int) -> values.FeedNews:
        """Return lines of the feeds after some cursors. Calls begin with each feed in turn."""
        store, feeds = self._store, self._keys.feed
        first = next(self._turns) % len(feeds)
        partitions = [*range(first, len(feeds)), *range(first)]
        arguments: list[Argument] = [limit]
        for partition, one in cursors.items():
            if one.id and partition < len(feeds):
                arguments += (feeds[partition], one.id, f"{one.match}:{one.version}")

        keys = [feeds[number] for number in partitions]
        answers = store.send_each(store.scripts.news, keys, arguments)
        if store.replicas and any(lines for lines, _missing in answers):
            # Replicas may not have these lines yet. Read again, and wait for their confirmation.
            answers = store.send_each(store.scripts.news, keys, arguments, "read")
        return self._news(answers)

    def _news(self, answers: Sequence[Reply]) -> values.FeedNews:
        numbers = {key.encode(): number for number, key in enumerate(self._keys.feed)}
        lines: list[tuple[int, values.Line]] = []
        missing: set[int] = set()
        for texts, missing_keys in answers:
            numbered = encoding.read_feed_lines(texts, numbers)
            lines += [(number, line) for number, line in numbered if line]
            missing |= {numbers[key] for key in missing_keys}
        return values.FeedNews(lines, frozenset(missing))

    @translates_errors
    def decide(
        self,
        expected: values.Order,
        lines: Sequence[bytes],
        cursors: Mapping[int, values.Cursor],
        generation: str,
    ) -> bool:
        """Append lines with one script."""
        store = self._store
        before = {number: expected.cursors.get(number) for number in cursors}
        arguments: list[Argument] = [expected.size, len(lines), len(cursors), *lines]
        arguments += (*encoding.packed_cursors(before), *encoding.packed_cursors(cursors))
        arguments += ("generation", generation)
        return self._change(store.scripts.decide, arguments)

    @retries_once
    def decided(self, position: int, limit: int) -> list[bytes] | None:
        """Return lines from a position on, None if the first of them is no longer stored."""
        script = self._store.scripts.decided
        lines: list[bytes] | None = script(keys=ORDER, args=[position, limit])
        return lines

    @translates_errors
    def publish(self, published: int, lines: Sequence[bytes], key: str, checkpoint: bytes) -> bool:
        """Publish a checkpoint with one script."""
        store = self._store
        size = published + len(lines)
        base = values.first_kept(size)
        channel = self._keys.channel(LOG)
        digest = hashlib.sha1(b"\n".join([*lines, b""]), usedforsecurity=False).hexdigest()
        arguments: list[Argument] = [published, size, base, key, checkpoint, channel, digest]
        return self._change(store.scripts.publish, arguments)

    @translates_errors
    def cosign(self, size: int, checkpoint: bytes) -> bool:
        """Store a cosigned checkpoint with one script."""
        store = self._store
        return self._change(store.scripts.cosign, [size, checkpoint])

    @translates_errors
    def adopt(self, size: int, published: int, new: values.Order, lines: Sequence[bytes]) -> bool:
        """Replace the order with one script."""
        store = self._store
        arguments: list[Argument] = [size, published, len(lines), *lines]
        arguments += encoding.packed_order(new)
        return self._change(store.scripts.adopt, arguments)

    def _change(self, script: LuaScript, arguments: Sequence[Argument]) -> bool:
        """Change the order with a script. Return False if the script has refused."""
        [answer] = self._store.send(Request([script.on(ORDER, arguments)], "write"))
        return bool(answer)

    def trim(self, partition: int, cursor: values.Cursor, age_ms: int, limit: int) -> int:
        """Trim lines of a feed with one script."""
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
        """Mark the journal with the newest layout, so that older releases refuse the journal.

        They look for all matches in the feeds, and a trimmed feed lacks matches.
        """
        if not self._has_newest_layout:
            self._store.client.set(LAYOUT, NEWEST_LAYOUT)
            self._has_newest_layout = True

    @retries_once
    def report(self, stopped: str) -> None:
        """Store the reason of a standstill of the log. "" deletes the stored reason."""
        if stopped:
            self._store.client.hset(ORDER[1], "stopped", stopped)
        else:
            self._store.client.hdel(ORDER[1], "stopped")
