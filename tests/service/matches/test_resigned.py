"""Resigned seats rank below all others in the result of a match (M16)."""

from dataclasses import replace
from itertools import count

import pytest

from domain.calimala.events import MatchEnded
from domain.firenze.events import FinalScored
from domain.game import Outcome
from domain.games import GAMES
from domain.match.state import Match
from domain.match.story import story_of_game
from service.capabilities.curve.use_cases import _chances
from service.matches import lobby
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.listing import summaries
from service.matches.opening import OpenRequest, open_new
from service.matches.records import export
from service.matches.repository import load, load_snapshot, write_snapshot
from service.matches.views import document, view
from service.ops.backup.tables import _seat_rows
from service.record.replay import Loaded, outcome
from service.record.verify.audit import verify_record
from service.store.keys.tokens import Caller
from tests import toy
from tests.domain.sitting import HUMAN, Sitting
from tests.service.toy_matches import first_match_rules, play_on

RESIGNED: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {
    "nobody": ((), (1, 2, 2), (1, 2, 2)),
    "the winner": ((0,), (1, 2, 3), (3, 1, 2)),
    "the winner of two who share a rank below": ((0,), (1, 2, 2), (3, 1, 1)),
    "one of two winners": ((1,), (1, 1, 3), (1, 3, 2)),
    "the last": ((2,), (1, 2, 3), (1, 2, 3)),
    "two, and the later ranks higher": ((2, 0), (1, 2, 3), (2, 1, 3)),
    "two who share a rank": ((0, 1), (1, 1, 3), (3, 2, 1)),
    "all": ((1, 0, 2), (1, 1, 1), (2, 3, 1)),
}


@pytest.fixture(autouse=True)
def _toy_game(monkeypatch: pytest.MonkeyPatch) -> None:
    toy.install(monkeypatch, toy.TOY)


def with_resigned(game: str, resigned: tuple[int, ...], rules: int | None = 2) -> Match:
    """Return a running match of three humans with some resigned."""
    match = Sitting(GAMES[game], [HUMAN] * 3, match_rules=rules).match
    seats = [
        replace(seat, kind="bot", level="random", absent=True, away="resigned")
        if number in resigned
        else seat
        for number, seat in enumerate(match.seats)
    ]
    return replace(match, seats=seats, resigned=resigned)


@pytest.mark.parametrize(("resigned", "of_game", "ranks"), RESIGNED.values(), ids=RESIGNED)
def test_resigned_seats_rank_last(
    resigned: tuple[int, ...], of_game: tuple[int, ...], ranks: tuple[int, ...]
) -> None:
    """Seats that have not resigned keep their order.

    After a shared rank the next ones are left out.
    """
    assert with_resigned("toy", resigned).ranks(of_game) == ranks
    assert with_resigned("toy", resigned, None).ranks(of_game) == of_game


def played_on(ctx: Context, seed: str) -> Loaded:
    """Return a match of three at its end, with the resignations of seats 2 and then 0."""
    seats = [{"kind": "human", "name": name} for name in ("Ada", "Ben", "Cleo")]
    match = open_new(ctx, OpenRequest("toy", seats, {"rounds": 2}, seed=seed))
    play_on(ctx, match, until=3)
    for seat in (2, 0):
        lobby.resign(ctx, Submission(match.loaded.id, match.tokens[f"seat:{seat}"]))
    play_on(ctx, match)
    return load(ctx, match.loaded.id)


def won_by_resigned(ctx: Context) -> Loaded:
    """Return a match of `played_on` in which the resigned seat 0 has the most points."""
    matches = (played_on(ctx, f"seed {number}") for number in count())
    return next(one for one in matches if of_game(one).ranks[0] == 1)


def of_game(loaded: Loaded) -> Outcome:
    """Return the result of the game alone."""
    result = loaded.match.game.outcome(loaded.match.state)
    assert result is not None
    return result


