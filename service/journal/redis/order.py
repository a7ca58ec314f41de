"""The order of the log: a list and its state, in one slot of a cluster."""

from collections.abc import Mapping, Sequence
from itertools import count

from service.journal import encoding, values
from service.journal.keys import ORDER, ORDER_PROBE
from service.journal.redis.connection import Argument, Reply, retries_once, translates_errors
from service.journal.redis.store import Port, Store


class RedisOrder(Port):
    """What is decided, published, and still to be read from the feeds."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._turns = count()

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
        keys = [*feeds[first:], *feeds[:first]]
        arguments: list[Argument] = [limit]
        for partition, one in cursors.items():
            if one.id and partition < len(feeds):
                arguments += (feeds[partition], one.id, f"{one.match}:{one.version}")

        answers = store.query_partitions(store.scripts.news, keys, arguments)
        if store.replicas and any(lines for lines, _missing in answers):
            # What was just read may not be on replicas yet, and is read again with their word.
            probes = dict(
                zip(keys, [*self._keys.probe[first:], *self._keys.probe[:first]], strict=True)
            )
            answers = store.query_partitions_confirmed(store.scripts.news, probes, arguments)
        return self._news(answers)

    def _news(self, answers: Sequence[Reply]) -> values.News:
        numbers = {key.encode(): number for number, key in enumerate(self._keys.feed)}
        lines: list[tuple[int, values.Line]] = []
        missing: set[int] = set()
        for texts, missing_keys in answers:
            for key, entry_id, line in zip(texts[::3], texts[1::3], texts[2::3], strict=True):
                lines.append((numbers[key], (entry_id.decode(), *encoding.read_feed_line(line))))
            missing |= {numbers[key] for key in missing_keys}
        return values.News(lines, frozenset(missing))

    @translates_errors
    def decide(
        self,
        size: int,
        lines: Sequence[bytes],
        cursors: Mapping[int, values.Cursor],
        generation: str,
    ) -> bool:
        """Append lines with one script."""
        store = self._store
        arguments: list[Argument] = [size, len(lines), *lines]
        arguments += (*encoding.packed_cursors(cursors), "generation", generation)
        return bool(store.write(store.scripts.decide, ORDER, arguments))

    @retries_once
    def decided(self, position: int, limit: int) -> list[bytes] | None:
        """Return lines from a position on."""
        script = self._store.scripts.decided
        lines: list[bytes] | None = script(keys=ORDER, args=[position, limit])
        return lines

    @translates_errors
    def publish(self, published: int, size: int, key: str, checkpoint: bytes) -> bool:
        """Publish a checkpoint with one script."""
        store = self._store
        arguments = [published, size, values.first_kept(size), key, checkpoint]
        return bool(store.write(store.scripts.publish, ORDER, arguments))

    @translates_errors
    def adopt(self, size: int, published: int, new: values.Order, lines: Sequence[bytes]) -> bool:
        """Replace the order with one script."""
        store = self._store
        arguments: list[Argument] = [size, published, len(lines), *lines]
        arguments += encoding.packed_order(new)
        return bool(store.write(store.scripts.adopt, ORDER, arguments))

    @retries_once
    def report(self, stopped: str) -> None:
        """Note why the log stands still."""
        if stopped:
            self._store.client.hset(ORDER[1], "stopped", stopped)
        else:
            self._store.client.hdel(ORDER[1], "stopped")
