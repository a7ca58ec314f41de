"""The result of one match, and its line of JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import orjson

from workers.arena.fixtures import Fixture
from workers.arena.levels import Level
from workers.arena.thinking_time import ThinkingTime


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a match.

    match: its id.   rules: their version.   ranks, points: of each seat, () if the match came to no
    end by the rules.   times: what each level needed, by its text.   software: what has played.
    """

    fixture: Fixture
    match: str
    rules: str
    commits: int
    ranks: tuple[int, ...]
    points: tuple[int, ...]
    times: Mapping[str, ThinkingTime] = field(default_factory=dict)
    software: str = ""


def line_of(result: Result) -> bytes:
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


def result_of(line: bytes) -> Result:
    """Return the result that a line of JSON tells.

    Raises ValueError, TypeError, KeyError or AttributeError for a line that `line_of` has not
    written.
    """
    fields: dict[str, Any] = orjson.loads(line)
    weaker, stronger = map(_read_level, fields["pair"])
    fixture = Fixture(fields["game"], fields["seats"], (weaker, stronger), fields["number"])
    return Result(
        fixture=fixture,
        match=fields["match"],
        rules=fields["rules"],
        commits=fields["commits"],
        ranks=tuple(fields["ranks"]),
        points=tuple(fields["points"]),
        times={level: _read_time(one) for level, one in fields["times"].items()},
        software=fields["software"],
    )


def _read_level(text: str) -> Level:
    """Return a level that was written earlier; there may be no such level any more."""
    name, _, number = text.partition(":")
    return Level(name, int(number) if number else None)


def _read_time(fields: dict[str, Any]) -> ThinkingTime:
    counts = {int(bucket): count for bucket, count in fields.pop("counts").items()}
    return ThinkingTime(**fields, counts=counts)
