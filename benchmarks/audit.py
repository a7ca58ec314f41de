"""What it costs that a history can be audited, and what an audit costs.

`python -m benchmarks.audit` posts the same moves, over the bundled server, to the application as it
is and to one without chain, salts and receipts, in turn. Then it verifies golden records and, in
turn, does the parts of it alone:

fold: fold the events;
replay: fold them and make the digest of the public view at every version, as an audit has to;
decide: decide every command again.

Verifying is measured against replay and decide. Its ratio to fold and decide is printed as well,
without a goal, because the digests alone take longer than both (docs/decisions/0013).
"""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from tempfile import TemporaryDirectory
from unittest import mock

from flask import Flask

from benchmarks.matches import HUMANS, SEED, SeatMove, common_moves
from benchmarks.measure import Ratio, interleaved, rate, timed
from benchmarks.web import server, settings
from domain.games import GAMES
from domain.match import play
from domain.match.evolve import evolve
from domain.match.state import Match
from service.api.app import create_app, open_services
from service.config import Config
from service.ledger import codec, record
from service.ledger.codec import decode, decode_events, split
from service.ledger.commit import Commit, Content, canonical, parse_commits, rules_of
from service.ledger.replay import apply, forward
from service.verify.audit import verify_record
from tests.records.make import HOME

RUNS = 9
RECORDS = 20
MOVES_GOAL = 0.85  # of the rate of moves without chain, salts and receipts
VERIFY_GOAL = 2.0  # times replaying and deciding


def bare_write(new: codec.NewCommit, _key: bytes) -> codec.Written:
    """Write a commit as `writing.write` does, without hashes and salts."""
    messages = split(new.command, new.events)
    content: Content = {
        "match": new.match,
        "version": new.version,
        "time": new.time,
        "actor": new.actor,
        "command": messages.command,
        "events": messages.events,
        "prev": new.prev,
        "view": new.view,
        "secrets": {},
    }
    commit_bytes = codec.stored_bytes(canonical(content), "", messages.parts)
    return codec.Written(commit_bytes, {"commit": content, "hash": "", "secrets": messages.parts})


def moves_a_second(app: Flask, game: str, moves: Sequence[SeatMove]) -> float:
    """Return how many moves a second the application answers in a new match."""
    client = app.test_client()
    body = {"game": game, "seats": HUMANS, "seed": SEED}
    match = client.post("/v1/matches", json=body).get_json()
    path = f"/v1/matches/{match['id']}/moves"
    headers = [
        {"Authorization": f"Bearer {match['tokens'][f'seat:{seat}']}"}
        for seat in range(len(HUMANS))
    ]

    def post() -> None:
        for seat_move in moves:
            answer = client.post(path, json=seat_move.move, headers=headers[seat_move.seat])
            assert answer.status_code == 201

    return rate(len(moves), post)


def moves_a_second_unaudited(app: Flask, game: str, moves: Sequence[SeatMove]) -> float:
    """Return the same without chain, salts and receipts; app: one that signs none."""
    with mock.patch.object(codec, "write", bare_write):
        return moves_a_second(app, game, moves)


def measure_moves(app: Flask, unsigned: Flask, game: str) -> Ratio:
    """Print the rate of moves with and without all that makes them auditable; return the ratio."""
    moves = common_moves(game)
    contenders = {
        "with": lambda: moves_a_second(app, game, moves),
        "without": lambda: moves_a_second_unaudited(unsigned, game, moves),
    }
    rates = interleaved(RUNS, contenders)
    print(f"{game}: {rates['with']:.0f} moves/s audited, {rates['without']:.0f} not")

    ratio = Ratio(
        f"{game}: rate with chain, salts and receipts",
        rates["with"] / rates["without"],
        MOVES_GOAL,
    )
    print(ratio)
    return ratio


@dataclass(frozen=True)
class Record:
    """A golden record: its lines, and the same commits as the journal holds them."""

    lines: list[bytes]
    stored: list[bytes]


def golden_records(game: str) -> list[Record]:
    """Return the first golden records of a game."""
    records = []
    for path in sorted((HOME / game).glob("*.ndjson.gz"))[:RECORDS]:
        lines = record.lines(gzip.decompress(path.read_bytes()))
        stored = [canonical(record.read_line(line)[0]) for line in lines]
        records.append(Record(lines, stored))
    return records


def decide(match: Match, commit: Commit) -> None:
    """Decide the command of a commit."""
    play.decide(match, commit.command, match.draws(commit.version))


def decide_again(lines: Sequence[bytes]) -> float:
    """Return how many seconds it takes to decide every command of a record, folding not counted."""
    entries = [record.read_line(line)[0] for line in lines]
    rules = rules_of(entries[0])
    first, *others = [decode(entry, rules) for entry in entries]

    opened = apply(None, list(first.events))
    seconds = timed(lambda: play.open_match(first.command, opened.draws(1)))

    match = apply(None, list(first.events))
    for commit in others:
        seconds += timed(partial(decide, match, commit))
        for event in commit.events:
            evolve(match, event)
    return seconds


def replay(entries: Sequence[bytes]) -> list[str]:
    """Fold a match and return the digest of the public view at every version."""
    match: Match | None = None
    parsed = parse_commits(entries)
    rules = rules_of(parsed[0])

    digests = []
    for entry in parsed:
        match = apply(match, decode_events([entry], rules))
        digests.append(codec.view_digest(match))
    return digests


def measure_audit(game: str) -> list[Ratio]:
    """Print how long it takes to verify a record, and to do parts of it; return the ratios."""
    records = golden_records(game)

    def verify() -> None:
        for one in records:
            verify_record(one.lines)

    def fold_all() -> None:
        for one in records:
            forward(None, one.stored)

    def replay_all() -> None:
        for one in records:
            replay(one.stored)

    contenders = {
        "verify": lambda: timed(verify),
        "fold": lambda: timed(fold_all),
        "replay": lambda: timed(replay_all),
        "decide": lambda: sum(decide_again(one.lines) for one in records),
    }
    seconds = interleaved(RUNS, contenders)
    for name, took in seconds.items():
        print(f"{game}: {name} {1000 * took / len(records):.1f} ms a match")

    ratios = [
        Ratio(
            f"{game}: verifying against replaying and deciding",
            seconds["verify"] / (seconds["replay"] + seconds["decide"]),
            VERIFY_GOAL,
            smaller_is_better=True,
        ),
        Ratio(
            f"{game}: verifying against folding and deciding",
            seconds["verify"] / (seconds["fold"] + seconds["decide"]),
            smaller_is_better=True,
        ),
    ]
    print(*ratios, sep="\n")
    return ratios


def main() -> list[Ratio]:
    """Measure both for each game; return the ratios."""
    with server() as url, TemporaryDirectory() as directory:
        environ = settings(url, directory, RATE_LIMIT="0", LOG_LEVEL="error")
        config = Config.load(environ)
        services = open_services(config)
        app = create_app(config, services)
        unsigned = create_app(config, replace(services, ctx=replace(services.ctx, signer=None)))
        ratios = [measure_moves(app, unsigned, game) for game in GAMES]

    for game in GAMES:
        ratios += measure_audit(game)
    return ratios


if __name__ == "__main__":
    main()
