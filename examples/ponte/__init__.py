"""Ponte: build a bridge from both banks of the Arno, stone by stone.

The rules are in rules.md; their numbers (P1-P11) stand wherever one is carried out.
"""

from domain.game import Game
from examples.ponte.bot.greedy import advise
from examples.ponte.bot.playout import random_move
from examples.ponte.commands import COMMANDS, Begin
from examples.ponte.components import SEATS
from examples.ponte.events import EVENTS
from examples.ponte.evolve import evolve
from examples.ponte.imagine import imagine
from examples.ponte.moves import actors, legal_moves
from examples.ponte.options import OPTIONS
from examples.ponte.play import play
from examples.ponte.scoring import outcome
from examples.ponte.state import State, initial
from examples.ponte.story import tell
from examples.ponte.view import view

GAME = Game(
    key="ponte",
    title="Ponte",
    rules="ponte/1",
    view_version=1,
    seats=SEATS,
    options=OPTIONS,
    commands=COMMANDS,
    events=EVENTS,
    state=State,
    opening=Begin(),
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
    tell=tell,
)
