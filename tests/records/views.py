"""What every seat saw in golden records: `python -m tests.records.views` writes the digests that are missing.

A commit holds the digest of the public view alone. What a seat sees beside it (its hand, what it may build) is held by
`views.json`: for each record one SHA-256 a viewer, over the view digests of all versions one after the other. A digest
that is there is never written anew: views of released rules do not change.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from domain.match.state import Match
from service.ledger import record
from service.ledger.canonical import digest
from service.ledger.commit import rules_of
from service.ledger.decoding import decode_events
from service.ledger.replay import apply
from tests.records import make

FILE = make.HOME / "views.json"
NUMBERS = (0, 7, 13, 19)  # of the twenty records of each number of seats


def chosen() -> list[Path]:
    """Return the records whose views are held, of every number of seats of every game."""
    numbers = [f"-{number:02}." for number in NUMBERS]
    files = sorted(make.HOME.glob("*/*.ndjson.gz"))
    return [path for path in files if any(number in path.name for number in numbers)]


def name_of(path: Path) -> str:
    """Return what `views.json` calls a record, such as "calimala/1-3-00"."""
    return f"{path.parent.name}/{path.name.partition('.')[0]}"


def matches(path: Path) -> Iterator[Match]:
    """Yield the match of a record as it was at each version, folded from its events."""
    entries = [
        record.read_line(line)[0] for line in record.lines(gzip.decompress(path.read_bytes()))
    ]
    rules = rules_of(entries[0])
    match: Match | None = None
    for entry in entries:
        match = apply(match, decode_events([entry], rules))
        yield match


def views(match: Match) -> dict[str, Mapping[str, Any]]:
    """Return what everybody sees of a match: the public, and each seat; nothing before the start."""
    if match.state is None:
        return {}
    viewers: dict[str, int | None] = {"public": None} | {
        f"seat:{seat}": seat for seat in range(len(match.seats))
    }
    return {name: match.game.view(match.state, seat) for name, seat in viewers.items()}


def digests(path: Path) -> dict[str, str]:
    """Return the digest of all that each viewer saw in a record."""
    hashes: dict[str, Any] = {}
    for match in matches(path):
        for viewer, view in views(match).items():
            hashes.setdefault(viewer, hashlib.sha256()).update(digest(view).encode())
    return {viewer: found.hexdigest() for viewer, found in hashes.items()}


def held() -> dict[str, dict[str, str]]:
    """Return the digests that are held, by record and viewer."""
    kept: dict[str, dict[str, str]] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return kept


def main() -> None:
    """Add the digests that are missing."""
    kept = held()
    for path in chosen():
        if name_of(path) not in kept:
            kept[name_of(path)] = digests(path)
    FILE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
