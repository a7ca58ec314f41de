"""A small game for tests with one of everything: hidden cards, public draws, a phase of the house.

In each of `rounds` rounds
T1: the house deals every seat a card;
T2: each seat keeps or swaps its card, once, in turn;
T3: the house tosses a coin and pays each seat its card, doubled on heads.
"""

from typing import Any

import pytest

from domain.game import Game
from domain.games import GAMES, RULES
from tests.toy.game import OPEN_HANDED, TOY
from tests.toy.messages import (
    CardDealt,
    CardKept,
    CardShown,
    CoinTossed,
    Deal,
    Keep,
    RoundPaid,
    Settle,
    Swap,
)
from tests.toy.play import CARDS
from tests.toy.table import Table

__all__ = [
    "CARDS",
    "OPEN_HANDED",
    "TOY",
    "CardDealt",
    "CardKept",
    "CardShown",
    "CoinTossed",
    "Deal",
    "Keep",
    "RoundPaid",
    "Settle",
    "Swap",
    "Table",
    "install",
]


def install(patch: pytest.MonkeyPatch, *games: Game[Any]) -> None:
    """Register games (the toy if none are given) as long as the patch lasts."""
    for game in games or (TOY,):
        patch.setitem(GAMES, game.key, game)
        patch.setitem(RULES, game.rules, game)
