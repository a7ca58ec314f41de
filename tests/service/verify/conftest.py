"""Matches of the toy game, played at a desk over the journal in memory, and what a forger would make of them."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from domain.match.state import actors, status, work
from service.journal.memory import MemoryJournal
from service.ledger import record
from service.ledger.canonical import digest, parse_object
from service.ledger.commit import StoredCommit
from service.matches import house, playing
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Opened, Wish, open_new
from service.matches.records import export
from tests import toy
from workers.bots import choose

START = 1_700_000_000_000


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered."""
    toy.install(monkeypatch)


@pytest.fixture
def desk() -> Desk:
    """A desk of its own, whose clock ticks a second at every look."""
    return new_desk()


def new_desk() -> Desk:
    ticks: Iterator[int] = count(START, 1000)
    return Desk(MemoryJournal(), b"s" * 32, lambda: next(ticks), lambda *_: None, allow_seed=True)


def opened(desk: Desk, rounds: int = 2, seats: int = 2, kind: str = "human") -> Opened:
    """Open the toy with a fixed seed; humans have names."""
    plan = (
        {"kind": "bot", "level": "greedy"}
        if kind == "bot"
        else {"kind": "human", "name": "Ginevra"}
    )
    return open_new(
        desk, Wish("toy", [plan] * seats, {"rounds": rounds}, seed="toy"), key="the toy"
    )


def play_on(desk: Desk, match: Opened, until: int = 10**9) -> None:
    """Let house and bots act, humans swap where they may, to the end or to a version."""
    name = match.loaded.id
    while (loaded := load(desk, name)).version < until:
        if work(loaded.match) == "house":
            house.act(desk, name)
        elif work(loaded.match) == "bots":
            house.play_bots(desk, name, choose)
        elif status(loaded.match) == "running":
            seat = actors(loaded.match)[0]
            playing.move(
                desk,
                name,
                match.tokens[f"seat:{seat}"],
                {"type": "swap", "why": f"secret of {seat}"},
            )
        else:
            return


def whole(desk: Desk, rounds: int = 2) -> list[bytes]:
    """Return the record of a match played to its end."""
    match = opened(desk, rounds)
    play_on(desk, match)
    return list(export(desk, match.loaded.id, None))


Change = Callable[[StoredCommit], None]


def forged(lines: list[bytes], number: int, change: Change, *, digests: bool = True) -> list[bytes]:
    """Return a record in which a forger has changed one entry and mended every digest and hash after it.

    digests: False if the forgery lies in the digests of secret parts, and they are left as it made them.
    """
    entries = [parse_object(line)["data"] for line in lines]
    change(entries[number - 1])
    prev = ""
    for entry in entries:
        commit = entry["commit"]
        if digests:
            commit["secrets"] |= {name: digest(part) for name, part in entry["secrets"].items()}
        commit["prev"] = prev
        prev = entry["hash"] = digest(commit)
    return [record.line(entry) for entry in entries]
