"""The setup (F10-F13)."""

from typing import Any

import pytest

from domain.chance import Draws
from domain.firenze import GAME, board
from domain.firenze.board import check
from domain.firenze.components import (
    COMMISSIONS,
    NEUTRAL,
    OPEN,
    SEATS,
    WHITE,
    Card,
    commission_index,
)
from domain.firenze.setup import initial, neutral_allowed
from domain.firenze.state import State
from domain.game import Draft, Setup
from domain.seats import HOUSE
from tests.domain.firenze.pieces import conserved
from tests.domain.firenze.table import refused

BOARD = board.load(board.DEFAULT)


def opened(seats: int, seed: int = 0, **options: Any) -> State:
    """Return a match whose table is laid by these draws."""
    state = initial(Setup(seats, GAME.read_options(options)))
    draft = Draft(state, GAME.evolve, Draws(bytes([seed])))
    GAME.play(draft, GAME.opening)
    return state


@pytest.mark.parametrize("seats", SEATS)
def test_white_bricks_to_start_with(seats: int) -> None:
    """F12: seat k starts with k+2 white bricks, the other bricks are in the pouch."""
    state = initial(Setup(seats, GAME.read_options({})))

    stores = [player.storehouse for player in state.players]
    assert stores == [[seat + 2, 0, 0, 0, 0, 0] for seat in range(seats)]
    assert sum(state.pouch) == 88 - sum(map(sum, stores))


def test_only_the_house_opens() -> None:
    """F43: before the opening nobody else may move, and the house may do nothing else."""
    state = initial(Setup(3, GAME.read_options({})))
    assert GAME.actors(state) == (HOUSE,)
    assert GAME.legal_moves(state, HOUSE) == [GAME.opening]
    assert refused(state, "take_card", 0, slot=0) == "F43 house_must_act"
    assert refused(state, "score", None) == "F43 house_not_awaited"


# ---- balconies and neutral seals (F10, F11) --------------------------------------------------


@pytest.mark.parametrize("seed", [pytest.param(seed, id=f"F10-{seed}") for seed in range(12)])
def test_a_balcony_of_each_numeral_brings_its_points(seed: int) -> None:
    """The points of a balcony replace the printed ones; all others stay as they are."""
    state = opened(2, seed)
    tiles = {(tile.numeral, tile.commission): tile.points for tile in BOARD.balconies}

    for numeral, commission in enumerate(state.balconies):
        points = tiles[numeral, commission]
        assert state.worth[commission] == points

    for commission in COMMISSIONS:
        if commission not in state.balconies:
            printed = BOARD.points[commission]
            assert state.worth[commission] == printed


@pytest.mark.parametrize("seed", [pytest.param(seed, id=f"F11-{seed}") for seed in range(12)])
def test_five_neutral_seals_lie_where_they_may(seed: int) -> None:
    """On commissions without a balcony, none third on a tower, two or three low ones."""
    state = opened(2, seed)
    neutral = [commission for commission in COMMISSIONS if state.seals[commission] == NEUTRAL]

    assert len(neutral) == 5
    assert state.seals.count(OPEN) == 31
    assert not set(neutral) & set(state.balconies)
    assert neutral_allowed(state.balconies, neutral)


PLACEMENTS = [
    pytest.param([0, 6, 12, 18], [1, 7, 14, 20, 26], True, id="F11-two-low"),
    pytest.param([0, 6, 12, 18], [1, 7, 13, 20, 26], True, id="F11-three-low"),
    pytest.param([0, 6, 12, 18], [1, 8, 14, 20, 26], False, id="F11-one-low"),
    pytest.param([0, 6, 12, 18], [1, 7, 13, 19, 26], False, id="F11-four-low"),
    pytest.param([0, 6, 12, 18], [1, 2, 7, 20, 26], False, id="F11-third-with-a-balcony"),
    pytest.param([0, 6, 12, 18], [24, 25, 26, 14, 20], False, id="F11-third-seal"),
    pytest.param([0, 1, 2, 18], [7, 13, 20, 26, 32], True, id="F11-three-balconies-on-a-tower"),
]


@pytest.mark.parametrize(("balconies", "neutral", "allowed"), PLACEMENTS)
def test_where_neutral_seals_may_lie(
    balconies: list[int], neutral: list[int], allowed: bool
) -> None:
    """The ruling in numbers: two tiles a tower at most, two or three seals on heights 3 and 4."""
    assert neutral_allowed(balconies, neutral) is allowed


def test_two_balconies_never_cover_the_same_commission() -> None:
    """F10: with a board on which they could, they are drawn again."""
    on_white_3 = [_tile(numeral) for numeral in ["I"] * 5 + ["II"] * 5 + ["III"] * 5]
    higher = [_tile("IV"), _tile("IV", 4), _tile("III", 5), _tile("II", 6)]
    crowded: Any = check({**board.DEFAULT, "balconies": on_white_3 + higher})

    for seed in range(5):
        state = opened(2, seed, board=crowded)
        assert sorted(state.balconies) == [0, 1, 2, 3]


def _tile(numeral: str, height: int = 3) -> dict[str, Any]:
    return {"numeral": numeral, "colour": "white", "height": height, "points": 1}


# ---- cards and row (F13) ---------------------------------------------------------------------


def test_without_the_campanile() -> None:
    """F13: the option leaves that one card out."""
    cards = conserved(opened(2, campanile=False))["cards"]
    assert cards[Card.CAMPANILE] == 0
    assert sum(cards) == 51


def test_an_owner_plays_with_the_typed_in_values() -> None:
    """F4: the match counts with the values that it was given."""
    commissions: Any = board.DEFAULT["commissions"]
    white = {**commissions["white"], "3": {"points": 42}}
    typed_in = {**board.DEFAULT, "commissions": {**commissions, "white": white}}

    state = initial(Setup(2, GAME.read_options({"board": typed_in})))
    assert state.worth[commission_index(WHITE, 3)] == 42
