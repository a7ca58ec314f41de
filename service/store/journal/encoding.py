"""The encoding of values in Redis.

Encoded are, for example, heads, tombstones, members of the listing and lines of the feed. The
scripts in `lua/` read some of these texts. The first comments of the scripts describe the texts.
"""

import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import NamedTuple

from service.store.journal import values
from service.store.journal.errors import ArchiveDamaged, HeadDamaged
from service.store.journal.stored_status import read_status, stored_status

_log = logging.getLogger(__name__)

_DIGEST = re.compile(r"[0-9a-f]{64}")
_FEED_LINE = re.compile(rb"(?P<match>[!-~]+):(?P<version>[1-9][0-9]{0,14})")


class Changes(NamedTuple):
    """Changes of metadata as the scripts take them.

    put: field, value, field, value and so on.
    drop: the fields to delete.
    """

    put: list[str]
    drop: list[str]


def append_arguments(entry: values.Entry, channel: str) -> list[str | bytes | int]:
    """Return ARGV of append.lua.

    channel: for notifications of followers.
    """
    changes = split_changes(entry.metadata)
    return [
        entry.expected,
        entry.prev,
        entry.commit_bytes,
        entry.command_id,
        entry.fingerprint,
        entry.match,
        channel,
        listing_member(entry.head.listed, entry.match),
        packed_head(entry.head),
        len(changes.put),
        *entry.precondition,
        entry.thought,
        values.MOST_THOUGHTS,
        "" if entry.deadline is None else entry.deadline,
        "1" if entry.is_resting else "",
        *changes.put,
        *changes.drop,
    ]


def split_changes(fields: Mapping[str, str | None]) -> Changes:
    """Split fields into those to set and those to delete. None deletes a field."""
    changes = Changes(put=[], drop=[])

    for name, value in fields.items():
        if value is None:
            changes.drop.append(name)
        else:
            changes.put.extend((name, value))

    return changes


def packed_head(head: values.Head) -> str:
    """Return a head as append.lua describes it.

    A hash would take twice the bytes, in memory and in the append-only file.
    """
    waiting = ",".join(map(str, head.waiting))
    imported = f"|{head.imported}" if head.imported else ""
    return (
        f"{head.version}|{head.hash}|{stored_status(head.status)}|{head.awaiting}|{waiting}"
        f"|{head.visibility}|{head.created}|{head.updated}|{head.game}{imported}"
    )


def read_head(match: str, packed: bytes | None) -> values.Head | None:
    """Return the head written by `packed_head`, None if it is missing. Raises HeadDamaged."""
    return values.undamaged(found_head(match, packed))


def found_head(match: str, packed: bytes | None) -> values.FoundHead:
    """Return the head written by `packed_head`, None if missing, HeadDamaged if unreadable."""
    if packed is None:
        return None
    try:
        return _head_in(packed)
    except ValueError:
        _log_damage(match, packed)
        return HeadDamaged(match)


@lru_cache(maxsize=1024)  # not at every read of the same damage
def _log_damage(match: str, packed: bytes, part: str = "head") -> None:
    _log.error(f"the {part} of a match is damaged", extra={"match": match, "bytes": len(packed)})


@lru_cache(maxsize=4096)  # most heads are read many times until they change
def _head_in(packed: bytes) -> values.Head:
    version, hash_, status, awaiting, waiting, visibility, created, updated, game, *more = (
        packed.decode().split("|")
    )
    return values.Head(
        version=int(version),
        hash=hash_,
        status=read_status(status),
        awaiting=awaiting,
        waiting=tuple(int(seat) for seat in waiting.split(",") if seat),
        game=game,
        visibility=visibility,
        created=int(created),
        updated=int(updated),
        imported=int(more[0]) if more else 0,
    )


def read_made(packed: str) -> tuple[int, str]:
    """Return the version of a command id, and the fingerprint of its command."""
    version, _, fingerprint = packed.partition(":")
    return int(version), fingerprint


def packed_tombstone(tombstone: values.Tombstone) -> str:
    """Return a tombstone as delete.lua describes it."""
    visibility = f"{tombstone.visibility}|" if tombstone.visibility else ""
    return f"{tombstone.at}|{visibility}{tombstone.by}"


