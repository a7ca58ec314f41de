"""Results of the arena: how they are stored, counted and reported."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from workers.arena import results
from workers.arena.fixtures import BadResults, Contender, Fixture, OtherArena, parse_pair
from workers.arena.ratings import mean_share, pairings_won, rate, summaries, win_of_odd_seat
from workers.arena.report import PAGE, PICTURE, tables_of, write
from workers.arena.results import FixtureResult, ThinkingTime, line_of, result_of, together

RANDOM = Contender("random")
GREEDY = Contender("greedy")
SECONDS = st.floats(1e-6, 100)
FAST = ThinkingTime(decisions=4, processor=0.004, iterations=0, longest=0.002, counts={142: 4})
SLOW = ThinkingTime(decisions=2, processor=3.0, iterations=50, longest=2.0, counts={298: 2})


def made(
    number: int,
    ranks: Sequence[int],
    points: Sequence[int] = (),
    pair: str = "random,greedy",
    rules: str = "firenze/1",
    software: str = "1 (code a)",
) -> FixtureResult:
    """Return a made-up result. Without points a seat has the number of seats less its rank.

    Matches of odd numbers have one seat of the weaker level, others one of the stronger. The next
    two matches have it one seat further on.
    """
    return FixtureResult(
        fixture=Fixture("firenze", len(ranks), parse_pair(pair), number),
        match="m" * 26,
        rules=rules,
        commits=10,
        ranks=tuple(ranks),
        points=tuple(points or [len(ranks) - rank for rank in ranks]),
        times={"random": FAST, "greedy": SLOW},
        software=software,
    )


# In the first and third match random is alone, in the others greedy.
FOUR = [
    made(1, [2, 1], [10, 30]),
    made(2, [1, 2], [50, 20]),
    made(3, [2, 1], [20, 40]),
    made(4, [2, 1], [20, 40]),
]

# ---- the directory -------------------------------------------------------------------------------


def test_results_are_there_at_the_next_opening(tmp_path: Path) -> None:
    """A line without its end is no result. Only one arena at a time may use a directory."""
    first, second, *_ = FOUR
    assert line_of(first).count(b"\n") == 1
    assert result_of(line_of(first)) == first

    with results.opened_store(tmp_path, 1) as store:
        store.add(first)
        with pytest.raises(OtherArena, match="is running"), results.opened_store(tmp_path, 1):
            pass
    with (tmp_path / results.RESULTS_FILE).open("ab") as file:
        file.write(line_of(second)[:-20])
    assert results.read(tmp_path) == [first]

    with results.opened_store(tmp_path, 1) as store:
        assert store.results == [first]
        store.add(second)
    assert results.read(tmp_path) == [first, second]


@pytest.mark.parametrize("line", [b"{}", b"[]", b"no JSON", b'{"pair":[1,2]}', b""])
def test_a_wrong_line_is_named(tmp_path: Path, line: bytes) -> None:
    """The error has the number of the line."""
    (tmp_path / results.RESULTS_FILE).write_bytes(line_of(FOUR[0]) + line + b"\n")

    with pytest.raises(BadResults, match="line 2 of"):
        results.read(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{}", "has no seed of an arena"),
        (b"no JSON", "has no seed of an arena"),
        (b'{"format":2,"seed":1}', "another release"),
    ],
)
def test_a_wrong_head_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    """A wrong head is not taken for the head of a new arena."""
    (tmp_path / results.ARENA_FILE).write_bytes(content)

    with pytest.raises(BadResults, match=reason):
        results.seed_in(tmp_path)


# ---- what they count -----------------------------------------------------------------------------

RANDOM_ALONE_AT_0, GREEDY_ALONE_AT_0, RANDOM_ALONE_AT_1 = 1, 2, 3

# The match, the ranks, the share of pairings won by greedy, and the part of the win that goes to
# the seat that a level holds alone.
COUNTED = {
    "both-ahead-of-the-one": (RANDOM_ALONE_AT_0, [3, 1, 2], 1.0, 0),
    "one-of-two-ahead": (RANDOM_ALONE_AT_0, [2, 1, 3], 0.5, 0),
    "a-tie-is-half": (RANDOM_ALONE_AT_0, [1, 1, 3], 0.25, 1 / 2),
    "all-tied": (RANDOM_ALONE_AT_0, [1, 1, 1], 0.5, 1 / 3),
    "the-one-ahead-of-both": (GREEDY_ALONE_AT_0, [1, 2, 3], 1.0, 1),
    "the-one-behind-both": (GREEDY_ALONE_AT_0, [3, 1, 2], 0.0, 0),
    "another-seat": (RANDOM_ALONE_AT_1, [1, 3, 2], 1.0, 0),
}


@pytest.mark.parametrize(("number", "ranks", "pairings", "win"), COUNTED.values(), ids=COUNTED)
def test_pairings_count_for_the_stronger_level(
    number: int, ranks: Sequence[int], pairings: float, win: float
) -> None:
    """Each seat meets each seat of the other level: ahead 1, tied 1/2. A shared win is divided."""
    result = made(number, ranks)

    assert pairings_won(result) == pairings
    assert win_of_odd_seat(result) == win


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (0, 20, 0.0000, 0.1611), (0, 0, 0.0000, 1.0000)],
)
def test_published_intervals(hits: int, trials: int, low: float, high: float) -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, Table I, method 3."""
    share = mean_share([1.0] * hits + [0.0] * (trials - hits))

    assert share.matches == trials
    assert (round(share.low, 4), round(share.high, 4)) == (low, high)


