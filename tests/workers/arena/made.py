"""Results made up for tests, without a match behind them."""

from collections.abc import Mapping, Sequence

from workers.arena.fixtures import Fixture, parse_pair
from workers.arena.results import Result, ThinkingTime


def made_result(
    number: int,
    ranks: Sequence[int],
    *,
    pair: str = "random,greedy",
    game: str = "firenze",
    points: Sequence[int] = (),
    rules: str = "firenze/1",
    software: str = "1 (code a)",
    times: Mapping[str, ThinkingTime] | None = None,
) -> Result:
    """Return a result with these ranks; without points each seat has as many as seats are behind.

    Odd numbers have one seat of the weaker level, even ones one of the stronger; the seat goes on
    after two matches.
    """
    fixture = Fixture(game, len(ranks), parse_pair(pair), number)
    behind = [len(ranks) - rank for rank in ranks]
    return Result(
        fixture=fixture,
        match="m" * 26,
        rules=rules,
        commits=10,
        ranks=tuple(ranks),
        points=tuple(points or behind),
        times=times or {},
        software=software,
    )