def test_a_seat_that_resigns_does_not_win(ctx: Context) -> None:
    """Match, state, list, table and curve have the same result."""
    loaded = won_by_resigned(ctx)
    result = outcome(loaded)
    assert result == {
        "points": list(of_game(loaded).points),
        "ranks": [2, 1, 3],
        "stood_in_for": [0, 2],
        "resigned": [2, 0],
    }
    assert document(loaded, {})["outcome"] == result
    assert view(loaded, Caller())["outcome"] == result
    assert summaries(ctx, [loaded.id])[loaded.id]["outcome"] == result
    assert [row[-1] for row in _seat_rows(loaded)] == [2, 1, 3]
    assert _chances(loaded.match) in ((), [0.0, 1.0, 0.0])


def test_the_record_of_a_match_with_resigned_seats_is_right(ctx: Context) -> None:
    """A verifier computes the same result from the record."""
    loaded = won_by_resigned(ctx)
    report = verify_record(list(export(ctx, loaded.id, None))).report
    assert (report.verdict, report.outcome) == ("right", outcome(loaded))


def test_the_first_match_rules_leave_the_rank_of_a_resigned_seat(ctx: Context) -> None:
    """By match rules 1 the ranks are those of the game."""
    with first_match_rules():
        loaded = won_by_resigned(ctx)
    game = of_game(loaded)
    result = {"points": list(game.points), "ranks": list(game.ranks), "stood_in_for": [0, 2]}
    assert outcome(loaded) == result
    report = verify_record(list(export(ctx, loaded.id, None))).report
    assert (report.verdict, report.outcome) == ("right", result)


def test_a_copy_and_a_snapshot_keep_the_order_of_resignations(ctx: Context) -> None:
    """Copy and snapshot of a match have the resigned seats in order."""
    loaded = played_on(ctx, "snapshot")
    write_snapshot(ctx, loaded)
    restored = load_snapshot(ctx, loaded.id)
    assert restored is not None
    assert restored.match.resigned == loaded.match.copy().resigned == (2, 0)


def test_the_result_names_seats_that_the_owner_has_replaced(ctx: Context) -> None:
    """A seat replaced by the owner counts as played by a bot, but keeps its rank."""
    match = with_resigned("toy", ())
    match.seats[1] = replace(match.seats[1], kind="bot", level="random", absent=True)
    assert match.played_by_bots == (1,)
    assert match.ranks((2, 1, 3)) == (2, 1, 3)


NAMES = ("Ada", "Ben", "Cleo")


def test_the_story_of_calimala_names_the_winner_of_the_match() -> None:
    """Ada has the most points and has resigned, so Ben wins with his own."""
    match = with_resigned("calimala", (0,))
    story = story_of_game(match, match.state, MatchEnded((47, 30, 12), (1, 2, 3)), NAMES)
    assert story.text == (
        "Ben wins with 30 points, before Cleo with 12 and Ada with 47. "
        "A bot plays for Ada (resigned)."
    )
    assert story.rules == ("C42", "M16")
    assert story.heading is not None
    assert story.heading.title == "The end, with a bot for Ada"


def test_a_resigned_seat_is_beaten_in_no_tie() -> None:
    """C42 decides between the seats not resigned."""
    match = with_resigned("calimala", (0,))
    story = story_of_game(match, match.state, MatchEnded((30, 30, 12), (1, 1, 3)), NAMES)
    assert "tie" not in story.text


def test_the_story_of_firenze_names_the_winner_of_the_match() -> None:
    """Ada and Ben have resigned, so Cleo wins."""
    match = with_resigned("firenze", (0, 1))
    event = FinalScored((), (), before=(9, 8, 7), points=(9, 8, 7), ranks=(1, 2, 3))
    story = story_of_game(match, match.state, event, NAMES)
    assert "Cleo wins. Bots play for Ada (resigned) and Ben (resigned)." in story.text


def test_a_story_without_bots_is_that_of_the_game() -> None:
    """A story without stand-ins is that of the game."""
    match = with_resigned("calimala", ())
    event = MatchEnded((47, 30, 12), (1, 2, 3))
    assert story_of_game(match, match.state, event, NAMES) == match.game.story(
        match.state, event, NAMES
    )
