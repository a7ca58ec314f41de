"""Differences with which a forged record is still right.

Each such difference has a name. All others have none.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from domain.chance import Draws
from domain.match import play
from domain.match.messages import Disclose, MatchStarted
from domain.match.state import Match, Stamp
from service.record.codec import decode, put_back
from service.record.commit import Commit, Json, StoredCommit, canonical, rules_of
from service.record.replay import apply, stamp_of
from tests import toy
from tests.attacks.forging import Entries

SEAT_COMMANDS = ("join", "leave", "replace", "restore")

# The names and indices on the way to a value inside a JSON value.
Path = tuple[str | int, ...]


class _Counting:
    """Draws that count their calls."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self.drawn = 0

    def below(self, limit: int, /) -> int:
        self.drawn += 1
        return self._draws.below(limit)


def drawing(entries: Entries) -> set[int]:
    """Return the versions of the commits with draws."""
    match: Match | None = None
    versions = set()
    rules = rules_of(entries[0])

    for entry in entries:
        commit = decode(entry, rules)
        stamp = stamp_of(entry["commit"])
        if _draws(match, commit, stamp):
            versions.add(commit.version)
        match = apply(match, list(commit.events), stamp)

    return versions


def _draws(match: Match | None, commit: Commit, stamp: Stamp) -> bool:
    """Return True if a commit's command draws when it is decided. match: None for the opening."""
    before = match or apply(None, list(commit.events[:1]), stamp)
    chance = _Counting(before.draws(commit.version))

    if match is None:
        play.open_match(commit.command, chance, stamp=stamp)
    else:
        play.decide(match, commit.command, chance, stamp=stamp)
    return chance.drawn > 0


def kinds(before: Entries, after: Entries, drew: set[int]) -> set[str]:
    """Return the names of the changes of a forgery that was not found.

    "unexplained" for all without a name.

    drew: the versions of the commits with draws, in the true record.
    """
    if _sayings(before) == _sayings(after):
        # It differs in the consequences of its statements.
        return {"unexplained"}
    if _without_notes(before) == _without_notes(after):
        return {"a note that the toy's rules ignore"}
    if _without_keys(before) == _without_keys(after):
        return {"keys and signatures left out"}

    play_before, play_after = _play(before), _play(after)
    if play_before != play_after and sorted(play_before) == sorted(play_after):
        return {"order of choices that the rules leave open"}
    if _kinds_of_commands(before) == _kinds_of_commands(after):
        paths = _differences(_sayings(before), _sayings(after))
        return {_named(path, before, drew) for path in paths}
    if _is_cut_short(before, after):
        return {"another ending"}
    return {
        "seats before the start, or who held them" if play_before == play_after else "unexplained"
    }


def _kinds_of_commands(entries: Entries) -> list[str]:
    return [_kind(entry) for entry in entries]


def _kind(entry: StoredCommit) -> str:
    kind: str = entry["commit"]["command"]["type"]
    return kind


def _is_cut_short(before: Entries, after: Entries) -> bool:
    """Return True if a record begins as another and is aborted then."""
    *beginning, abort, _revelation = after
    return _kind(abort) == "abort" and _sayings(beginning) == _sayings(before[: len(beginning)])


def _play(entries: Entries) -> list[bytes]:
    """Return a record's statements about the game, each as canonical bytes.

    Commands about seats are left out, and disclosures that start no match: those in vain, and those
    that its draws tell. So are the times, since they move with a commit that is left out.
    """
    sayings = [saying for saying in _sayings(entries) if not _is_about_seats(saying)]
    return [canonical({**saying, "time": ""}) for saying in sayings]


def _is_about_seats(saying: Json) -> bool:
    """Return True for SEAT_COMMANDS, and for disclosures that start no match."""
    command = saying["command"]["type"]
    if command == Disclose.tag:
        return all(event["type"] != MatchStarted.tag for event in saying["events"])
    return command in SEAT_COMMANDS


def _sayings(entries: Entries) -> list[Json]:
    """Return a record's statements about its match.

    Their consequences are left out: numbers, salts, hashes, revelation.
    """
    return [_saying(entry) for entry in entries]


