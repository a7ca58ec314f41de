"""The order of the log."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from service.store.journal import values


class OrderPort(Protocol):
    """The order of the log (`service.log`): which commit has which position.

    A line is what the log holds of a commit. Once it is decided, its position never changes.
    """

    def state(self, *, whole: bool = True) -> values.Order:
        """Return how far the order goes; without the cursors, if they are not wanted."""
        ...

    def settled(self) -> values.Order:
        """Return how far the order goes, once replicas have confirmed all of it."""
        ...

    def news(self, cursors: Mapping[int, values.Cursor], limit: int) -> values.FeedNews:
        """Return lines of the feeds after some cursors, once replicas have confirmed them.

        limit: of each server that holds partitions.
        """
        ...

    def decide(
        self,
        seen: values.Order,
        lines: Sequence[bytes],
        cursors: Mapping[int, values.Cursor],
        generation: str,
    ) -> bool:
        """Append lines, and set cursors and generation with them.

        Nothing changes, and the answer is False, unless the order has the size that was seen, and
        these cursors are those that were seen. If the answer is lost, that shows in the state.
        """
        ...

    def decided(self, position: int, limit: int) -> list[bytes] | None:
        """Return lines from a position on; None if the first of them is held no more."""
        ...

    def publish(self, published: int, lines: Sequence[bytes], key: str, checkpoint: bytes) -> bool:
        """Publish a checkpoint after that of the size `published`; forget lines in full bundles.

        lines: what it covers beyond that one.   key: its verifier key. Return whether that was
        done: nothing changes if another checkpoint was published meanwhile, if other lines are
        decided by now, or if the log has another key.
        """
        ...

    def cosign(self, size: int, checkpoint: bytes) -> bool:
        """Keep a published checkpoint of a size, which witnesses have signed, too.

        Return whether that was done: nothing changes if a greater one is kept.
        """
        ...

    def adopt(self, size: int, published: int, new: values.Order, lines: Sequence[bytes]) -> bool:
        """Replace the order, if it and its checkpoint have these sizes; return whether they had.

        lines: those from the base of the new one on.
        """
        ...

    def trim(self, partition: int, cursor: values.Cursor, age_ms: int, limit: int) -> int:
        """Let some of the oldest lines of a feed go that come before the line of a cursor.

        age_ms: how old they must be, at least.   limit: how many go at most. Return how many: none
        if the feed lacks the line of the cursor. What the feed is asked beside `feed` and `news` is
        answered as if they were still there.
        """
        ...

    def report(self, stopped: str) -> None:
        """Note why the log stands still, "" if it does not."""
        ...
