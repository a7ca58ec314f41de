"""The report says what the results say, and what is to be known about them."""

import re
from collections.abc import Sequence
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


def row_of(results: Sequence[Result], table: int, level: str) -> dict[str, str]:
    """Return a row of a table of the only game in some results, by the names of its columns."""
    [game] = summaries(results)
    found = tables_of(game)[table]
    [row] = [row for row in found.rows if row[0] == level]
    return dict(zip(found.columns, row, strict=True))


def test_pairs_have_their_row() -> None:
    """Shares, wins of the one seat, fair share and points are those of the matches."""
    row = row_of(FOUR, 0, "greedy - random")

    assert row["seats"] == "2"
    assert row["matches"] == "4"
    assert row["pairings won"].startswith("0.750 (0.301-0.954)")
    assert row["first alone wins"].startswith("1.000")
    assert row["second alone wins"].startswith("0.500")
    assert row["fair"] == "0.500"
    assert row["points"] == "35.0 - 22.5"


def test_ratings_stand_best_first() -> None:
    """A column for each number of seats, and one over all."""
    [game] = summaries([*FOUR, made_result(1, [3, 1, 2])])
    ratings = tables_of(game)[1]

    assert ratings.columns == ("level", "all seats", "2 seats", "3 seats")
    assert [row[0] for row in ratings.rows] == ["greedy", "random"]
    assert all("±" in cell for row in ratings.rows for cell in row[1:])


def test_times_have_readable_units() -> None:
    """Decisions of all matches together, in units that can be read."""
    slow = row_of(FOUR, 2, "greedy")
    fast = row_of(FOUR, 2, "random")

    assert slow["decisions"] == "8"
    assert slow["longest"] == "2.00 s"
    assert slow["median"] == "2.00 s"
    assert slow["processor time a decision"] == "1.50 s"
    assert slow["iterations a decision"] == "25"
    assert fast["processor time a decision"] == "1.0 ms"
    assert fast["iterations a decision"] == "0"


def test_the_order_of_play_changes_nothing(tmp_path: Path) -> None:
    """With several processes results come in any order; the report is the same."""
    (tmp_path / "other").mkdir()

    assert write(FOUR, 1, tmp_path) == write(FOUR[::-1], 1, tmp_path / "other")
    for name in (PAGE, PICTURE):
        assert (tmp_path / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        pytest.param(
            [], "Matches of firenze/1 that were played by Giornale 1 (code a): 4.", id="plain"
        ),
        pytest.param(
            [made_result(5, [1, 2], software="1 (code b)")],
            "Matches of firenze/1 that were played by Giornale 1 (code b): 1.",
            id="other-code",
        ),
        pytest.param(
            [made_result(5, [1, 2], software="1 (code b)")],
            "Not all were played by the same software",
            id="a-warning",
        ),
        pytest.param(
            [made_result(5, [1, 2], rules="firenze/2")],
            "played by different versions of its rules",
            id="other-rules",
        ),
        pytest.param(
            [made_result(5, [])],
            "Firenze: matches that came to no end, and do not count: 1.",
            id="no-end",
        ),
        pytest.param(
            [made_result(1, [1, 2], pair="quick,greedy")],
            "not all pairs have played equally many",
            id="unfinished",
        ),
    ],
)
def test_what_is_to_be_known_is_said(tmp_path: Path, more: list[Result], reason: str) -> None:
    """Other software, other rules, matches without an end and unfinished arenas are named."""
    plain = write(FOUR, 1, tmp_path)
    text = write([*FOUR, *more], 1, tmp_path)

    assert reason in text
    assert reason in (tmp_path / PAGE).read_text()
    assert reason not in plain or not more


def test_an_empty_arena_has_a_page_that_says_so(tmp_path: Path) -> None:
    """Stopped before the first match ended, there is a page that says so."""
    assert "No match has been played" in write([], 1, tmp_path)
    assert "<svg" in (tmp_path / PICTURE).read_text()


def test_the_picture_names_every_pair() -> None:
    """A part for each game, a row for each pair and number of seats; the ground is transparent."""
    results = [
        *FOUR,
        made_result(1, [3, 1, 2], game="calimala"),
        made_result(1, [1, 2], pair="greedy,quick:200"),
    ]
    picture = draw(summaries(results))
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", picture)

    assert {"Calimala", "Firenze"} <= set(texts)
    assert {"greedy against random, 2 seats", "greedy against random, 3 seats"} <= set(texts)
    assert "quick:200 against greedy, 2 seats" in texts
    assert "white" not in picture
    assert "#ffffff" not in picture
    assert draw(summaries(results)) == picture