def read_tombstone(match: str, packed: bytes | None) -> values.Tombstone | None:
    """Return the tombstone written by `packed_tombstone`, None if it is missing.

    A damaged tombstone still proves the deletion, but tells neither time nor operator.
    """
    if packed is None:
        return None
    try:
        return _tombstone_in(packed)
    except ValueError:
        _log_damage(match, packed, "tombstone")
        return values.Tombstone(0, "")


def _tombstone_in(packed: bytes) -> values.Tombstone:
    at, _, rest = packed.decode().partition("|")
    visibility, _, by = rest.partition("|")
    if visibility in values.VISIBILITIES:
        return values.Tombstone(int(at), by, visibility)
    return values.Tombstone(int(at), rest)


def packed_marker(marker: values.Marker) -> str:
    """Return a marker as archive.lua describes it."""
    return f"{marker.sha256}|{marker.size}|{marker.commits}|{marker.stored}|{marker.at}"


def read_marker(match: str, packed: bytes | None) -> values.Marker | None:
    """Return the marker written by `packed_marker`, None if it is missing.

    Raises ArchiveDamaged.
    """
    marker = found_marker(match, packed) if packed is not None else None
    if isinstance(marker, ArchiveDamaged):
        raise marker
    return marker


def found_marker(match: str, packed: bytes) -> values.Marker | ArchiveDamaged:
    """Return the marker written by `packed_marker`, ArchiveDamaged if it is unreadable."""
    try:
        return _marker_in(packed)
    except ValueError:
        _log_damage(match, packed, "archive marker")
        detail = (
            f"the archive marker of match {match} in the journal is damaged. Restore the journal "
            "from a backup"
        )
        return ArchiveDamaged(match, detail)


def _marker_in(packed: bytes) -> values.Marker:
    sha256, *numbers = packed.decode().split("|")
    size, commits, stored, at = map(int, numbers)
    if not _DIGEST.fullmatch(sha256):
        raise ValueError("the marker has no digest")
    return values.Marker(sha256=sha256, size=size, commits=commits, stored=stored, at=at)


# The fields of a stream's entry: a list of names and values as the server sends them, or a dict.
Fields = Sequence[bytes] | dict[bytes, bytes]


def commits_in(
    entries: Sequence[tuple[bytes, Sequence[bytes] | dict[bytes, bytes]]],
) -> list[bytes]:
    """Return the commits of a stream's entries.

    entries: each an id and one field. The field is a list of name and value as the server sends it,
        or a dict as redis-py converts it.
    """
    return [fields[b"c"] if isinstance(fields, dict) else fields[1] for _, fields in entries]


def packed_thoughts(thoughts: Sequence[bytes]) -> bytes:
    """Return thoughts as append.lua puts one after the other."""
    return b"".join(thought + b"\n" for thought in thoughts)


def read_thoughts(packed: bytes | None) -> list[bytes]:
    """Return the thoughts of a match, [] for none."""
    return packed.removesuffix(b"\n").split(b"\n") if packed else []


def text_or_none(value: bytes | None) -> str | None:
    """Return a value as text."""
    return None if value is None else value.decode()


def texts(table: dict[bytes, bytes]) -> dict[str, str]:
    """Return the fields of a hash as text."""
    return {name.decode(): value.decode() for name, value in table.items()}


def present_fields(names: Sequence[str], contents: Sequence[bytes | None]) -> dict[str, str]:
    """Return the fields that have a value."""
    pairs = zip(names, contents, strict=True)
    return {name: value.decode() for name, value in pairs if value is not None}


def listing_member(time: int, match_id: str) -> str:
    """Return the member of a match in a listing.

    All members have the same score, so Redis orders them by their bytes: by time, then by match.
    """
    return f":{time:014d}:{match_id}"


def listing_bounds(group: str, before: tuple[int, str] | None) -> tuple[str, str]:
    """Return the bounds of a group's members, newest first, as ZREVRANGEBYLEX takes them.

    before: time and match of a member. Only older members are within the bounds. None for all.
    """
    # ";" is the character after ":", so it comes after every member of the group.
    newest = f"{group};" if before is None else group + listing_member(*before)
    return f"({newest}", f"[{group}:"


def read_listing_member(member: str) -> tuple[int, str]:
    """Return time and match in a member whose prefix was removed."""
    time, _, match = member.partition(":")
    return int(time), match


