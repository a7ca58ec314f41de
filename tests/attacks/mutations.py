"""`python -m tests.attacks.mutations --number 10000 --seed 1`: forge real records in every way.

It prints what is found. Every forgery is mended: hashes, digests, salts, numbers and the revelation
fit. It must be found, but for what no record can prove (docs/fairness.md, "What this proves and
what not"); whatever else survives is a hole. A receipt for the last commit must find all of it.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

import orjson
import pytest

from service.ledger.commit import Json
from service.verify.audit import Audit, verify_record
from service.verify.receipts import check_receipts
from service.verify.report import Wrong
from tests import toy
from tests.attacks.forging import entries_of, mended
from tests.attacks.mutators import MUTATORS
from tests.attacks.survivors import kinds
from tests.attacks.true_records import KEYS, Base, bases

GAMES = ("calimala", "firenze", "toy")
FOUND = "found"
PARTLY = "not checked to the last"
TRIES = 50
SHARE = 50  # forgeries that one process makes in one go

# What a forger meets who has spoilt what they need themselves.
SPOILT = (LookupError, TypeError, AttributeError, ValueError, orjson.JSONEncodeError)


@dataclass(slots=True)
class Tally:
    """What became of forgeries.

    table: how many, by mutator and outcome.   holes: those that should have been found.
    """

    table: Counter[tuple[str, str]] = field(default_factory=Counter)
    holes: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Take in another tally."""
        self.table += other.table
        self.holes += other.holes


class Forgery(NamedTuple):
    """A forged record, the true one that it was made of, and the name of what was done to it."""

    base: Base
    name: str
    lines: list[bytes]


def attempt(game: str, seed: int, number: int) -> Tally:
    """Forge one record of a game and return what became of it."""
    random = Random(f"{game}|{seed}|{number}")
    forgery = _forge(random, game)
    audit = verify_record(forgery.lines)

    tally = Tally()
    if audit.report.wrong is not None:
        tally.table[forgery.name, FOUND] += 1
        return tally
    if audit.report.unchecked:
        tally.table[forgery.name, PARTLY] += 1
        return tally

    survived_as = _kinds_of(forgery)
    tally.table[forgery.name, " + ".join(survived_as)] += 1

    where = f"{game} {seed} {number} ({forgery.name})"
    if "unexplained" in survived_as:
        tally.holes.append(f"{where}: survived and is {survived_as}")
    if not _receipt_convicts(audit, forgery.base.receipt):
        tally.holes.append(f"{where}: survived although there is a receipt")
    return tally


def _kinds_of(forgery: Forgery) -> list[str]:
    """Return the names of what a forgery has changed, in order."""
    base = forgery.base
    true_entries = entries_of(base.lines)
    forged_entries = entries_of(forgery.lines)
    return sorted(kinds(true_entries, forged_entries, base.drew))


def _receipt_convicts(audit: Audit, receipt: Json) -> bool:
    """Return whether a receipt shows that a record is not the true one."""
    try:
        check_receipts(audit, [receipt], KEYS)
    except Wrong:
        return True
    return False


def _forge(random: Random, game: str) -> Forgery:
    """Return a forgery that differs from the true record."""
    for _ in range(TRIES):
        base = random.choice(bases(game))
        mutator = random.choice(MUTATORS)
        try:
            forged = mutator(random, entries_of(base.lines))
            lines = mended(forged.entries, forged.leave) if forged else base.lines
        except SPOILT:
            continue

        if lines != base.lines:
            return Forgery(base, mutator.__name__, lines)
    raise AssertionError("no forgery changed anything")


class Share(NamedTuple):
    """A piece of a campaign: the forgeries of these numbers of a game."""

    game: str
    seed: int
    numbers: range


def campaign(share: Share) -> Tally:
    """Return what became of the forgeries of a share."""
    tally = Tally()
    with pytest.MonkeyPatch.context() as registry:
        toy.install(registry)
        for number in share.numbers:
            tally.add(attempt(share.game, share.seed, number))
    return tally


def shares(number: int, seed: int) -> Iterator[Share]:
    """Yield a campaign of so many forgeries in pieces: as many of each game."""
    each, rest = divmod(number, len(GAMES))
    for place, game in enumerate(GAMES):
        total = each + 1 if place < rest else each
        for start in range(0, total, SHARE):
            end = min(start + SHARE, total)
            yield Share(game, seed, range(start, end))


def main(arguments: list[str]) -> int:
    """Run a campaign, print its table; return 1 if there is a hole."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.mutations")
    parser.add_argument("--number", type=int, default=10_000, help="how many forgeries")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other forgeries")
    chosen = parser.parse_args(arguments)

    tally = Tally()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for tally_of_share in pool.map(campaign, shares(chosen.number, chosen.seed)):
            tally.add(tally_of_share)

    print_tally(tally)
    return 1 if tally.holes else 0


def print_tally(tally: Tally) -> None:
    """Print a line for each outcome, with how often each mutator came to it."""
    print(f"{sum(tally.table.values())} forgeries")

    outcomes = {outcome for _mutator, outcome in tally.table}
    for outcome in (FOUND, *sorted(outcomes - {FOUND})):
        print_outcome(tally, outcome)

    print(f"{len(tally.holes):7} holes")
    for hole in tally.holes:
        print(f"  {hole}")


def print_outcome(tally: Tally, outcome: str) -> None:
    """Print how many forgeries came to an outcome, and by which mutators."""
    by_mutator = {name: count for (name, end), count in tally.table.items() if end == outcome}
    total = sum(by_mutator.values())
    counts = [f"{name} {count}" for name, count in sorted(by_mutator.items())]
    print(f"{total:7} {outcome}: {', '.join(counts)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
