"""Results of matches, and the directory of an arena.

The directory holds the arena's seed, the results, and the records of the matches. A match is done
once its line is in the file of results. The record is written before the line. So a match that was
cut off is played again, and its new record replaces the first record.
"""

import fcntl
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from service.base.private_files import write_private
from workers.arena.fixtures import BadResults, Contender, Fixture, OtherArena

ARENA_FILE = "arena.json"
RESULTS_FILE = "results.jsonl"
FORMAT = 1

_SHORTEST = 1e-6  # upper end of the first bucket, in seconds
_RATIO = 1.05  # upper end of a bucket, divided by that of the bucket before


# ---- the thinking time of a level ----------------------------------------------------------------


@dataclass(slots=True)
class ThinkingTime:
    """The thinking time of a level. Only decisions with a choice count.

    decisions: number of decisions.   processor: their processor time in all, in seconds.
    iterations: number of iterations of all searches.   longest: seconds of the longest decision.
    counts: numbers of decisions by bucket of the time taken. The upper end of each bucket is 5 %
    above that of the bucket before.
    """

    decisions: int = 0
    processor: float = 0.0
    iterations: int = 0
    longest: float = 0.0
    counts: dict[int, int] = field(default_factory=dict)

    def add(self, seconds: float, processor: float, iterations: int) -> None:
        """Count one decision."""
        bucket = _bucket(seconds)
        self.decisions += 1
        self.processor += processor
        self.iterations += iterations
        self.longest = max(self.longest, seconds)
        self.counts[bucket] = self.counts.get(bucket, 0) + 1

    def quantile(self, share: float) -> float:
        """Return a quantile of the decisions' time, in seconds. 0 without decisions.

        share: share of the decisions, such as 0.5 for the median. Above a microsecond the result is
            2.5 % off at most.
        """
        goal = share * self.decisions
        number = 0
        for bucket in sorted(self.counts):
            number += self.counts[bucket]
            if number >= goal:
                return min(_middle(bucket), self.longest)
        return 0.0


def together(times: Iterable[ThinkingTime]) -> ThinkingTime:
    """Return the sum of the times of several matches."""
    whole = ThinkingTime()
    for one in times:
        whole.decisions += one.decisions
        whole.processor += one.processor
        whole.iterations += one.iterations
        whole.longest = max(whole.longest, one.longest)
        for bucket, count in one.counts.items():
            whole.counts[bucket] = whole.counts.get(bucket, 0) + count
    return whole


def _bucket(seconds: float) -> int:
    if seconds <= _SHORTEST:
        return 0
    return math.ceil(math.log(seconds / _SHORTEST, _RATIO))


def _middle(bucket: int) -> float:
    """Return the geometric middle of a bucket, in seconds."""
    return _SHORTEST * math.pow(_RATIO, bucket - 0.5)


# ---- one result, and its line of JSON ------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureResult:
    """The result of a match.

    match: ID of the match.   rules: version of the rules.
    ranks, points: ranks and points by seat. () if the match came to no end by the rules.
    times: thinking times by level as text, such as "quick:200".
    software: release and digest of the code that played the match.
    """

    fixture: Fixture
    match: str
    rules: str
    commits: int
    ranks: tuple[int, ...]
    points: tuple[int, ...]
    times: Mapping[str, ThinkingTime] = field(default_factory=dict)
    software: str = ""


def line_of(result: FixtureResult) -> bytes:
    """Return a result as a line of JSON, line feed included."""
    fixture = result.fixture
    fields = {
        "game": fixture.game,
        "seats": fixture.seats,
        "pair": [str(level) for level in fixture.pair],
        "number": fixture.number,
        "levels": [str(level) for level in fixture.levels],
        "match": result.match,
        "rules": result.rules,
        "commits": result.commits,
        "ranks": result.ranks,
        "points": result.points,
        "times": {level: asdict(time) for level, time in result.times.items()},
        "software": result.software,
    }
    return orjson.dumps(fields, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE)


