"""Calimala: place employees in the streets of Florence and rise to the council.

docs/rules/calimala.md states the rules. The code cites their numbers (C1-C43).
"""

from domain.calimala.bot.greedy import advise
from domain.calimala.bot.playout import random_move
from domain.calimala.bot.search_hooks import SEARCH_HOOKS
from domain.calimala.commands import COMMANDS, SetUp
from domain.calimala.components import SEATS
from domain.calimala.events import EVENTS
from domain.calimala.evolve import evolve
from domain.calimala.moves import actors, legal_moves, turn
from domain.calimala.play import play
from domain.calimala.scoring import outcome
from domain.calimala.setup import OPTIONS, initial
from domain.calimala.state import State
from domain.calimala.story import story
from domain.calimala.view import imagine, known, view
from domain.game import Game

GAME = Game(
    key="calimala",
    title="Calimala",
    rules="calimala/1",
    view_version=1,
    seats=SEATS,
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
    story=story,
    turn=turn,
    known=known,
    search_hooks=SEARCH_HOOKS,
)
