"""What an audit costs, and how fast many matches are verified by one process and by two.

Golden records are verified and, in turn, the parts of it are done alone:

fold: fold the events;
replay: fold them and make the digest of the public view at every version, as an audit has to;
decide: decide every command again.

Verifying is measured against replay and decide. Its ratio to fold and decide has no goal, because
the digests alone take longer than both (docs/decisions/0013). Then a dump with matches of bots is
checked with one process and with two.
"""

import gzip
from collections.abc import Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from zstandard import ZstdCompressor

from benchmarks.matches import new_context, play_bots
from benchmarks.measure import Figures, Ratio, interleaved, limit, rate, show, timed
from domain.games import GAMES
from domain.match import play
from domain.match.evolve import evolve
from domain.match.state import Match
from service.cli.verify import check_files
from service.journal.memory import memory_journal
from service.ledger import codec, record
from service.ledger.codec import decode, decode_events
from service.ledger.commit import canonical, parse_commits, rules_of
from service.ledger.replay import apply, forward
from service.matches.records import export
from service.verify.audit import verify_record
from tests.records.make import HOME

RUNS = 9
RECORDS = 20
GOAL = 2.0  # times replaying and deciding
PLAYED = 8  # different matches of each game in the dump
NUMBER = 120  # matches in the dump
DUMP_RUNS = 3
WANTED = 10_000  # matches that the goal is about
GOAL_SECONDS = 240
JOBS_GOAL = 1.6


class Record(NamedTuple):
    """A golden record: its lines, and the same commits as the journal holds them."""

    lines: list[bytes]
    stored: list[bytes]


def golden_records(game: str) -> list[Record]:
    """Return the first golden records of a game."""
    records = []
    for path in sorted((HOME / game).glob("*.ndjson.gz"))[:RECORDS]:
        lines = record.lines(gzip.decompress(path.read_bytes()))
        records.append(Record(lines, [canonical(record.read_line(line)[0]) for line in lines]))
    return records


def decide_again(lines: Sequence[bytes]) -> float:
    """Return how many seconds it takes to decide every command of a record, folding not counted."""
    entries = [record.read_line(line)[0] for line in lines]
    rules = rules_of(entries[0])
    first, *others = [decode(entry, rules) for entry in entries]

    match = apply(None, list(first.events))
    opened = apply(None, list(first.events))
    seconds = timed(partial(play.open_match, first.command, opened.draws(1)))
    for commit in others:
        draws = match.draws(commit.version)
        seconds += timed(partial(play.decide, match, commit.command, draws))
        for event in commit.events:
            evolve(match, event)
    return seconds


def replay(entries: Sequence[bytes]) -> None:
    """Fold a match, and make the digest of the public view at every version."""
    match: Match | None = None
    parsed = parse_commits(entries)
    rules = rules_of(parsed[0])
    for entry in parsed:
        match = apply(match, decode_events([entry], rules))
        codec.view_digest(match)


def measure_parts(game: str) -> Figures:
    """Print how long it takes to verify a record, and to do parts of it; return the ratios."""
    records = golden_records(game)
    contenders = {
        "verify": lambda: sum(timed(partial(verify_record, one.lines)) for one in records),
        "fold": lambda: sum(timed(partial(forward, None, one.stored)) for one in records),
        "replay": lambda: sum(timed(partial(replay, one.stored)) for one in records),
        "decide": lambda: sum(decide_again(one.lines) for one in records),
    }
    took = interleaved(RUNS, contenders)
    commits = sum(len(one.lines) for one in records)
    show(f"{game}: a match", {name: 1e3 * sec / len(records) for name, sec in took.items()}, "ms")
    show(f"{game}: a commit", {name: 1e6 * sec / commits for name, sec in took.items()}, "us")

    verify = took["verify"]
    replaying = verify / (took["replay"] + took["decide"])
    folding = verify / (took["fold"] + took["decide"])
    return [
        limit(f"{game}: verifying against replaying and deciding", replaying, GOAL),
        limit(f"{game}: verifying against folding and deciding", folding),
    ]


def played_records() -> list[bytes]:
    """Play matches of bots of all games, one of each in turn; return their records."""
    records = []
    for number in range(PLAYED):
        for game in GAMES:
            ctx = new_context(memory_journal(partitions=1))
            match_id = play_bots(ctx, game, seed=f"verifying {number}")
            records.append(b"".join(export(ctx, match_id, None)))
    return records


def write_dump(path: Path) -> None:
    """Write a dump of so many matches, the same ones again and again."""
    with (
        path.open("wb") as file,
        ZstdCompressor().stream_writer(file, closefd=False) as packed,
    ):
        for one in islice(cycle(played_records()), NUMBER):
            packed.write(one)


def check(path: Path, jobs: int) -> None:
    """Check a dump; all its records must be right."""
    [checked] = check_files([str(path)], jobs, lambda _more: None)
    assert (checked.right, checked.verdict) == (NUMBER, "right")


def measure_jobs(path: Path) -> Figures:
    """Print how many matches a second are verified; return the ratios."""
    jobs = {"one job": 1, "two jobs": 2}
    rates = interleaved(
        DUMP_RUNS,
        {
            name: partial(rate, NUMBER, partial(check, path, number))
            for name, number in jobs.items()
        },
    )
    show("verified", rates, "matches/s")

    seconds = WANTED / rates["two jobs"]
    show(f"{WANTED} matches", {"two jobs": seconds}, "s")
    in_time = "verifying 10,000 matches with two jobs against four minutes"
    return [
        Ratio(
            "verifying with two jobs against one", rates["two jobs"] / rates["one job"], JOBS_GOAL
        ),
        limit(in_time, seconds / GOAL_SECONDS, 1),
    ]


def main() -> Figures:
    """Measure both; return the ratios."""
    ratios = [ratio for game in GAMES for ratio in measure_parts(game)]
    with TemporaryDirectory() as directory:
        path = Path(directory, "matches.ndjson.zst")
        write_dump(path)
        return ratios + measure_jobs(path)