def result_of(line: bytes) -> FixtureResult:
    """Return the result in a line of JSON.

    Raises ValueError, TypeError, KeyError or AttributeError for a line that `line_of` has not
    written.
    """
    fields: dict[str, Any] = orjson.loads(line)
    weaker, stronger = map(_read_level, fields["pair"])
    fixture = Fixture(fields["game"], fields["seats"], (weaker, stronger), fields["number"])
    return FixtureResult(
        fixture=fixture,
        match=fields["match"],
        rules=fields["rules"],
        commits=fields["commits"],
        ranks=tuple(fields["ranks"]),
        points=tuple(fields["points"]),
        times={level: _read_time(one) for level, one in fields["times"].items()},
        software=fields["software"],
    )


def _read_level(text: str) -> Contender:
    """Return a stored level. A later release may no longer have the level."""
    name, _, number = text.partition(":")
    return Contender(name, int(number) if number else None)


def _read_time(fields: dict[str, Any]) -> ThinkingTime:
    counts = {int(bucket): count for bucket, count in fields.pop("counts").items()}
    return ThinkingTime(**fields, counts=counts)


# ---- the directory -------------------------------------------------------------------------------


class ResultStore:
    """The results in a directory when the store was opened, and a file for further results."""

    def __init__(self, results: list[FixtureResult], file: BinaryIO) -> None:
        self.results = results
        self._file = file

    def add(self, result: FixtureResult) -> None:
        """Add a result. The match is then done, even if this process is killed."""
        self._file.write(line_of(result))
        self._file.flush()


@contextmanager
def opened_store(directory: Path, seed: int) -> Iterator[ResultStore]:
    """Yield the store in a directory. Make the directory if it is missing.

    Raises OtherArena if another process has the store open, or if the arena was begun with another
    seed. Raises BadResults for unreadable results.
    """
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / RESULTS_FILE).open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OtherArena(f"another arena is running in {directory}") from None

        _demand_seed(directory, seed)
        _cut_torn_line(file, directory)
        yield ResultStore(read(directory), file)


def read(directory: Path) -> list[FixtureResult]:
    """Return the results in a directory. A torn last line is skipped.

    Raises BadResults.
    """
    path = directory / RESULTS_FILE
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadResults(f"there are no results of an arena: {path}: {error.strerror}") from None

    *lines, _torn = content.split(b"\n")
    results = []
    for number, line in enumerate(lines, start=1):
        try:
            results.append(result_of(line))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise BadResults(f"line {number} of {path} is not the result of a match") from None
    return results


def seed_in(directory: Path) -> int:
    """Return the seed of the arena in a directory. Raises BadResults."""
    path = directory / ARENA_FILE
    try:
        settings = orjson.loads(path.read_bytes())
        seed: int = settings["seed"]
        form = settings["format"]
    except (OSError, ValueError, TypeError, KeyError):
        raise BadResults(f"{path} has no seed of an arena") from None
    if form != FORMAT:
        raise BadResults(f"{path} was written by another release of Giornale")
    return seed


def _demand_seed(directory: Path, seed: int) -> None:
    """Note the seed of a new arena. Raises OtherArena if the arena was begun with another seed."""
    if not (directory / ARENA_FILE).exists():
        write_private(
            directory / ARENA_FILE, orjson.dumps({"format": FORMAT, "seed": seed}) + b"\n"
        )
        return

    begun_with = seed_in(directory)
    if begun_with != seed:
        raise OtherArena(
            f"the arena in {directory} has the seed {begun_with}, not {seed}. Continue it with "
            f"--seed {begun_with}, or choose another directory with --out"
        )


def _cut_torn_line(file: BinaryIO, directory: Path) -> None:
    """Cut off an incomplete last line, left by a killed process."""
    content = (directory / RESULTS_FILE).read_bytes()
    whole_length = content.rfind(b"\n") + 1
    if whole_length < len(content):
        os.truncate(file.fileno(), whole_length)
