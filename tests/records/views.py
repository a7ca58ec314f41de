"""Views of every seat in golden records.

`python -m tests.records.views` writes the missing digests. A commit holds the digest of the public
view alone. A seat's further view (its hand, its possible builds) is held by `views.json`: for each
record one SHA-256 a viewer, over the view digests of all versions one after the other. An existing
digest is never written again: views of released rules do not change.

"state" is no viewer, but the whole state as forks embed it (M21): its JSON does not change either.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from domain import wire
from domain.match.state import Match
from service.record import record
from service.record.codec import decode_events
from service.record.commit import digest, rules_of
from service.record.replay import apply
from tests.records import make

FILE = make.HOME / "views.json"
NUMBERS = (0, 7, 13, 19)  # of the twenty records of each number of seats


def chosen() -> list[Path]:
    """Return the records with stored views, of every number of seats of every game."""
    numbers = [f"-{number:02}." for number in NUMBERS]
    return [path for path in make.files() if any(number in path.name for number in numbers)]


def name_of(path: Path) -> str:
    """Return a record's name in `views.json`, such as "calimala/1-3-00"."""
    return f"{path.parent.name}/{path.name.partition('.')[0]}"


def matches(path: Path) -> Iterator[Match]:
    """Yield the match of a record as it was at each version, folded from its events."""
    lines = make.lines_in(path)
    commits = [stored for stored, _ in map(record.read_line, lines)]
    rules = rules_of(commits[0])

    match: Match | None = None
    for stored in commits:
        match = apply(match, decode_events([stored], rules))
        yield match


def views(match: Match) -> dict[str, Mapping[str, Any]]:
    """Return the views of a match, by viewer: "public", "seat:0" and so on, and "state".

    Nobody sees anything before the start.
    """
    if match.state is None:
        return {}

    by_reader: dict[str, Mapping[str, Any]] = {"public": match.game.view(match.state, None)}
    for seat in range(len(match.seats)):
        by_reader[f"seat:{seat}"] = match.game.view(match.state, seat)
    return {**by_reader, "state": wire.dump(match.state)}


def digests(path: Path) -> dict[str, str]:
    """Return the digest of all that each viewer saw in a record."""
    hashes: dict[str, Any] = {}
    for match in matches(path):
        for viewer, view in views(match).items():
            hash_of_all = hashes.setdefault(viewer, hashlib.sha256())
            hash_of_all.update(digest(view).encode())

    return {viewer: hash_of_all.hexdigest() for viewer, hash_of_all in hashes.items()}


def held() -> dict[str, dict[str, str]]:
    """Return the stored digests, by record and viewer."""
    if not FILE.exists():
        return {}
    table: dict[str, dict[str, str]] = json.loads(FILE.read_text())
    return table


def main() -> None:
    """Add the digests that are missing."""
    table = held()
    for path in chosen():
        name = name_of(path)
        table[name] = {**digests(path), **table.get(name, {})}

    text = json.dumps(table, indent=1, sort_keys=True)
    FILE.write_text(text + "\n")


if __name__ == "__main__":
    main()
