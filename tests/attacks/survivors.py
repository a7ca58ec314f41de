"""What a forged record may say otherwise and still be right: each such difference has a name, all others have none."""

from collections.abc import Iterator, Sequence
from typing import Any

from domain.chance import Draws, draw_seed
from domain.match import play
from domain.match.state import Match
from service.ledger.canonical import Json, canonical
from service.ledger.commit import StoredCommit, rules_of
from service.ledger.decoding import decode
from service.ledger.replay import apply
from service.ledger.secrets import put_back
from tests import toy
from tests.attacks.forging import Entries

SEAT_COMMANDS = ("join", "leave", "replace", "restore")
Path = tuple[str | int, ...]


class _Counting(Draws):
    """Draws that count themselves."""

    drawn = 0

    def below(self, n: int) -> int:
        self.drawn += 1
        return super().below(n)


def drawing(entries: Entries) -> set[int]:
    """Return the versions of the commits that draw."""
    match: Match | None = None
    versions = set()
    rules = rules_of(entries[0])
    for entry in entries:
        commit = decode(entry, rules)
        before = match or apply(None, list(commit.events[:1]))
        chance = _Counting(
            draw_seed(before.key, [seat.entropy for seat in before.seats], commit.version)
        )
        if match is None:
            play.open_match(commit.command, chance)
        else:
            play.decide(match, commit.command, chance)
        if chance.drawn:
            versions.add(commit.version)
        match = apply(match, list(commit.events))
    return versions


def kinds(before: Entries, after: Entries, drew: set[int]) -> set[str]:
    """Return what a forgery that was not found has changed, by name; "unexplained" for all that has none.

    drew: the versions of the commits of the true record that draw.
    """
    if _told(before) == _told(after):
        return {"unexplained"}  # it differs in what should follow from what is told
    if _without_notes(before) == _without_notes(after):
        return {"a note that the toy's rules ignore"}
    if len(before) == len(after) and [_kind(entry) for entry in before] == [
        _kind(entry) for entry in after
    ]:
        return {_named(path, before, drew) for path in _differences(_told(before), _told(after))}
    if _told(after[:-2]) == _told(before[: len(after) - 2]) and _kind(after[-2]) == "abort":
        return {"another ending"}
    plays = [
        [canonical(one) for one in _told(entries) if not _of_seats(one)]
        for entries in (before, after)
    ]
    if plays[0] == plays[1]:
        return {"who held a seat"}
    if sorted(plays[0]) == sorted(plays[1]):
        return {"order of choices that the rules leave open"}
    return {"unexplained"}


def _kind(entry: StoredCommit) -> str:
    kind: str = entry["commit"]["command"]["type"]
    return kind


def _of_seats(told: Json) -> bool:
    return told["command"]["type"] in SEAT_COMMANDS


def _told(entries: Entries) -> list[Json]:
    """Return what a record says of its match, without what follows from that: numbers, salts, hashes, revelation."""
    told = []
    for entry in entries:
        commit = entry["commit"]
        command, events = put_back(entry)
        saying: Json = {"match": commit["match"], "time": commit["time"], "actor": commit["actor"]}
        if command["type"] != "reveal":
            saying |= {
                "command": _without_commitment(command),
                "events": list(map(_without_commitment, events)),
            }
        else:
            saying["command"] = {"type": "reveal"}
        told.append({**saying, "view": commit["view"]})
    return told


def _without_notes(entries: Entries) -> list[Json]:
    """Return what a record says without what a seat of the toy notes for itself; released games have no such field."""
    told = _told(entries)
    for saying in told:
        if saying["command"]["type"] == toy.Swap.tag:
            saying["command"].pop("why", None)
    return told


def _without_commitment(message: Json) -> Json:
    return {name: value for name, value in message.items() if name != "commitment"}


def _differences(before: Any, after: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every value in which two JSON values differ."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for name in before:
            yield from _differences(before[name], after[name], (*path, name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differences(one, other, (*path, index))
    elif canonical(before) != canonical(after):
        yield path


def _named(path: Path, before: Entries, drew: set[int]) -> str:
    """Return the name of a difference at a path into what a record says."""
    index, place, *inner = path
    command = before[int(index)]["commit"]["command"]
    field = inner[-1] if inner else ""
    if place == "time":
        return "times"
    if place == "match":
        bound = "match" in before[0]["commit"]["events"][0]
        return "unexplained" if bound else "the id of a match of the first kind"
    if place == "actor":
        return "who joined" if command["type"] == "join" else "unexplained"
    if command["type"] == "open":
        return _named_in_opening(inner if place == "command" else inner[1:], before, drew)
    if command["type"] == "join" and field == "name":
        return "who joined"
    if command["type"] == "join" and field == "entropy":
        return _entropy(int(index) + 1, command["seat"], before, drew)
    if command["type"] == "replace" and field == "level":
        return "who held a seat"
    return "unexplained"


def _named_in_opening(inner: Sequence[str | int], before: Entries, drew: set[int]) -> str:
    match list(inner):
        case ["options", *_]:
            return "options that never mattered"
        case ["visibility"]:
            return "who could look on"
        case ["seats", _, "name"]:
            return "who joined"
        case ["seats", _, "kind" | "level"]:
            return "who held a seat"
        case ["seats", seat, "entropy"]:
            return _entropy(1, int(seat), before, drew)
    return "unexplained"


def _entropy(version: int, seat: int, before: Entries, drew: set[int]) -> str:
    """Return the name of another entropy, given to a seat by the commit of a version."""
    later = [
        entry["commit"]
        for entry in before[version:]
        if entry["commit"]["command"].get("seat") == seat
    ]
    changes = [
        commit["version"] for commit in later if commit["command"]["type"] in ("join", "leave")
    ]
    until = min(changes, default=len(before))
    first = version if version == 1 else version + 1
    in_force = range(first, until + 1)
    return "unexplained" if drew.intersection(in_force) else "entropy that no draw followed"
