"""The order of the log, a list of lines."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from service.store.journal import values
from service.store.journal.memory.store import MemoryPort, line_number


class MemoryOrder(MemoryPort):
    """The order of the log."""

    def state(self, *, whole: bool = True) -> values.Order:
        """Return the state of the order."""
        with self._lock:
            order = self._store.order
        return order if whole else replace(order, cursors={})

    def settled(self) -> values.Order:
        """Return the state of the order. There are no replicas."""
        return self.state()

    def news(self, cursors: Mapping[int, values.Cursor], limit: int) -> values.FeedNews:
        """Return lines of the feeds after some cursors."""
        store = self._store
        lines: list[tuple[int, values.Line]] = []
        missing: set[int] = set()
        with self._lock:
            for partition in range(len(store.feeds)):
                cursor = cursors.get(partition, values.Cursor())
                if cursor.id and not store.has_line(partition, cursor[:3]):
                    missing.add(partition)
                    continue
                new = store.lines(partition, line_number(cursor.id))
                lines += [(partition, line) for line in new]
        return values.FeedNews(lines[:limit], frozenset(missing))

    def decide(
        self,
        expected: values.Order,
        lines: Sequence[bytes],
        cursors: Mapping[int, values.Cursor],
        generation: str,
    ) -> bool:
        """Append lines if size and cursors are as expected."""
        store = self._store
        with self._lock:
            present = store.order.cursors
            is_other = any(present.get(one) != expected.cursors.get(one) for one in cursors)
            if store.order.size != expected.size or is_other:
                return False
            store.order_lines.extend(lines)
            store.order = replace(
                store.order,
                size=expected.size + len(lines),
                cursors={**store.order.cursors, **cursors},
                generation=generation,
            )
        return True

    def decided(self, position: int, limit: int) -> list[bytes] | None:
        """Return lines from a position on."""
        with self._lock:
            first = position - self._store.order.base
            return None if first < 0 else self._store.order_lines[first : first + limit]

    def publish(self, published: int, lines: Sequence[bytes], key: str, checkpoint: bytes) -> bool:
        """Publish a checkpoint, and forget lines in full bundles."""
        store = self._store
        size = published + len(lines)
        with self._lock:
            order = store.order
            if order.published != published or order.key not in ("", key):
                return False
            if store.order_lines[published - order.base : size - order.base] != list(lines):
                return False
            base = max(order.base, values.first_kept(size))
            del store.order_lines[: base - order.base]
            store.order = replace(order, published=size, base=base, key=key, checkpoint=checkpoint)
        return True

    def cosign(self, size: int, checkpoint: bytes) -> bool:
        """Store a checkpoint with the signatures of witnesses."""
        store = self._store
        with self._lock:
            if not store.order.cosigned_size <= size <= store.order.published:
                return False
            store.order = replace(store.order, cosigned=checkpoint, cosigned_size=size)
        return True

    def adopt(self, size: int, published: int, new: values.Order, lines: Sequence[bytes]) -> bool:
        """Replace the order."""
        with self._lock:
            if (self._store.order.size, self._store.order.published) != (size, published):
                return False
            self._store.order = new
            self._store.order_lines = list(lines)
        return True

    def trim(self, partition: int, cursor: values.Cursor, age_ms: int, limit: int) -> int:
        """Trim old lines of a feed before a cursor."""
        store = self._store
        with self._lock:
            if not store.has_line(partition, cursor[:3]):
                return 0
            newest = store.clock() - age_ms
            feed = store.feeds[partition]
            before = line_number(cursor.id) - 1 - store.trimmed[partition]
            old = [line for line in feed[: min(before, limit)] if line[2] <= newest]
            store.begun[partition] += [match for match, version, _ in old if version == 1]
            del feed[: len(old)]
            store.trimmed[partition] += len(old)
        return len(old)

    def report(self, stopped: str) -> None:
        """Note the reason of a standstill of the log."""
        with self._lock:
            self._store.order = replace(self._store.order, stopped=stopped)
