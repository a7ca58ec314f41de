"""The order of the log."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from service.store.journal import values


class OrderPort(Protocol):
    """The order of the log (`service.store.tlog`): the positions of commits.

    A line is the log's entry of a commit. The position of a decided line never changes.
    """

    def state(self, *, whole: bool = True) -> values.Order:
        """Return the state of the order, without cursors unless `whole`."""
        ...

    def settled(self) -> values.Order:
        """Return the state of the order once replicas have confirmed the whole order."""
        ...

    def news(self, cursors: Mapping[int, values.Cursor], limit: int) -> values.FeedNews:
        """Return lines of the feeds after some cursors, once replicas have confirmed them.

        limit: limit for each server with partitions.
        """
        ...

    def decide(
        self,
        expected: values.Order,
        lines: Sequence[bytes],
        cursors: Mapping[int, values.Cursor],
        generation: str,
    ) -> bool:
        """Append lines, and set cursors and generation in the same step.

        Return False, and change nothing, unless the order has the size of `expected` and these
        cursors are as in `expected`. After a lost answer the state shows the outcome.
        """
        ...

    def decided(self, position: int, limit: int) -> list[bytes] | None:
        """Return lines from a position on, None if the first of them is no longer stored."""
        ...

    def publish(self, published: int, lines: Sequence[bytes], key: str, checkpoint: bytes) -> bool:
        """Publish a checkpoint after that of the size `published`. Forget lines in full bundles.

        lines: lines added since the checkpoint of that size.   key: verifier key of the new one.
        Return False, and change nothing, if another checkpoint was published meanwhile, if other
        lines are decided by now, or if the log has another key.
        """
        ...

    def cosign(self, size: int, checkpoint: bytes) -> bool:
        """Store a published checkpoint with the signatures of witnesses.

        size: size of the checkpoint. Return False, and change nothing, if a greater checkpoint is
        stored, or if the size is not published yet.
        """
        ...

    def adopt(self, size: int, published: int, new: values.Order, lines: Sequence[bytes]) -> bool:
        """Replace the order if it and its checkpoint have these sizes. Return True if they had.

        lines: the lines from the base of the new order on.
        """
        ...

    def trim(self, partition: int, cursor: values.Cursor, age_ms: int, limit: int) -> int:
        """Trim the oldest lines of a feed before a cursor. Return the number of trimmed lines.

        age_ms: least age of a trimmed line.   limit: largest number of lines. Nothing is trimmed if
        the feed lacks the line named by the cursor. Only `feed` and `news` show the difference.
        """
        ...

    def report(self, stopped: str) -> None:
        """Note the reason of a standstill of the log, "" for none."""
        ...
