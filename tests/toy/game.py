"""The toy game as a value."""

from dataclasses import replace

from domain.game import Game
from domain.options import Choice, Number
from tests.toy.messages import COMMANDS, EVENTS, OPEN_EVENTS, Deal
from tests.toy.play import actors, legal_moves, outcome, play, play_openly
from tests.toy.players import advise, imagine, random_move, view
from tests.toy.story import story
from tests.toy.table import Table, evolve, initial

ROUNDS = Number(
    name="rounds",
    default=2,
    text="how many rounds are played",
    least=1,
    most=9,
)
EDITION = Choice(
    name="edition",
    default="plain",
    text="which box",
    choices=("plain", "gilded"),
)

TOY: Game[Table] = Game(
    key="toy",
    title="Toy",
    rules="toy/1",
    view_version=1,
    seats=range(2, 5),
    options=(ROUNDS, EDITION),
    commands=COMMANDS,
    events=EVENTS,
    state=Table,
    opening=Deal(),
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
)

OPEN_HANDED = replace(
    TOY,
    rules="toy/open",
    play=play_openly,
    events=OPEN_EVENTS,
)
