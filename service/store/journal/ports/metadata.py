"""Data of a match beside its commits."""

from collections.abc import Mapping
from typing import Protocol

from service.store.journal import values


class MetadataPort(Protocol):
    """Data of a match beside its commits."""

    def field(self, match_id: str, field: str) -> str | None:
        """Return one field of a match's metadata, None for a missing one."""
        ...

    def fields(self, match_id: str) -> dict[str, str]:
        """Return all fields of a match's metadata, {} for an unknown match."""
        ...

    def put(
        self,
        match_id: str,
        fields: Mapping[str, str | None],
        precondition: tuple[str, str] = ("", ""),
    ) -> bool:
        """Set fields outside any commit. None deletes a field.

        precondition: a field and its required value. (field, "") requires a missing or empty field,
            ("", "") nothing.

        Return True if the precondition held. If not, nothing was changed. Raises Conflict(0) for an
        unknown match.
        """
        ...

    def put_if_missing(self, match_id: str, field: str, value: str) -> None:
        """Set a missing field outside any commit. An empty field is not missing.

        Nothing happens for an unknown match.
        """
        ...

    def thoughts(self, match_id: str) -> list[bytes]:
        """Return the thoughts of bots in a match, each a line of JSON, oldest first.

        [] for an unknown match. The thoughts are not in the hash chain.
        """
        ...

    def snapshot(self, match_id: str) -> bytes | None:
        """Return the stored snapshot of a match, if any."""
        ...

    def put_snapshot(self, match_id: str, data: bytes) -> None:
        """Store a snapshot of a known match. It may be lost at any time."""
        ...

    def dump(self, match_id: str) -> values.Metadata:
        """Return all data of a match except commits, snapshot and marker, as of one moment.

        Commits never change, so the commits up to the head's version may be read later. Raises
        HeadDamaged.
        """
        ...
