"""The curve of a match: one point for each turn that stands, up to the end."""

import pytest

from domain.chance import FastChance
from domain.game import AnyGame
from domain.games import GAMES
from domain.match.messages import AgreeTakeBack, AskTakeBack
from domain.match.terms import take_back_of, taken_back
from domain.match.terms.take_back import asked_to_agree
from service.capabilities.curve import use_cases
from service.capabilities.curve.answers import TurningPoint
from service.capabilities.curve.use_cases import curve_of
from service.record.replay import Loaded
from tests.domain.sitting import HUMAN, Sitting

# The positions of other games are valued by no bot: their curve is empty.
VALUED = [game for game in GAMES.values() if game.search_hooks is not None]
of_valued_games = pytest.mark.parametrize("game", VALUED, ids=[game.key for game in VALUED])


def started(game: AnyGame) -> Sitting:
    """Return a match of humans with take-backs by consent."""
    return Sitting(game, [HUMAN] * game.seats[0], take_back="consent")


def move(played: Sitting) -> None:
    """Make a move that follows from the version alone."""
    actor = played.match.status.actors[0]
    chance = FastChance(played.version)
    played.do(played.match.game.random_move(played.match.state, actor, chance))


def moments(played: Sitting) -> list[Loaded]:
    """Return the match at each version."""
    return [Loaded("m", version, "", "", "", match) for version, match in played.matches.items()]


@of_valued_games
def test_the_curve_has_a_point_at_the_end(game: AnyGame) -> None:
    """The curve has a point at the end, also if the last turns have changed no chance."""
    played = started(game)
    while played.match.status.name == "running":
        move(played)

    end = curve_of(moments(played))["points"][-1]
    assert end["version"] == played.version


@of_valued_games
def test_the_curve_leaves_out_moves_that_were_taken_back(game: AnyGame) -> None:
    """M17: moves that were taken back stay in the history, but the curve has no points for them."""
    played = started(game)
    while not has_gone_back(played):
        move(played)
    while played.version < 60:
        move(played)

    match = played.match
    versions = [point["version"] for point in curve_of(moments(played))["points"]]
    assert taken_back(match)
    assert not set(versions) & set(taken_back(match))
    assert versions == sorted(set(versions))


def has_gone_back(played: Sitting) -> bool:
    """Take back the last point of the curve. Return False if none can be taken back."""
    take_back = take_back_of(played.match)
    points = curve_of(moments(played))["points"]
    if take_back is None or not points or points[-1]["version"] <= take_back.earliest:
        return False

    to = take_back.earliest
    played.do(AskTakeBack(0, to))
    for seat in range(1, len(played.match.seats)):
        if asked_to_agree(played.match):
            played.do(AgreeTakeBack(seat))
    return True


def test_a_change_of_exactly_a_tenth_is_a_turning_point() -> None:
    """Chances are decimals, and their difference in binary may be a little less."""
    change: TurningPoint = {
        "from": 1,
        "to": 2,
        "seat": 0,
        "chance_before": 0.5,
        "chance_after": 0.6,
    }

    assert use_cases._size(change) >= use_cases.LEAST_CHANGE
