"""Matches for the replay test, with the behaviour of the unchanged rules."""

import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from domain.games import GAMES
from domain.match import play
from domain.match.state import Match, Status
from service.record.codec import decode
from service.record.commit import StoredCommit, canonical
from service.record.replay import Loaded, apply, outcome, stamp_of
from service.record.replay_test import StoredBeside
from service.record.verify.audit import verify_record
from tests.records import make

FIRST_NEW = 20  # lower numbers are of golden records


@dataclass(frozen=True, slots=True)
class Case:
    """A match to test.

    commits: with all secrets.   beside: the values stored beside them.
    digests: a digest of all facts that a player sees, for each version.
    """

    commits: list[bytes]
    beside: StoredBeside
    digests: list[int]


def cases(number: int, seed: int) -> Iterator[Case]:
    """Yield so many matches: first the golden records, then new ones of bots.

    Every second one ends at a random version, and is a running match.
    """
    random = Random(seed)
    for place, lines in zip(range(number), _records(), strict=False):
        commits = list(verify_record(lines).unsealed)
        if place % 2:
            commits = commits[: random.randint(1, len(commits))]
        yield _case(commits)


def _records() -> Iterator[list[bytes]]:
    for path in make.files():
        yield gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    for number in range(FIRST_NEW, 1_000_000):
        for game in list(GAMES.values()):
            for seats in game.seats:
                yield list(make.lines_of(game, make.name_of(game, seats, number)))


def _case(commits: Sequence[StoredCommit]) -> Case:
    match: Match | None = None
    digests = []
    for match, digest in versions(commits):  # noqa: B007 - the last one is used
        digests.append(digest)
    assert match is not None
    last = commits[-1]
    loaded = Loaded(
        id=last["commit"]["match"],
        version=len(commits),
        created=commits[0]["commit"]["time"],
        time=last["commit"]["time"],
        hash=last["hash"],
        match=match,
    )
    status = loaded.status
    end = outcome(loaded)
    beside = StoredBeside(
        hash=last["hash"],
        status=Status(status.name, status.seats, awaiting=status.worker),
        outcome=None if end is None else canonical(dict(end)).decode(),
    )
    return Case([canonical(dict(stored)) for stored in commits], beside, digests)


def versions(commits: Sequence[StoredCommit]) -> Iterator[tuple[Match, int]]:
    """Yield the match after each commit, and a digest of all that these rules show of it.

    That is: the events of the command, the public view, the next actors and the outcome. The
    recorded events are folded. Nothing stores the views of seats, so these are left out.
    """
    match: Match | None = None
    rules = commits[0]["commit"]["events"][0]["rules"]
    for stored in commits:
        commit = decode(stored, rules)
        stamp = stamp_of(stored["commit"])
        if match is None:
            first = apply(None, list(commit.events[:1]), stamp)
            chance = first.draws(1, commit.command)
            _, events = play.open_match(commit.command, chance, None, stamp)
        else:
            chance = match.draws(commit.version, commit.command)
            _, events = play.decide(match, commit.command, chance, None, stamp=stamp)
        match = apply(match, list(commit.events), stamp)
        yield match, _digest((events, _view(match), match.status, match.outcome))


def _digest(facts: object) -> int:
    """Return a digest that is the same in each process."""
    return zlib.crc32(repr(facts).encode())


def _view(match: Match) -> object:
    return None if match.state is None else match.game.view(match.state, None)
