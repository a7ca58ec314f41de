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
from functools import cache
from random import Random
from typing import NamedTuple
from unittest.mock import patch

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.match.state import Match
from service.keys.signer import Accepted, sign_receipt
from service.ledger import record
from service.ledger.commit import Json
from service.matches import automation, lobby, moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import Opened, OpenRequest, open_new
from service.matches.records import export
from service.matches.repository import load
from service.verify.audit import Audit, verify_record
from service.verify.receipts import check_receipts
from service.verify.report import Wrong
from tests import toy
from tests.attacks.forging import entries_of, mended
from tests.attacks.mutators import MUTATORS
from tests.attacks.survivors import drawing, kinds
from tests.records import make
from tests.service.toy_matches import new_context
from workers.bots import choose

GAMES = ("calimala", "firenze", "toy")
FOUND = "found"
PARTLY = "not checked to the last"
TRIES = 50
SHARE = 50  # forgeries that one process makes in one go

# What a forger meets who has spoilt what they need themselves.
SPOILT = (LookupError, TypeError, AttributeError, ValueError, orjson.JSONEncodeError)


# ---- true records: golden ones of the games, and some of the toy ---------------------------------

GOLDEN = ("1-3-00", "1-3-03", "1-3-09", "1-3-bound-00", "1-3-bound-03", "1-3-bound-09")
TOY_SEEDS = ("a", "b", None)  # None: the match's secret is bound to its id

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC_HEX = PRIVATE.public_key().public_bytes_raw().hex()
KEYS = [{"id": "k", "public": PUBLIC_HEX, "until": None}]


class Base(NamedTuple):
    """A true record.

    receipt: of its last commit.   drew: the versions of the commits that draw.
    """

    lines: list[bytes]
    receipt: Json
    drew: set[int]


@cache
def bases(game: str) -> list[Base]:
    """Return the true records of a game, of both kinds of commitment."""
    if game == "toy":
        return [_base(_toy_record(seed)) for seed in TOY_SEEDS]
    return [_base(_golden_record(game, name)) for name in GOLDEN]


def _base(lines: list[bytes]) -> Base:
    entries = entries_of(lines)
    last = Accepted.of(entries[-1])
    receipt = dict(sign_receipt(last, "k", PRIVATE))
    return Base(lines, receipt, drawing(entries))


def _golden_record(game: str, name: str) -> list[bytes]:
    path = make.HOME / game / f"{name}.ndjson.gz"
    return record.lines(gzip.decompress(path.read_bytes()))


def _toy_record(seed: str | None) -> list[bytes]:
    """Return the record of a toy match with a lobby, with the same bytes each time."""
    ctx = new_context()
    plans = [
        {"kind": "human", "name": "Ginevra", "entropy": "0f" * 8},
        {"kind": "open"},
        {"kind": "bot", "level": "random"},
    ]
    wish = OpenRequest("toy", plans, {"rounds": 3}, seed=seed)
    with patch("service.matches.opening.secrets.token_bytes", lambda length: b"t" * length):
        opened = open_new(ctx, wish, key=f"campaign of {seed}")

    joined = _gather(ctx, opened)
    tokens = {0: opened.tokens["seat:0"], 1: joined}
    _play_out(ctx, opened, tokens)
    return list(export(ctx, opened.loaded.id, None))


def _gather(ctx: Context, opened: Opened) -> str | None:
    """Let somebody join, leave and join again, and the owner start; return the joiner's token."""
    match = opened.loaded.id
    nobody = Submission(match, None)
    owner = Submission(match, opened.tokens["owner"])
    joiner = {"name": "Cosimo", "entropy": "ab" * 8}

    _, first_token = lobby.join(ctx, nobody, 1, joiner)
    lobby.leave(ctx, Submission(match, first_token), 1)

    _, token = lobby.join(ctx, nobody, 1, joiner)
    lobby.start(ctx, owner)
    return token


def _play_out(ctx: Context, opened: Opened, tokens: dict[int, str | None]) -> None:
    """Play a match until all is revealed; tokens: of the humans' seats."""
    match_id = opened.loaded.id
    while True:
        match = load(ctx, match_id).match
        if match.revealed:
            return

        if match.status.awaiting == "house":
            automation.act(ctx, match_id)
        elif match.status.worker == "bots":
            automation.play_bots(ctx, match_id, choose)
        elif match.status.name == "running":
            _swap(ctx, opened, match, tokens)


def _swap(ctx: Context, opened: Opened, match: Match, tokens: dict[int, str | None]) -> None:
    """Let the seat whose turn it is swap; a bot stands in for the first seat afterwards."""
    match_id = opened.loaded.id
    owner = Submission(match_id, opened.tokens["owner"])
    seat = match.state.turn
    mover = Submission(match_id, tokens[seat])

    moves.move(ctx, mover, {"type": "swap", "why": "hope"})
    if seat == 0:
        lobby.replace(ctx, owner, 0, "greedy")
        lobby.restore(ctx, owner, 0)


# ---- forgeries, and what becomes of them ---------------------------------------------------------


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
