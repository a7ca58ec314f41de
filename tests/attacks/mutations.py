"""`python -m tests.attacks.mutations --number 10000 --seed 1`: forge real records in every way.

It prints what is found. Every forgery is mended: hashes, digests, salts, numbers and the revelation
fit. It must be found, but for what no record can prove (docs/fairness.md, "What this proves and
what not"); whatever else survives is a hole. A receipt for the last commit must find all of it.
"""

import argparse
import gzip
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from random import Random
from typing import NamedTuple
from unittest.mock import patch

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.ledger import record
from service.ledger.canonical import Json
from service.ledger.receipts import Accepted, sign_receipt
from service.matches import house, lobby, playing
from service.matches.loading import load
from service.matches.opening import Wish, open_new
from service.matches.records import export
from service.matches.submitting import Submission
from service.verify.audit import Audit, verify_record
from service.verify.receipts import check_receipts
from service.verify.report import Wrong
from tests import toy
from tests.attacks.forging import entries_of, mended
from tests.attacks.mutators import MUTATORS
from tests.attacks.survivors import drawing, kinds
from tests.records import make
from tests.service.toy_matches import new_desk
from workers.bots import choose

GOLDEN = ("1-3-00", "1-3-03", "1-3-09", "1-3-bound-00", "1-3-bound-03", "1-3-bound-09")
GAMES = ("calimala", "firenze", "toy")
FOUND, PARTLY = "found", "not checked to the last"
TRIES = 50
SHARE = 50  # forgeries that one process makes in one go
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEYS = [{"id": "k", "public": PRIVATE.public_key().public_bytes_raw().hex(), "until": None}]


class Base(NamedTuple):
    """A true record.

    receipt: of its last commit.   drew: the versions of the commits that draw.
    """

    lines: list[bytes]
    receipt: Json
    drew: set[int]


def _base(lines: list[bytes]) -> Base:
    entries = entries_of(lines)
    receipt = sign_receipt(Accepted.of(entries[-1]), "k", PRIVATE)
    return Base(lines, receipt, drawing(entries))


@cache
def bases(game: str) -> list[Base]:
    """Return the true records of a game, of both kinds of commitment."""
    if game == "toy":
        return [_base(_toy(seed)) for seed in ("a", "b", None)]
    paths = [make.HOME / game / f"{name}.ndjson.gz" for name in GOLDEN]
    return [_base(record.lines(gzip.decompress(path.read_bytes()))) for path in paths]


def _toy(seed: str | None) -> list[bytes]:
    """Return the record of a toy match with a lobby; seed None: its secret is bound to its id."""
    desk = new_desk()
    human = {"kind": "human", "name": "Ginevra", "entropy": "0f" * 8}
    plans = [human, {"kind": "open"}, {"kind": "bot", "level": "random"}]
    wish = Wish("toy", plans, {"rounds": 3}, seed=seed)
    with patch("service.matches.opening.secrets.token_bytes", lambda length: b"t" * length):
        opened = open_new(desk, wish, key=f"campaign of {seed}")

    match = opened.loaded.id
    owner = opened.tokens["owner"]
    joiner = {"name": "Cosimo", "entropy": "ab" * 8}
    _, token = lobby.join(desk, Submission(match, None), 1, joiner)
    lobby.leave(desk, Submission(match, token), 1)
    _, token = lobby.join(desk, Submission(match, None), 1, joiner)
    lobby.start(desk, Submission(match, owner))

    tokens = {0: opened.tokens["seat:0"], 1: token}
    while (loaded := load(desk, match)).match.revealed is False:
        if loaded.match.standing.work == "house":
            house.act(desk, match)
        elif loaded.match.standing.work == "bots":
            house.play_bots(desk, match, choose)
        elif loaded.match.standing.status == "running":
            seat = loaded.match.state.turn
            playing.move(desk, Submission(match, tokens[seat]), {"type": "swap", "why": "hope"})
            if seat == 0:
                lobby.replace(desk, Submission(match, owner), 0, "greedy")
                lobby.restore(desk, Submission(match, owner), 0)
    return list(export(desk, match, None))


