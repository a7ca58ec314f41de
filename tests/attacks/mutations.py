"""`python -m tests.attacks.mutations --number 10000 --seed 1`: forge real records in every way.

It prints the findings. Every forgery is mended: hashes, digests, salts, numbers and the revelation
fit. It must be found, except for facts that no record can prove (docs/explanation/fairness.md,
"What this proves and what not"). Any other survivor is a hole. A receipt for the last commit must
find all of it.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from random import Random
from typing import NamedTuple
from unittest.mock import patch

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.games import GAMES as REAL_GAMES
from service.matches import lobby
from service.matches.command_handler import Submission
from service.matches.opening import OpenRequest, open_new
from service.record.commit import Json
from service.record.verify.audit import RecordAudit, verify_record
from service.record.verify.receipts import check_receipts
from service.record.verify.report import Wrong
from service.store.keys.signer import Accepted, sign_receipt
from tests import toy
from tests.attacks.forging import entries_of, mended
from tests.attacks.mutators import MUTATORS
from tests.attacks.survivors import drawing, kinds
from tests.records import make
from tests.service.record.verify.forgeries import drawn_together
from tests.service.toy_matches import new_context, play_on, record_of, signed

GAMES = ("calimala", "firenze", "toy")
FOUND = "found"
PARTLY = "not checked to the last"
TRIES = 50
SHARE = 50  # forgeries that one process makes in one go

# Errors of a forger who has spoilt their own material.
SPOILT = (LookupError, TypeError, AttributeError, ValueError, orjson.JSONEncodeError)


# ---- true records: golden ones of the games, and some of the toy ---------------------------------

GOLDEN = ("1-3-00", "1-3-03", "1-3-09", "1-3-bound-00", "1-3-bound-03", "1-3-bound-09")
TOY_SEEDS = ("a", "b", None)  # None: the match's secret is bound to its id

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC_HEX = PRIVATE.public_key().public_bytes_raw().hex()
KEYS = [{"id": "k", "public": PUBLIC_HEX, "until": None}]


class Base(NamedTuple):
    """A true record.

    receipt: of its last commit. drew: the versions of the commits with draws. base: the audit of
    the base of a fork (M21). None: it is no fork.
    """

    lines: list[bytes]
    receipt: Json
    drew: set[int]
    base: RecordAudit | None = None

    def find_base(self, match: str, _version: int) -> RecordAudit | None:
        """Return the audit of the base, if a forgery still names its match."""
        return self.base if self.base is not None and self.base.report.match == match else None


@cache
def bases(game: str) -> list[Base]:
    """Return the true records of a game: with both kinds of commitment, a signed one, and a fork.

    The toy has one that was drawn together in place of the fork.
    """
    if game == "toy":
        others = [signed(new_context()), drawn_together(new_context())]
        return [*(_base(_toy_record(seed)) for seed in TOY_SEEDS), *map(_base, others)]
    plain = [_base(_golden_record(game, name)) for name in GOLDEN]
    forked = _base(make.lines_in(make.fork_path(REAL_GAMES[game])))
    with_keys = _base(make.lines_in(make.signed_path(REAL_GAMES[game])))
    base = verify_record(make.lines_in(make.base_of_fork(REAL_GAMES[game])))
    return [*plain, forked._replace(base=base), with_keys]


def _base(lines: list[bytes]) -> Base:
    entries = entries_of(lines)
    last = Accepted.of(entries[-1])
    receipt = dict(sign_receipt(last, "k", PRIVATE))
    return Base(lines, receipt, drawing(entries))


def _golden_record(game: str, name: str) -> list[bytes]:
    return make.lines_in(make.HOME / game / f"{name}.ndjson.gz")


def _toy_record(seed: str | None) -> list[bytes]:
    """Return the record of a toy match with changes of seats, with the same bytes each time.

    Somebody joins, leaves and joins again, and a bot stands in for a while.
    """
    ctx = new_context()
    plans = [
        {"kind": "human", "name": "Ginevra", "entropy": "0f" * 8},
        {"kind": "open"},
        {"kind": "bot", "level": "random"},
    ]
    wish = OpenRequest("toy", plans, {"rounds": 3}, seed=seed)
    with patch("service.matches.opening.secrets.token_bytes", lambda length: b"t" * length):
        opened = open_new(ctx, wish, key=f"campaign of {seed}")

    match, owner = opened.loaded.id, Submission(opened.loaded.id, opened.tokens["owner"])
    joiner = {"name": "Cosimo", "entropy": "ab" * 8}
    _, first_token = lobby.join(ctx, Submission(match, None), 1, joiner)
    lobby.leave(ctx, Submission(match, first_token), 1)
    _, token = lobby.join(ctx, Submission(match, None), 1, joiner)
    lobby.start(ctx, owner)
    lobby.replace(ctx, owner, 0, "greedy")
    lobby.restore(ctx, owner, 0)

    opened = replace(opened, tokens={**opened.tokens, "seat:1": str(token)})
    play_on(ctx, opened)
    return record_of(ctx, opened)


# ---- forgeries, and what becomes of them ---------------------------------------------------------

Outcome = tuple[str, str]  # the name of a mutator, and the result of its forgery


class Forgery(NamedTuple):
    """A forged record, the true one it was made of, and the name of the forgery."""

    base: Base
    name: str
    lines: list[bytes]


def attempt(game: str, seed: int, number: int) -> tuple[Outcome, str]:
    """Forge one record of a game. Return the result, and the reason if it is a hole, else "".

    A hole is a forgery that should have been found.
    """
    forgery = _forge(Random(f"{game}|{seed}|{number}"), game)
    audit = verify_record(forgery.lines, find_base=forgery.base.find_base)
    if audit.report.wrong is not None:
        return (forgery.name, FOUND), ""
    if audit.report.unchecked:
        return (forgery.name, PARTLY), ""

    survived_as = _kinds_of(forgery)
    hole = ""
    if "unexplained" in survived_as:
        hole = f"survived and is {survived_as}"
    elif not _receipt_convicts(audit, forgery.base.receipt):
        hole = "survived although there is a receipt"
    where = f"{game} {seed} {number} ({forgery.name})"
    return (forgery.name, " + ".join(survived_as)), hole and f"{where}: {hole}"


def _kinds_of(forgery: Forgery) -> list[str]:
    """Return the names of a forgery's changes, in order."""
    base = forgery.base
    true_entries = entries_of(base.lines)
    forged_entries = entries_of(forgery.lines)
    return sorted(kinds(true_entries, forged_entries, base.drew))


