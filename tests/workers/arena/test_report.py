"""The report says what the results say, and what is to be known about them."""

import re
from pathlib import Path

import pytest

from tests.workers.arena.made import made_result
from workers.arena.ratings import summaries
from workers.arena.report import PAGE, PICTURE, draw, tables_of, write
from workers.arena.results import Result, ThinkingTime

FAST = ThinkingTime(decisions=4, processor=0.004, iterations=0, longest=0.002, counts={142: 4})
SLOW = ThinkingTime(decisions=2, processor=3.0, iterations=50, longest=2.0, counts={298: 2})
TIMES = {"random": FAST, "greedy": SLOW}

# In the first and third match random is alone, in the others greedy.
FOUR = [
    made_result(1, [2, 1], points=[10, 30], times=TIMES),
    made_result(2, [1, 2], points=[50, 20], times=TIMES),
    made_result(3, [2, 1], points=[20, 40], times=TIMES),
    made_result(4, [2, 1], points=[20, 40], times=TIMES),
]


def row_of(table: int, level: str) -> dict[str, str]:
    """Return a row of a table of the four matches, by the names of its columns."""
    [game] = summaries(FOUR)
    found = tables_of(game)[table]
    [row] = [row for row in found.rows if row[0] == level]
    return dict(zip(found.columns, row, strict=True))


def test_tables_say_what_the_matches_say() -> None:
    """Shares, wins of the one seat, points; times in units that can be read."""
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


def test_ratings_stand_best_first() -> None:
    """A column for each number of seats, and one over all."""
    [game] = summaries([*FOUR, made_result(1, [3, 1, 2])])
    ratings = tables_of(game)[1]

    assert ratings.columns == ("level", "all seats", "2 seats", "3 seats")
    assert [row[0] for row in ratings.rows] == ["greedy", "random"]
    assert all("±" in cell for row in ratings.rows for cell in row[1:])


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        pytest.param(
            made_result(5, [1, 2], software="1 (code b)"),
            "Not all were played by the same software",
            id="other-code",
        ),
        pytest.param(
            made_result(5, [1, 2], rules="firenze/2"),
            "played by different versions of its rules",
            id="other-rules",
        ),
        pytest.param(
            made_result(5, []),
            "Firenze: matches that came to no end, and do not count: 1.",
            id="no-end",
        ),
        pytest.param(
            made_result(1, [1, 2], pair="quick,greedy"),
            "not all pairs have played equally many",
            id="unfinished",
        ),
    ],
)
def test_what_is_to_be_known_is_said(tmp_path: Path, more: Result, reason: str) -> None:
    """Other software, other rules, matches without an end and unfinished arenas are named."""
    plain = write(FOUR, 1, tmp_path)
    assert "Matches of firenze/1 that were played by Giornale 1 (code a): 4." in plain
    assert reason not in plain

    assert reason in write([*FOUR, more], 1, tmp_path)
    assert reason in (tmp_path / PAGE).read_text()


def test_the_order_of_play_changes_nothing(tmp_path: Path) -> None:
    """With several processes results come in any order; without any, a page says so."""
    (tmp_path / "other").mkdir()

    assert write(FOUR, 1, tmp_path) == write(FOUR[::-1], 1, tmp_path / "other")
    for name in (PAGE, PICTURE):
        assert (tmp_path / name).read_bytes() == (tmp_path / "other" / name).read_bytes()

    assert "No match has been played" in write([], 1, tmp_path)
    assert "<svg" in (tmp_path / PICTURE).read_text()


def test_the_picture_names_every_pair() -> None:
    """A part for each game, a row for each pair and number of seats."""
    results = [*FOUR, made_result(1, [3, 1, 2], game="calimala")]
    texts = set(re.findall(r"<text[^>]*>([^<]*)</text>", draw(summaries(results))))

    assert {"Calimala", "Firenze"} <= texts
    assert {"greedy against random, 2 seats", "greedy against random, 3 seats"} <= texts