@dataclass(slots=True)
class Tally:
    """What became of forgeries. table: by mutator and outcome.

    Holes: those that should have been found.
    """

    table: Counter[tuple[str, str]] = field(default_factory=Counter)
    holes: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Take in another tally."""
        self.table += other.table
        self.holes += other.holes


def attempt(game: str, seed: int, number: int) -> Tally:
    """Forge one record of a game and return what became of it."""
    random = Random(f"{game}|{seed}|{number}")
    base, name, lines = _forged(random, game)
    tally = Tally()
    audit = verify_record(lines)
    if audit.report.wrong is not None:
        tally.table[name, FOUND] += 1
        return tally
    if audit.report.unchecked:
        tally.table[name, PARTLY] += 1
        return tally

    survived_as = kinds(entries_of(base.lines), entries_of(lines), base.drew)
    tally.table[name, " + ".join(sorted(survived_as))] += 1
    where = f"{game} {seed} {number} ({name})"
    if "unexplained" in survived_as:
        tally.holes.append(f"{where}: survived and is {sorted(survived_as)}")
    if not _receipt_convicts(audit, base.receipt):
        tally.holes.append(f"{where}: survived although there is a receipt")
    return tally


def _receipt_convicts(audit: Audit, receipt: Json) -> bool:
    """Return whether a receipt shows that a record is not the true one."""
    try:
        check_receipts(audit, [receipt], KEYS)
    except Wrong:
        return True
    return False


def _forged(random: Random, game: str) -> tuple[Base, str, list[bytes]]:
    """Return a true record, what was done to it, and the forged one, which differs from it."""
    for _ in range(TRIES):
        base = random.choice(bases(game))
        mutator = random.choice(MUTATORS)
        try:
            forged = mutator(random, entries_of(base.lines))
            lines = mended(forged.entries, forged.leave) if forged else base.lines
        except (LookupError, TypeError, AttributeError, ValueError, orjson.JSONEncodeError):
            # This forger has spoilt what it needs itself.
            continue
        if lines != base.lines:
            return base, mutator.__name__, lines
    raise AssertionError("no forgery changed anything")


def campaign(game: str, seed: int, numbers: range) -> Tally:
    """Return what became of the forgeries of these numbers."""
    tally = Tally()
    with pytest.MonkeyPatch.context() as registry:
        toy.install(registry)
        for number in numbers:
            tally.add(attempt(game, seed, number))
    return tally


def _shares(number: int, seed: int) -> Iterator[partial[Tally]]:
    """Yield the campaign in pieces: as many forgeries of each game."""
    each, rest = divmod(number, len(GAMES))
    for place, game in enumerate(GAMES):
        total = each + 1 if place < rest else each
        for start in range(0, total, SHARE):
            end = min(start + SHARE, total)
            yield partial(campaign, game, seed, range(start, end))


def _run(share: partial[Tally]) -> Tally:
    return share()


def main(arguments: list[str]) -> int:
    """Run a campaign, print its table; return 1 if there is a hole."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.mutations")
    parser.add_argument("--number", type=int, default=10_000, help="how many forgeries")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other forgeries")
    chosen = parser.parse_args(arguments)
    tally = Tally()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for share in pool.map(_run, _shares(chosen.number, chosen.seed)):
            tally.add(share)
    _print(tally)
    return 1 if tally.holes else 0


def _print(tally: Tally) -> None:
    """Print a line for each outcome, with how often each mutator came to it."""
    print(f"{sum(tally.table.values())} forgeries")
    outcomes = {outcome for _, outcome in tally.table} - {FOUND}
    for outcome in (FOUND, *sorted(outcomes)):
        by_mutator = {name: count for (name, end), count in tally.table.items() if end == outcome}
        total = sum(by_mutator.values())
        counts = ", ".join(f"{name} {count}" for name, count in sorted(by_mutator.items()))
        print(f"{total:7} {outcome}: {counts}")

    print(f"{len(tally.holes):7} holes")
    for hole in tally.holes:
        print(f"  {hole}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
