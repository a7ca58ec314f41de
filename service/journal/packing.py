"""How heads, tombstones, members of the listing and lines of the feed are written in Redis, and read again.

The scripts in `lua/` read some of these texts; their heads say which.
"""

from collections.abc import Mapping, Sequence

from service.journal.keys import wake_channel
from service.journal.values import Entry, Head, Tombstone


def append_arguments(entry: Entry) -> list[str | bytes | int]:
    """Return ARGV of append.lua."""
    put, drop = changes(entry.sidecar)
    return [
        entry.expected,
        entry.prev,
        entry.commit_bytes,
        entry.command_id,
        entry.fingerprint,
        entry.match,
        wake_channel(entry.match),
        listed_member(entry.head.listed, entry.match),
        packed_head(entry.head),
        len(put),
        *entry.holds,
        *put,
        *drop,
    ]


def changes(fields: Mapping[str, str | None]) -> tuple[list[str], list[str]]:
    """Return what to set, as field, value, field, value, and the fields to delete."""
    put = [part for name, value in fields.items() if value is not None for part in (name, value)]
    return put, [name for name, value in fields.items() if value is None]


def packed_head(head: Head) -> str:
    """Return a head as append.lua reads it: one string takes half the bytes of a hash in memory and in the file."""
    waiting = ",".join(map(str, head.waiting))
    imported = f"|{head.imported}" if head.imported else ""
    return (
        f"{head.version}|{head.hash}|{head.status}|{head.work}|{waiting}"
        f"|{head.visibility}|{head.created}|{head.updated}|{head.game}{imported}"
    )


def read_head(packed: bytes | None) -> Head | None:
    """Return the head that `packed_head` wrote, None where there is none."""
    if packed is None:
        return None
    version, hash_, status, work, waiting, visibility, created, updated, game, *more = (
        packed.decode().split("|")
    )
    return Head(
        version=int(version),
        hash=hash_,
        status=status,
        work=work,
        waiting=tuple(int(seat) for seat in waiting.split(",") if seat),
        game=game,
        visibility=visibility,
        created=int(created),
        updated=int(updated),
        imported=int(more[0]) if more else 0,
    )


def read_made(text: str) -> tuple[int, str]:
    """Return the version that a command id has made, and the fingerprint of its command."""
    version, _, fingerprint = text.partition(":")
    return int(version), fingerprint


def read_tombstone(value: bytes | None) -> Tombstone | None:
    """Return what tells of a deleted match: when it was deleted, and by whom."""
    if value is None:
        return None
    at, _, by = value.decode().partition("|")
    return Tombstone(int(at), by)


def commits_of(entries: list[tuple[bytes, dict[bytes, bytes]]]) -> list[bytes]:
    """Return the bytes of the commits in entries of a stream."""
    return [fields[b"c"] for _, fields in entries]


def text_or_none(value: bytes | None) -> str | None:
    """Return a value as text."""
    return None if value is None else value.decode()


def texts(found: dict[bytes, bytes]) -> dict[str, str]:
    """Return the fields of a hash as text."""
    return {name.decode(): value.decode() for name, value in found.items()}


def found_fields(fields: Sequence[str], values: Sequence[bytes | None]) -> dict[str, str]:
    """Return the fields that have a value."""
    named = zip(fields, values, strict=True)
    return {name: value.decode() for name, value in named if value is not None}


def listed_member(time: int, match: str) -> str:
    """Return the member of the listing for a match: equal scores are ordered by bytes, so by time, then by match."""
    return f":{time:014d}:{match}"


def read_listed(member: str) -> tuple[int, str]:
    """Return time and match of a member of the listing, without what stands before the time."""
    time, _, match = member.partition(":")
    return int(time), match


def read_fed(commit: bytes) -> tuple[str, int]:
    """Return match and version of a line of the feed."""
    match, _, version = commit.decode().rpartition(":")
    return match, int(version)