def test_a_level_with_several_seats_gets_their_mean() -> None:
    """Of three beginners the ranks get 30.27, 25 and 19.73 (Weng and Lin 2011, algorithm 1)."""
    ratings = rate([made(1, [3, 1, 2]), made(2, [])])  # an unfinished match does not count

    assert ratings[RANDOM].value == pytest.approx(19.7292, abs=1e-4)
    assert ratings[GREEDY].value == pytest.approx((30.2708 + 25) / 2, abs=1e-4)


def test_each_match_makes_ratings_surer() -> None:
    """The rating of the winner rises above that of the loser, and gets surer."""
    wins = [made(number, [2, 1]) for number in range(1, 20, 4)]
    few, many = rate(wins[:1]), rate(wins)

    assert many[GREEDY].value - many[RANDOM].value > few[GREEDY].value - few[RANDOM].value > 0
    assert many[GREEDY].sigma < few[GREEDY].sigma < 25 / 3


def measured(seconds: list[float]) -> ThinkingTime:
    """Return the statistics of decisions of these durations, with three iterations each."""
    time = ThinkingTime()
    for one in seconds:
        time.add(one, processor=one / 2, iterations=3)
    return time


@given(st.lists(SECONDS, min_size=1, max_size=50), st.sampled_from([0.5, 0.99]))
def test_a_quantile_is_nearly_exact(seconds: list[float], share: float) -> None:
    """A quantile is off by 2.6 % at most, and never above the longest time."""
    exact = sorted(seconds)[math.ceil(share * len(seconds)) - 1]
    result = measured(seconds).quantile(share)

    assert result == pytest.approx(exact, rel=0.026)
    assert result <= max(seconds)
    assert ThinkingTime().quantile(share) == 0


@given(st.lists(SECONDS), st.lists(SECONDS))
def test_two_matches_together_are_all_their_decisions(
    first: list[float], second: list[float]
) -> None:
    """Numbers, times and iterations add up, and the longest time is the longer one."""
    whole = together([measured(first), measured(second)])
    at_once = measured(first + second)

    assert whole.processor == pytest.approx(at_once.processor)
    at_once.processor = whole.processor
    assert whole == at_once


# ---- the report ----------------------------------------------------------------------------------


def row_of(table: int, level: str) -> dict[str, str]:
    """Return a row of a table of the four matches, by the names of its columns."""
    [game] = summaries(FOUR)
    content = tables_of(game)[table]
    [row] = [row for row in content.rows if row[0] == level]
    return dict(zip(content.columns, row, strict=True))


def test_tables_follow_from_the_matches() -> None:
    """Tables show shares, wins of the single seat, points and readable times, the best first."""
    pair = row_of(0, "greedy - random")
    assert (pair["seats"], pair["matches"], pair["fair"]) == ("2", "4", "0.500")
    assert pair["pairings won"].startswith("0.750 (0.301-0.954)")
    assert pair["first alone wins"].startswith("1.000")
    assert pair["second alone wins"].startswith("0.500")
    assert pair["points"] == "35.0 - 22.5"

    slow, fast = row_of(2, "greedy"), row_of(2, "random")
    assert (slow["decisions"], slow["iterations a decision"]) == ("8", "25")
    assert slow["longest"] == slow["median"] == "2.00 s"
    assert slow["processor time a decision"] == "1.50 s"
    assert fast["processor time a decision"] == "1.0 ms"

    [game] = summaries([*FOUR, made(1, [3, 1, 2])])
    ratings = tables_of(game)[1]
    assert ratings.columns == ("level", "all seats", "2 seats", "3 seats")
    assert [row[0] for row in ratings.rows] == ["greedy", "random"]
    assert all("±" in cell for row in ratings.rows for cell in row[1:])


NOT_PLAIN = {
    "Not all were played by the same software": made(5, [1, 2], software="1 (code b)"),
    "played by different versions of its rules": made(5, [1, 2], rules="firenze/2"),
    "Firenze: unfinished matches, not counted: 1.": made(5, []),
    "not all pairs have played equally many": made(1, [1, 2], pair="quick,greedy"),
}


@pytest.mark.parametrize(("reason", "more"), NOT_PLAIN.items(), ids=NOT_PLAIN)
def test_limits_of_the_results_are_told(tmp_path: Path, reason: str, more: FixtureResult) -> None:
    """Other software, other rules, matches without an end and unfinished arenas are named."""
    plain = write(FOUR, 1, tmp_path)
    assert "Matches of firenze/1 that were played by Giornale 1 (code a): 4." in plain
    assert reason not in plain

    assert reason in write([*FOUR, more], 1, tmp_path)
    assert reason in (tmp_path / PAGE).read_text()


def test_the_order_of_play_changes_nothing(tmp_path: Path) -> None:
    """With several processes results come in any order. Without results, a page says so."""
    (tmp_path / "other").mkdir()
    matches = [*FOUR, made(1, [3, 1, 2])]

    assert write(matches, 1, tmp_path) == write(matches[::-1], 1, tmp_path / "other")
    for name in (PAGE, PICTURE):
        assert (tmp_path / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    for seats in (2, 3):
        assert f"greedy against random, {seats} seats" in (tmp_path / PICTURE).read_text()

    assert "No match has been played" in write([], 1, tmp_path)
    assert "<svg" in (tmp_path / PICTURE).read_text()