def _receipt_convicts(audit: RecordAudit, receipt: Json) -> bool:
    """Return True if a receipt refutes a record."""
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


def campaign(share: Share) -> tuple[Counter[Outcome], list[str]]:
    """Return the results of the forgeries of a share with their counts, and the holes."""
    with pytest.MonkeyPatch.context() as registry:
        toy.install(registry)
        ends = [attempt(share.game, share.seed, number) for number in share.numbers]
    return Counter(outcome for outcome, _ in ends), [hole for _, hole in ends if hole]


def shares(number: int, seed: int) -> Iterator[Share]:
    """Yield a campaign of so many forgeries in pieces: as many of each game."""
    each, rest = divmod(number, len(GAMES))
    for place, game in enumerate(GAMES):
        total = each + 1 if place < rest else each
        for start in range(0, total, SHARE):
            yield Share(game, seed, range(start, min(start + SHARE, total)))


def main(arguments: list[str]) -> int:
    """Run a campaign, and print the results of its forgeries. Return 1 if there is a hole."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.mutations")
    parser.add_argument("--number", type=int, default=10_000, help="how many forgeries")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other forgeries")
    chosen = parser.parse_args(arguments)

    table: Counter[Outcome] = Counter()
    holes: list[str] = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for more, more_holes in pool.map(campaign, shares(chosen.number, chosen.seed)):
            table += more
            holes += more_holes

    print(f"{table.total()} forgeries")
    for (name, end), count in sorted(table.items(), key=lambda item: item[0][::-1]):
        print(f"{count:7} {end}: {name}")
    print(f"{len(holes):7} holes")
    for hole in holes:
        print(f"  {hole}")
    return 1 if holes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
