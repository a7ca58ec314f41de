"""The time of an audit, and the rate of two processes that verify many matches.

Golden records are verified and, in turn, the parts of a verification are done alone:

fold: fold the events.
replay: fold them and make the digest of the public view at every version, as an audit has to.
decide: decide every command again.

Verifying is measured against replay and decide. Its ratio to fold and decide has no goal, because
the digests alone take longer than both (docs/decisions/0013). Then two processes check a dump with
matches of bots.
"""

import gzip
from collections.abc import Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from zstandard import ZstdCompressor

from benchmarks.measure import Figures, Ratio, compare, limit, milliseconds, rate, show
from domain.games import GAMES
from domain.match import play
from domain.match.evolve import evolve
from domain.match.state import Match
from service.ops.cli.verify import check_files
from service.record import codec, record
from service.record.codec import decode, decode_events
from service.record.commit import canonical, parse_commits, rules_of
from service.record.replay import apply, replay_commits
from service.record.verify.audit import verify_record
from tests.records.make import HOME

RUNS = 5
RECORDS = 20
NUMBER = 120  # matches in the dump


def golden_records(game: str) -> list[list[bytes]]:
    """Return the lines of the first golden records of a game."""
    paths = sorted((HOME / game).glob("*.ndjson.gz"))[:RECORDS]
    return [record.lines(gzip.decompress(path.read_bytes())) for path in paths]


def decide_again(lines: Sequence[bytes]) -> float:
    """Return the milliseconds to decide the commands of a record, without folds."""
    entries = [record.read_line(line)[0] for line in lines]
    rules = rules_of(entries[0])
    first, *others = [decode(entry, rules) for entry in entries]

    match = apply(None, list(first.events))
    opened = apply(None, list(first.events))
    total_ms = milliseconds(partial(play.open_match, first.command, opened.draws(1)))
    for commit in others:
        draws = match.draws(commit.version)
        total_ms += milliseconds(partial(play.decide, match, commit.command, draws))
        for event in commit.events:
            evolve(match, event)
    return total_ms


def replay(entries: Sequence[bytes]) -> None:
    """Fold a match, and make the digest of the public view at every version."""
    match: Match | None = None
    parsed = parse_commits(entries)
    rules = rules_of(parsed[0])
    for entry in parsed:
        match = apply(match, decode_events([entry], rules))
        codec.view_digest(match)


def measure_parts(game: str) -> Figures:
    """Print the times to verify a record, and to do parts of it. Return the ratios."""
    records = golden_records(game)
    # The same commits in the journal's form.
    stored = [[canonical(record.read_line(line)[0]) for line in lines] for lines in records]
    contenders = {
        "verify": lambda: fmean(milliseconds(partial(verify_record, one)) for one in records),
        "fold": lambda: fmean(milliseconds(partial(replay_commits, None, one)) for one in stored),
        "replay": lambda: fmean(milliseconds(partial(replay, one)) for one in stored),
        "decide": lambda: fmean(map(decide_again, records)),
    }
    took = compare(f"{game}: a match", "ms", RUNS, contenders)
    commits = fmean(map(len, records))
    show(f"{game}: a commit", {name: 1000 * ms / commits for name, ms in took.items()}, "us")

    verify = took["verify"]
    replaying = verify / (took["replay"] + took["decide"])
    folding = verify / (took["fold"] + took["decide"])
    return [
        limit(f"{game}: verifying against replaying and deciding", replaying, 2),
        limit(f"{game}: verifying against folding and deciding", folding),
    ]


def measure_jobs(path: Path) -> Ratio:
    """Print the rate of two jobs on a dump. Return their time for 10,000 matches to the goal."""

    def check() -> None:
        [checked] = check_files([str(path)], 2, lambda _more: None)
        assert (checked.right, checked.verdict) == (NUMBER, "right")

    rates = compare("verified", "matches/s", RUNS, {"two jobs": partial(rate, NUMBER, check)})
    seconds = 10_000 / rates["two jobs"]
    show("10,000 matches", {"two jobs": seconds}, "s")
    return limit("verifying 10,000 matches with two jobs against four minutes", seconds / 240, 1)


def main() -> Figures:
    """Measure audits of one match, and of many. Return the ratios."""
    ratios: Figures = [ratio for game in GAMES for ratio in measure_parts(game)]
    whole = [golden_records(game) for game in GAMES]
    records = [b"".join(one) for pair in zip(*whole, strict=True) for one in pair]
    with TemporaryDirectory() as directory:
        path = Path(directory, "matches.ndjson.zst")
        path.write_bytes(ZstdCompressor().compress(b"".join(islice(cycle(records), NUMBER))))
        return [*ratios, measure_jobs(path)]
