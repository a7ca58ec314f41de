"""Material for the laws of games: every setup, random matches, and random commands.

Each game has a part of its own in the laws, `tests/domain/<key>/pieces.py`, with these functions:
conserved(state): a value that neither moves nor imagining change, such as the number of all pieces.
spelled(command): the command as `legal_moves` writes it, if several spellings mean the same.
unlisted(state, command): True if a legal command may be missing from a bounded list of moves.
typed_in(default): another value of an option that is data. Needed of games with such an option.
rare_moments(): pairs of a state and an event that random matches hardly ever show, with as few
seats as the game allows. Needed of games with such events.

A game with short matches also has two numbers for its golden records (tests/records): ABORT_AFTER,
the commits before the owner aborts, and STAND_IN_EVERY, the commits from one stand-in to the next
(3 at least, since a stand-in's coming and going are two commits).
"""

import importlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any, NamedTuple, assert_never

import pytest

from domain.chance import Draws, FastChance
from domain.game import HOUSE, Draft, Game, Message, Setup
from domain.games import GAMES
from domain.options import Choice, Data, Flag, Number, Option
from domain.wire.shapes import (
    Anything,
    Fixed,
    Many,
    Name,
    Nullable,
    OneOf,
    Record,
    Scalar,
    Shape,
    Table,
    record_fields,
)
from tests.whole import whole_unless

MOST_MOVES = 5000

# ---- every setup ----


def _values(option: Option) -> tuple[Any, ...]:
    """Return the values of an option under which the laws are tested."""
    match option:
        case Choice():
            return option.choices
        case Flag():
            return (False, True)
        case Number() | Data():
            return (option.default,)
        case _:
            assert_never(option)


def _setups_of(game: Game[Any]) -> Iterator[Any]:
    """Yield a pytest parameter for each number of seats with each combination of options.

    Setups with some usual and some unusual options are marked `whole`.
    """
    names = [option.name for option in game.options]
    values_of_options = [_values(option) for option in game.options]

    for seats in game.seats:
        for values in product(*values_of_options):
            options = dict(zip(names, values, strict=True))
            setup = Setup(seats, options)
            usual = [options[option.name] == option.default for option in game.options]
            marks = whole_unless(all(usual) or not any(usual))
            yield pytest.param(game, setup, id=_setup_id(game, setup), marks=marks)


def _setup_id(game: Game[Any], setup: Setup) -> str:
    """Return the name of a setup: the game, the number of seats, and every unusual option."""
    parts = [game.key, str(setup.seats)]

    for option in game.options:
        value = setup.options[option.name]
        if value != option.default:
            parts.append(f"{option.name}={value}")

    return "-".join(parts)


every_setup = pytest.mark.parametrize(
    ("game", "setup"), [setup for game in GAMES.values() for setup in _setups_of(game)]
)


def hooks(game: Game[Any]) -> Any:
    """Return the module with the game's own part of the laws."""
    return importlib.import_module(f"tests.domain.{game.key}.pieces")


# ---- random matches ----


def draws(*seed: int) -> Draws:
    """Return the draws of a seed of some numbers."""
    return Draws(repr(seed).encode())


class Step(NamedTuple):
    """One move of a random match.

    before: a copy. after: the live state, to be read only before the next step.
    """

    version: int
    before: Any
    move: Any
    events: list[Message]
    after: Any


def walk(game: Game[Any], setup: Setup, seed: int) -> Iterator[Step]:
    """Play a random match to its end. The draws of each version are draws(seed, version)."""
    choices = draws(seed)
    state = game.initial(setup)

    for version in range(MOST_MOVES):
        awaited = game.actors(state)
        if not awaited:
            return

        actor = awaited[choices.below(len(awaited))]
        move = game.random_move(state, actor, choices)
        before = state.copy()
        draft = Draft(state, game.evolve, draws(seed, version))
        game.play(draft, move)

        yield Step(version=version, before=before, move=move, events=draft.events, after=state)

    raise AssertionError(f"still running after {MOST_MOVES} moves")


def every_legal_move(game: Game[Any], state: Any, seats: int) -> list[Message]:
    """Return the legal moves of all seats and the house."""
    moves: list[Message] = []
    for seat in (HOUSE, *range(seats)):
        moves += game.legal_moves(state, seat)
    return moves


# ---- random commands, sensible or not ----


def any_command(game: Game[Any], random: Random) -> Any:
    """Return any command of the game, most likely an illegal one."""
    kinds = list(game.commands.values())
    return _any_record(random.choice(kinds), random)


def misspelled(command: Any, random: Random) -> Any:
    """Return the command with one field changed, as a slip of the pen would."""
    kind: Any = type(command)
    fields = record_fields(kind)
    if not fields:
        return command

    slip = random.choice(fields)
    value = _any_value(slip.shape, random)
    return replace(command, **{slip.name: value})


def _any_record(cls: type, random: Random) -> Any:
    """Return a value of a dataclass with any values in its fields."""
    values = {field.name: _any_value(field.shape, random) for field in record_fields(cls)}
    return cls(**values)


def _any_value(shape: Shape, random: Random) -> Any:
    """Return a value of this shape."""
    match shape:
        case Scalar(kind):
            return _any_scalar(kind, random)
        case Name(enum):
            return random.choice(list(enum))
        case Nullable(inner):
            return None if random.random() < 0.5 else _any_value(inner, random)
        case Record(cls):
            return _any_record(cls, random)
        case OneOf(messages):
            return _any_record(random.choice(messages), random)
        case Many(container, item):
            count = random.randint(0, 3)
            return container([_any_value(item, random) for _ in range(count)])
        case Fixed(items):
            return tuple(_any_value(item, random) for item in items)
        case Table() | Anything():
            raise NotImplementedError("no command of a game takes JSON as it is")
        case _:
            assert_never(shape)


def _any_scalar(kind: type, random: Random) -> Any:
    """Return a truth value, a small number or a short text."""
    if kind is bool:
        return random.random() < 0.5
    if kind is int:
        return random.randint(-1, 6)
    return random.choice(("", "x"))


# ---- matches of greedy bots ----


def positions(game: Game[Any], seats: int, seed: int) -> Iterator[tuple[Any, int]]:
    """Yield the state before each move of a seat, and the seat. The house moves in between.

    The state is the match's own, and changes with the next move.
    """
    chance = FastChance(seed)
    state = game.initial(Setup(seats, game.read_options({})))
    draft = Draft(state, game.evolve, chance)
    game.play(draft, game.opening)

    while actors := game.actors(state):
        seat = actors[0]
        if seat == HOUSE:
            game.play(draft, game.legal_moves(state, HOUSE)[0])
            continue

        yield state, seat
        imagined = game.imagine(state, seat, chance)
        game.play(draft, game.advise(imagined, seat, chance))
