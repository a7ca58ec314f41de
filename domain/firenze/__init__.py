"""Firenze (docs/rules/firenze.md)."""

from typing import Any

from domain.firenze import board
from domain.firenze.advice import advise
from domain.firenze.board_types import Board
from domain.firenze.commands import COMMANDS, SetUp
from domain.firenze.events import EVENTS
from domain.firenze.evolve import evolve
from domain.firenze.imagine import imagine
from domain.firenze.moves import actors, legal_moves
from domain.firenze.play import play
from domain.firenze.random_moves import random_move
from domain.firenze.scoring import outcome
from domain.firenze.state import State
from domain.firenze.table import initial
from domain.firenze.view import beyond, view
from domain.game import Game
from domain.options import Choice, Data, Flag, Number

OPTIONS = (
    Data(
        name="board",
        default=board.DEFAULT,
        text="the printed values of the board (F4)",
        check=board.check,
        form=Board,
    ),
    Flag(
        name="campanile",
        default=True,
        text="whether the Campanile is in the deck (F13)",
    ),
    Choice(
        name="patrician",
        default="cancels",
        text="what a Patrician does to an event for all (F31)",
        choices=("cancels", "spares"),
    ),
    Choice(
        name="discards",
        default="automatic",
        text="who chooses what Flood and taxes take (F34)",
        choices=("automatic", "chosen"),
    ),
    Number(
        name="turn_limit",
        default=60,
        text="turns a player after which the match ends (F45)",
        least=10,
        most=500,
    ),
)

GAME: Game[Any] = Game(
    key="firenze",
    title="Firenze",
    rules="firenze/1",
    view_version=1,
    seats=range(2, 5),
    options=OPTIONS,
    commands=COMMANDS,
    events=EVENTS,
    state=State,
    opening=SetUp(),
    initial=initial,
    play=play,
    evolve=evolve,
    actors=actors,
    legal_moves=legal_moves,
    outcome=outcome,
    view=view,
    imagine=imagine,
    random_move=random_move,
    advise=advise,
    unlisted=beyond,
)