def _saying(entry: StoredCommit) -> Json:
    content = entry["commit"]
    command, events = put_back(entry)
    saying: Json = {
        "match": content["match"],
        "time": content["time"],
        "actor": content["actor"],
        "view": content["view"],
    }
    if command["type"] == "reveal":
        return {**saying, "command": {"type": "reveal"}}

    return {
        **saying,
        "command": _without_commitment(command),
        "events": [_without_commitment(event) for event in events],
    }


def _without_notes(entries: Entries) -> list[Json]:
    """Return a record's statements without the notes of the toy's seats for themselves.

    Released games have no such field.
    """
    sayings = _sayings(entries)
    for saying in sayings:
        if saying["command"]["type"] == toy.Swap.tag:
            saying["command"].pop("why", None)
    return sayings


def _without_keys(entries: Entries) -> list[Json]:
    """Return a record's statements without the keys of its seats."""
    sayings = deepcopy(_sayings(entries))
    for saying in sayings:
        for message in (saying["command"], *saying.get("events", ())):
            message.pop("key", None)
            for plan in message.get("seats", ()):
                plan.pop("key", None)
    return sayings


def _without_commitment(message: Json) -> Json:
    return {name: value for name, value in message.items() if name != "commitment"}


def _differences(before: Any, after: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every difference between two JSON values."""
    for step in _common_steps(before, after):
        yield from _differences(before[step], after[step], (*path, step))
    if not _are_alike(before, after) and canonical(before) != canonical(after):
        yield path


def _common_steps(before: Any, after: Any) -> list[Any]:
    """Return the steps into two containers of the same form, none into anything else."""
    if not _are_alike(before, after):
        return []
    return list(before) if isinstance(before, dict) else list(range(len(before)))


def _are_alike(before: Any, after: Any) -> bool:
    """Return True if two JSON values are objects of the same names or lists of one length."""
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys()
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after)
    return False


# Permitted differences at a place, by the kind of its command and the path from there.
_OPENING = r"open/(command|events/0)"
_JOIN = r"join/(command|events/0)"
_NAMES = {
    r"\w+/time": "times",
    r"join/actor": "who joined",
    rf"({_JOIN}|{_OPENING}/seats/\d+)/name": "who joined",
    rf"({_JOIN}|{_OPENING}/seats/\d+)/pledge": "a pledge of what was never disclosed",
    r"replace/(command|events/0)/level": "who held a seat",
    rf"{_OPENING}/seats/\d+/(kind|level)": "who held a seat",
    rf"{_OPENING}/options(/.*)?": "options that never mattered",
    rf"{_OPENING}/visibility": "who could look on",
}
_ENTROPY = re.compile(rf"({_JOIN}|{_OPENING}/seats/(?P<seat>\d+))/entropy")


def _named(path: Path, before: Entries, drew: set[int]) -> str:
    """Return the name of a difference at a path into a record's statements."""
    index, *inner = path
    command = before[int(index)]["commit"]["command"]
    place = "/".join(map(str, [command["type"], *inner]))

    if inner == ["match"]:
        is_bound = "match" in before[0]["commit"]["events"][0]
        return "unexplained" if is_bound else "the id of a match of the first kind"
    entropy = _ENTROPY.fullmatch(place)
    if entropy is not None:
        seat = entropy["seat"] or command["seat"]
        return _entropy(int(index) + 1, int(seat), before, drew)
    names = [name for pattern, name in _NAMES.items() if re.fullmatch(pattern, place)]
    return names[0] if names else "unexplained"


def _entropy(version: int, seat: int, before: Entries, drew: set[int]) -> str:
    """Return the name of another entropy, given to a seat by the commit of a version."""
    changed_in = [
        entry["commit"]["version"]
        for entry in before[version:]
        if _changes_hands(entry["commit"]["command"], seat)
    ]
    first = version if version == 1 else version + 1
    last = min(changed_in, default=len(before))

    in_force = range(first, last + 1)
    if drew.intersection(in_force):
        return "unexplained"
    return "entropy that no draw followed"


def _changes_hands(command: Json, seat: int) -> bool:
    """Return True if a command lets somebody join or leave a seat."""
    return command["type"] in ("join", "leave") and command.get("seat") == seat
