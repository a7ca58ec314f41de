"""How fast many matches are verified, by one process and by two.

`python -m benchmarks.verifying` plays some matches of both games with bots, writes them to a dump
again and again until it holds as many as are wanted, and checks it with one process and with two,
in turn. It compares that with folding and deciding the same matches alone, and says where the time
goes. `python -m benchmarks.verifying 10000` checks a dump of so many once more, by the command
`giornale verify --jobs 2`, all included.

Processes that share their processors with others get less of them, two no more than one. So the
processor time of all processes is measured, too: it tells what idle processors would need.
"""

import cProfile
import os
import pstats
import statistics
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from zstandard import ZstdCompressor

from benchmarks.audit import Record, decide_again
from benchmarks.matches import new_context, play_bots
from benchmarks.measure import Ratio, interleaved, rate, timed
from domain.games import GAMES
from service.cli.verify import check_files
from service.journal.memory import memory_journal
from service.ledger import record
from service.ledger.commit import canonical
from service.ledger.replay import forward
from service.matches.records import export
from service.verify.audit import verify_record

NUMBER = 120  # matches in the dump
WANTED = 10_000  # matches that the goal is about
GOAL_SECONDS = 240
PLAYED = 8  # different matches of each game
RUNS = 3
TOP = 10  # functions that are listed
DUMP = "matches.ndjson.zst"


def played(game: str, number: int) -> Record:
    """Play a match of bots; return its record."""
    ctx = new_context(memory_journal(partitions=1))
    match_id = play_bots(ctx, game, seed=f"verifying {number}")
    lines = list(export(ctx, match_id, None))
    return Record(lines, [canonical(record.read_line(line)[0]) for line in lines])


def played_records() -> list[Record]:
    """Play matches of all games, one of each in turn."""
    return [played(game, number) for number in range(PLAYED) for game in GAMES]


def write_dump(records: Sequence[Record], number: int, path: Path) -> None:
    """Write a dump of so many matches, the same ones again and again, without a list."""
    with (
        path.open("wb") as file,
        ZstdCompressor().stream_writer(file, closefd=False) as packed,
    ):
        for one in islice(cycle(records), number):
            packed.write(b"".join(one.lines))


def check(path: Path, jobs: int, number: int) -> None:
    """Check a dump; all its records must be right."""
    [checked] = check_files([str(path)], jobs, lambda _more: None)
    assert (checked.right, checked.verdict) == (number, "right")


def processor_seconds() -> float:
    """Return how much processor time this process and those that it has ended have taken."""
    return sum(os.times()[:4])


def measure_jobs(path: Path, number: int) -> list[Ratio]:
    """Print how many matches a second are verified; return the ratios."""
    taken: dict[int, list[float]] = {1: [], 2: []}

    def matches_a_second(jobs: int) -> float:
        before = processor_seconds()
        matches = rate(number, partial(check, path, jobs, number))
        taken[jobs].append((processor_seconds() - before) / number)
        return matches

    rates = interleaved(RUNS, {f"{jobs}": partial(matches_a_second, jobs) for jobs in taken})
    spent = {jobs: statistics.median(figures) for jobs, figures in taken.items()}
    for jobs in taken:
        each = f"{1000 * spent[jobs]:.1f} ms of a processor a match"
        print(f"--jobs {jobs}: {rates[f'{jobs}']:.1f} matches/s, {each}")

    seconds = WANTED / rates["2"]
    alone = WANTED * spent[2] / 2
    print(f"{WANTED} matches with --jobs 2 would take {seconds:.0f} s (goal {GOAL_SECONDS} s)")
    print(f"two processors that do nothing else would need {alone:.0f} s")

    ratios = [
        Ratio("verifying with two jobs against one", rates["2"] / rates["1"], 1.6),
        Ratio(
            "processor time of two jobs against one",
            spent[2] / spent[1],
            smaller_is_better=True,
        ),
        Ratio(
            "verifying 10,000 matches with two jobs against four minutes",
            seconds / GOAL_SECONDS,
            1,
            smaller_is_better=True,
        ),
    ]
    print(*ratios, sep="\n")
    return ratios


def measure_parts(game: str, records: Sequence[Record]) -> Ratio:
    """Print how long it takes to verify bots' matches, and to fold and decide; return the ratio."""
    commits = sum(len(one.lines) for one in records)
    contenders = {
        "verify": lambda: sum(timed(partial(verify_record, one.lines)) for one in records),
        "fold": lambda: sum(timed(partial(forward, None, one.stored)) for one in records),
        "decide": lambda: sum(decide_again(one.lines) for one in records),
    }
    seconds = interleaved(RUNS, contenders)
    for name, took in seconds.items():
        each = f"{1e6 * took / commits:.0f} us a commit"
        print(f"{game}: {name} {1000 * took / len(records):.1f} ms a match, {each}")

    ratio = Ratio(
        f"{game}: verifying a match of bots against folding and deciding",
        seconds["verify"] / (seconds["fold"] + seconds["decide"]),
        smaller_is_better=True,
    )
    print(ratio)
    return ratio


def print_profile(records: Sequence[Record]) -> None:
    """Print in which functions verifying spends its own time."""
    profile = cProfile.Profile()
    for one in records:
        profile.runcall(verify_record, one.lines)

    functions = pstats.Stats(profile).get_stats_profile()
    by_own_time = sorted(functions.func_profiles.items(), key=lambda item: -item[1].tottime)
    print("share of own time, calls a commit, function (under the profiler):")
    commits = sum(len(one.lines) for one in records)
    for name, seen in by_own_time[:TOP]:
        calls = int(seen.ncalls.partition("/")[0]) / commits
        place = "" if seen.file_name == "~" else f" ({Path(seen.file_name).name})"
        print(f"  {seen.tottime / functions.total_tt:5.1%} {calls:5.1f} {name}{place}")


def check_by_command(records: Sequence[Record], number: int, path: Path) -> None:
    """Print how long `giornale verify` takes for so many matches, from its start to its end."""
    write_dump(records, number, path)
    command = [sys.executable, "-m", "service.cli", "verify", "--jobs", "2", str(path)]
    before = processor_seconds()
    seconds = timed(partial(subprocess.run, command, check=True))

    goal = GOAL_SECONDS * number / WANTED
    taken = processor_seconds() - before
    print(f"{number} matches by the command: {seconds:.0f} s (goal {goal:.0f} s)")
    print(f"they took {taken:.0f} s of a processor")


def main(number: int = 0) -> list[Ratio]:
    """Measure and return the ratios; number: how many are verified by the command, 0: none."""
    records = played_records()
    print_profile(records)
    ratios = [measure_parts(game, records[place :: len(GAMES)]) for place, game in enumerate(GAMES)]
    with TemporaryDirectory() as directory:
        path = Path(directory, DUMP)
        write_dump(records, NUMBER, path)
        ratios += measure_jobs(path, NUMBER)
        if number:
            check_by_command(records, number, path)
    return ratios


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
