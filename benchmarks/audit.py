"""What it costs that a history can be audited, and what an audit costs.

`python -m benchmarks.audit` posts the same moves, over the bundled server, to the application as it is and to one
without chain, salts and receipts, in turn; then it verifies golden records and, in turn, does apart what that consists
of: folding the events ("fold"), folding and making the digest of the public view at every version, which an audit has
to check ("replay"), and deciding every command again ("decide"). Prints rates, times and ratios: verifying is held
against replay and decide; against fold and decide it is printed as well, without a goal, because the digests alone
take longer than both (docs/decisions/0013).
"""

import gzip
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from flask import Flask

from benchmarks.http import SEED, Line, line
from benchmarks.measure import interleaved, report, timed
from domain.games import GAMES
from domain.match import play
from domain.match.state import Match, evolve
from service.api.app import create_app
from service.config import Config
from service.ledger import record, writing
from service.ledger.canonical import canonical
from service.ledger.commit import Content, parse_commits, rules_of
from service.ledger.decoding import decode, decode_events
from service.ledger.draws import draws, view_digest
from service.ledger.replay import apply, forward
from service.ledger.secrets import split
from service.process.valkey import Server
from service.verify.audit import verify_record
from tests.records.make import HOME

RUNS = 9
KEPT = 0.85  # of the rate of moves without chain, salts and receipts
TWICE = 2.0


def bare_write(new: writing.NewCommit, _key: bytes) -> writing.Written:
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
    commit_bytes = writing.stored_bytes(canonical(content), "", messages.parts)
    return writing.Written(commit_bytes, {"commit": content, "hash": "", "secrets": messages.parts})


def moves_a_second(app: Flask, game: str, moves: Line) -> float:
    """Return how many moves a second the application answers in a new match."""
    client = app.test_client()
    body = {"game": game, "seats": [{"kind": "human"}] * 3, "seed": SEED}
    match = client.post("/v1/matches", json=body).get_json()
    path, tokens = (
        f"/v1/matches/{match['id']}/moves",
        [match["tokens"][f"seat:{seat}"] for seat in range(3)],
    )
    start = time.perf_counter()
    for seat, move in moves:
        status = client.post(
            path, json=move, headers={"Authorization": f"Bearer {tokens[seat]}"}
        ).status_code
        assert status == 201
    return len(moves) / (time.perf_counter() - start)


def without_audit(app: Flask, game: str, moves: Line) -> float:
    """Do the same without chain, salts and receipts."""
    desk = app.extensions["desk"]
    app.extensions["desk"] = replace(desk, signer=None)
    try:
        with mock.patch.object(writing, "write", bare_write):
            return moves_a_second(app, game, moves)
    finally:
        app.extensions["desk"] = desk


def price_of_a_move(url: str, directory: str) -> None:
    """Print the rate of moves with and without all that makes them auditable."""
    settings = {
        "JOURNAL_URL": url,
        "DATA": directory,
        "ALLOW_SEED": "true",
        "RATE_LIMIT": "0",
        "LOG_LEVEL": "error",
    }
    settings["OPENINGS"] = "0"
    app = create_app(Config.load({f"GIORNALE_{name}": value for name, value in settings.items()}))
    for game in GAMES:
        moves = line(game)
        found = interleaved(
            RUNS,
            {
                "with": lambda: moves_a_second(app, game, moves),  # noqa: B023
                "without": lambda: without_audit(app, game, moves),  # noqa: B023
            },
        )
        print(
            f"{game}: {found['with']:.0f} moves/s audited, {found['without']:.0f} moves/s not ({len(moves)} moves)"
        )
        report(
            f"{game}: rate with chain, salts and receipts", found["with"] / found["without"], KEPT
        )


def decide_again(lines: Sequence[bytes]) -> float:
    """Return how long it takes to decide every command of a record, the folding between not counted."""
    entries = [record.read_line(data)[0] for data in lines]
    rules = rules_of(entries[0])
    commits = [decode(entry, rules) for entry in entries]
    match = apply(None, list(commits[0].events))
    took = timed(lambda: play.open_match(commits[0].command, draws(match, 1)))
    match = apply(None, list(commits[0].events))
    for commit in commits[1:]:
        took += timed(lambda: play.decide(match, commit.command, draws(match, commit.version)))  # noqa: B023
        for event in commit.events:
            evolve(match, event)
    return took


def replay(entries: Sequence[bytes]) -> list[str]:
    """Fold a match and return the digest of the public view at every version."""
    match: Match | None = None
    parsed = parse_commits(entries)
    rules = rules_of(parsed[0])
    digests = []
    for entry in parsed:
        match = apply(match, decode_events([entry], rules))
        digests.append(view_digest(match))
    return digests


def price_of_an_audit() -> None:
    """Print how long it takes to verify records, and to replay and decide them."""
    for game in GAMES:
        records = [_lines(path) for path in sorted((HOME / game).glob("*.ndjson.gz"))[:20]]
        stored = [[canonical(record.read_line(data)[0]) for data in lines] for lines in records]
        contenders: dict[str, Callable[[], float]] = {
            "verify": lambda: timed(lambda: [verify_record(lines) for lines in records]),  # noqa: B023
            "fold": lambda: timed(lambda: [forward(None, entries) for entries in stored]),  # noqa: B023
            "replay": lambda: timed(lambda: [*map(replay, stored)]),  # noqa: B023
            "decide": lambda: sum(decide_again(lines) for lines in records),  # noqa: B023
        }
        found = {
            name: 1000 * took / len(records) for name, took in interleaved(RUNS, contenders).items()
        }
        print(
            f"{game}: a match: "
            + ", ".join(f"{name} {took:.1f} ms" for name, took in found.items())
        )
        ratio = found["verify"] / (found["replay"] + found["decide"])
        bare = found["verify"] / (found["fold"] + found["decide"])
        print(
            f"{game}: verifying takes {ratio:.2f} times replaying and deciding (goal: at most {TWICE:g}),"
        )
        print(
            f"{game}: {bare:.2f} times folding and deciding, digests of the view left out (no goal)"
        )


def _lines(path: Path) -> list[bytes]:
    return record.lines(gzip.decompress(path.read_bytes()))


def main() -> None:
    """Measure both."""
    with TemporaryDirectory() as directory, Server(Path(directory) / "journal") as server:
        price_of_a_move(server.url, directory)
    price_of_an_audit()


if __name__ == "__main__":
    main()