def read_feed_line(entry_id: bytes, line: bytes) -> tuple[str, int] | None:
    """Return match and version of a line of the feed, None for a damaged line."""
    parts = _FEED_LINE.fullmatch(line)
    if parts is None:
        _log_damaged_line(entry_id, line)
        return None
    return parts["match"].decode(), int(parts["version"])


def read_feed_lines(
    texts: Sequence[bytes], numbers: Mapping[bytes, int]
) -> Iterator[tuple[int, values.Line | None]]:
    """Yield partitions and lines of ends.lua and news.lua, None for a damaged line."""
    for key, entry_id, text in zip(texts[::3], texts[1::3], texts[2::3], strict=True):
        commit = read_feed_line(entry_id, text)
        yield numbers[key], None if commit is None else (entry_id.decode(), *commit)


@lru_cache(maxsize=1024)  # not at every read of the same line
def _log_damaged_line(entry_id: bytes, line: bytes) -> None:
    details = {"line": entry_id.decode(), "bytes": len(line)}
    _log.error("a line of the feed is damaged", extra=details)


def read_gaps(packed: str) -> tuple[values.Gap, ...]:
    """Return gaps as beat.lua writes them."""
    return tuple(values.Gap(*map(int, gap.split("-"))) for gap in packed.split(",") if gap)


def packed_gaps(gaps: Sequence[values.Gap]) -> str:
    """Return gaps as `read_gaps` reads them."""
    return "".join(f"{gap.start}-{gap.end}," for gap in gaps)


def packed_generation(generation: values.Generation) -> bytes:
    """Return a generation as JSON. Equal generations give equal bytes."""
    return json.dumps(asdict(generation), sort_keys=True).encode()


def read_generation(packed: bytes | None) -> values.Generation | None:
    """Return the generation written by `packed_generation`, None if it is missing."""
    if packed is None:
        return None

    fields = json.loads(packed)
    gone_back = fields["gone_back"]
    return values.Generation(
        id=fields["id"],
        since=fields["since"],
        superseded=tuple(fields["superseded"]),
        gone_back=values.GoneBack(**gone_back) if gone_back else None,
    )


# ---- the order of the log: decide.lua describes the fields ---------------------------------------

_CURSOR = "cursor:"
ORDER_FIELDS = (
    "size",
    "base",
    "published",
    "checkpoint",
    "key",
    "generation",
    "stopped",
    "cosigned",
    "cosigned_size",
)


def packed_cursors(cursors: Mapping[int, values.Cursor | None]) -> list[str]:
    """Return cursors as field, value, field, value and so on. The value is "" for None."""
    packed: list[str] = []
    for partition, one in cursors.items():
        packed += (f"{_CURSOR}{partition}", _packed_cursor(one) if one else "")
    return packed


def _packed_cursor(one: values.Cursor) -> str:
    doubt = "?" if one.doubtful else ""
    return f"{one.id} {one.match}:{one.version} {doubt}"


def packed_order(order: values.Order) -> list[str | bytes | int]:
    """Return a state as fields and values, without standstill and cosigned checkpoint."""
    packed: list[str | bytes | int] = ["size", order.size, "base", order.base]
    packed += ("published", order.published, "checkpoint", order.checkpoint, "key", order.key)
    packed += ("generation", order.generation, *packed_cursors(order.cursors))
    return packed


def read_order(fields: Mapping[bytes, bytes]) -> values.Order:
    """Return the state in the fields of a hash."""
    texts = {name.decode(): value for name, value in fields.items()}
    cursors = {}
    for name, value in texts.items():
        if name.startswith(_CURSOR):
            line_id, line, doubt = value.decode().split(" ")
            match, _, version = line.rpartition(":")
            cursor = values.Cursor(line_id, match, int(version), bool(doubt))
            cursors[int(name[len(_CURSOR) :])] = cursor
    return values.Order(
        size=int(texts.get("size", 0)),
        base=int(texts.get("base", 0)),
        published=int(texts.get("published", 0)),
        checkpoint=texts.get("checkpoint", b""),
        key=texts.get("key", b"").decode(),
        generation=texts.get("generation", b"").decode(),
        cursors=cursors,
        stopped=texts.get("stopped", b"").decode(),
        cosigned=texts.get("cosigned", b""),
        cosigned_size=int(texts.get("cosigned_size", 0)),
    )
