"""Firenze (docs/rules/firenze.md)."""

from domain.firenze.bot.greedy import advise
from domain.firenze.bot.playout import random_move
from domain.firenze.bot.search_hooks import SEARCH_HOOKS
from domain.firenze.commands import COMMANDS, SetUp
from domain.firenze.components import SEATS
from domain.firenze.events import EVENTS
from domain.firenze.evolve import evolve
from domain.firenze.moves import actors, legal_moves, turn
from domain.firenze.play import play
from domain.firenze.scoring import outcome
from domain.firenze.setup import OPTIONS, initial
from domain.firenze.state import State
from domain.firenze.story import story
from domain.firenze.view import imagine, known, unlisted, view
from domain.game import Game

GAME = Game(
    key="firenze",
    title="Firenze",
    rules="firenze/1",
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
    unlisted=unlisted,
)
