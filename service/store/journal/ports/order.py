"""The order of the log."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from service.store.journal import values


class OrderPort(Protocol):
    """The order of the log (`service.store.tlog`): a list of lines for commits and accepted losses.

    A line is decided once it is in the list. Only `adopt` changes decided lines.
    """

    def state(self, *, whole: bool = True) -> values.Order:
        """Return the state of the order, without cursors unless `whole`."""
        ...

    def settled(self) -> values.Order:
        """Return the state of the order once replicas have confirmed the whole order."""
        ...

    def news(self, cursors: Mapping[int, values.Cursor], limit: int) -> values.FeedNews:
        """Return lines of the feeds after some cursors, once replicas have confirmed them.

        A feed without a cursor is read from its beginning.
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

        cursors: the new cursors of some partitions.
        Return False, and change nothing, unless size and the present cursors of these partitions
        are as in `expected`. After a lost answer the state shows the outcome.
        """
        ...

    def decided(self, position: int, limit: int) -> list[bytes] | None:
        """Return lines from a position on, None if the first of them is no longer stored."""
        ...

    def publish(self, published: int, lines: Sequence[bytes], key: str, checkpoint: bytes) -> bool:
        """Publish the checkpoint after the one of size `published`. Forget lines of full bundles.

        lines: the lines between the two checkpoints.   key: verifier key of the checkpoint.
        Return False, and change nothing, if the last checkpoint has another size, if other lines
        were decided, or if the log has another key.
        """
        ...

    def cosign(self, size: int, checkpoint: bytes) -> bool:
        """Store a published checkpoint with the signatures of witnesses.

        size: size of the checkpoint.
        Return False, and change nothing, if a larger cosigned checkpoint is stored, or if the size
        is not published yet.
        """
        ...

    def adopt(self, size: int, published: int, new: values.Order, lines: Sequence[bytes]) -> bool:
        """Replace the order if order and checkpoint have these sizes. Return True if replaced.

        lines: the lines from the base of the new order on.
        """
        ...

    def trim(self, partition: int, cursor: values.Cursor, age_ms: int, limit: int) -> int:
        """Trim the oldest lines of a feed before a cursor. Return the number of trimmed lines.

        age_ms: least age of a trimmed line.   limit: largest number of lines.
        Nothing is trimmed if the feed lacks the line of the cursor. Of all methods only `feed` and
        `news` no longer find trimmed lines.
        """
        ...

    def report(self, stopped: str) -> None:
        """Note the reason of a standstill of the log, "" for none."""
        ...
