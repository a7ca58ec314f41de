"""The journal as it lies in Redis, read without any code of the service.

The comment at the head of `service/store/journal/lua/append.lua` and the table of keys in
`docs/explanation/journal.md` tell what the keys hold.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from redis import Redis

MATCH_KEY = re.compile(r"giornale:\{(p[0-9a-f]+)\}:match:([a-z2-7]{26}):(commits|head|ids|aside)")
PARTITION_KEY = re.compile(r"giornale:\{(p[0-9a-f]+)\}:(feed|pending|listing)")
PAGE = 500

ENDED = ("finished", "aborted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The checked fields of a match's head."""

    version: int
    hash: str
    status: str
    awaiting: str
    visibility: str
    created: int
    game: str


@dataclass(slots=True)
class StoredMatch:
    """The journal's data of one match.

    commits: id and bytes of each entry of the stream. head: as it is stored, "" if there is none.
    ids: command id -> "<version>:<fingerprint>". rematch, rematch_of: the next match, and the
    previous one, "" for none.
    """

    partition: str
    commits: list[tuple[str, bytes]] = field(default_factory=list)
    head: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    rematch: str = ""
    rematch_of: str = ""


@dataclass(slots=True)
class StoredJournal:
    """Everything that is checked in a journal. Feeds, pending and listing by partition.

    trimmed: how many lines have left each feed, the oldest ones.
    """

    matches: dict[str, StoredMatch] = field(default_factory=dict)
    feeds: dict[str, list[str]] = field(default_factory=dict)
    trimmed: dict[str, int] = field(default_factory=dict)
    pending: dict[str, set[str]] = field(default_factory=dict)
    listing: dict[str, set[str]] = field(default_factory=dict)


def read_head(packed: str) -> Head:
    """Return a head that is stored as "<version>|<hash>|<status>|<work>|...|<game>"."""
    parts = packed.split("|")
    return Head(
        version=int(parts[0]),
        hash=parts[1],
        status=parts[2],
        awaiting=parts[3],
        visibility=parts[5],
        created=int(parts[6]),
        game=parts[8],
    )


def read_journal(client: Redis) -> StoredJournal:
    """Return the whole journal of a server without present writers."""
    names = sorted(name.decode() for name in client.scan_iter(count=1000))
    journal = StoredJournal()

    for name in names:
        of_match = MATCH_KEY.fullmatch(name)
        if of_match is not None:
            partition, match, part = of_match.groups()
            stored = journal.matches.setdefault(match, StoredMatch(partition))
            _read_part(client, name, part, stored)

        of_partition = PARTITION_KEY.fullmatch(name)
        if of_partition is not None:
            _read_index(client, name, of_partition, journal)

    return journal


def _read_part(client: Redis, name: str, part: str, stored: StoredMatch) -> None:
    """Read one key of a match."""
    if part == "commits":
        stored.commits = _entries(client, name, b"c")
    elif part == "head":
        packed: Any = client.get(name)
        stored.head = packed.decode()
    elif part == "aside":
        linked: Any = client.hmget(name, "rematch", "rematch_of")
        stored.rematch, stored.rematch_of = [(value or b"").decode() for value in linked]
    else:
        pairs: Any = client.hgetall(name)
        stored.ids = {key.decode(): value.decode() for key, value in pairs.items()}


def _read_index(client: Redis, name: str, key_match: re.Match[str], journal: StoredJournal) -> None:
    """Read one key of a partition."""
    partition, part = key_match.groups()
    if part == "feed":
        # Both at once: the scheduler goes on trimming feeds when nobody writes any more.
        with client.pipeline() as together:
            together.xrange(name)
            together.get(name.removesuffix("feed") + "trimmed")
            entries, trimmed = together.execute()
        journal.feeds[partition] = [fields[b"m"].decode() for _, fields in entries]
        journal.trimmed[partition] = int(trimmed or 0)
        return

    packed_members: Any = client.zrange(name, 0, -1)
    members = {member.decode() for member in packed_members}
    if part == "pending":
        journal.pending[partition] = members
    else:
        journal.listing[partition] = members


def _entries(client: Redis, name: str, field_name: bytes) -> list[tuple[str, bytes]]:
    """Return id and one field of each entry of a stream, read in pages."""
    pairs: list[tuple[str, bytes]] = []
    start = "-"
    while True:
        page: Any = client.xrange(name, start, "+", PAGE)
        pairs += [(entry.decode(), fields[field_name]) for entry, fields in page]
        if len(page) < PAGE:
            return pairs

        last_entry, _ = pairs[-1]
        start = f"({last_entry}"


def feed_versions(journal: StoredJournal) -> dict[str, list[int]]:
    """Return the versions of each match in the order of the feeds."""
    versions: defaultdict[str, list[int]] = defaultdict(list)
    for lines in journal.feeds.values():
        for line in lines:
            match, _, version = line.rpartition(":")
            versions[match].append(int(version))
    return dict(versions)
