"""What the laws of games are tested with: every setup, random matches, random commands, and each game's own hooks.

A game's hooks are the functions of `tests/domain/<key>/pieces.py`:
conserved(state) -> a value that no move changes: the whereabouts of every piece, summed up;
spelled(command) -> the command as `legal_moves` spells it, where several spellings mean the same;
unlisted(state, command) -> whether a legal command may be missing from `legal_moves` (a bounded list);
typed_in(default) -> another value of an option that takes data, needed only of a game that has one.
"""

import importlib
import typing
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import product
from random import Random
from types import NoneType
from typing import Any, NamedTuple

import pytest

from domain.chance import Draws
from domain.game import Draft, Game, Setup
from domain.games import GAMES
from domain.options import Choice, Flag, Option
from domain.wire import HOUSE, Named

MOST_MOVES = 5000


def _settings(option: Option) -> list[tuple[str, Any]]:
    values: tuple[Any, ...] = (option.default,)
    if isinstance(option, Choice):
        values = option.choices
    elif isinstance(option, Flag):
        values = (False, True)
    return [(option.name, value) for value in values]


def _setups() -> Iterator[Any]:
    for game in GAMES.values():
        for seats, *settings in product(game.seats, *map(_settings, game.options)):
            chosen = [
                f"{name}={value}"
                for name, value in settings
                if game.read_options({})[name] != value
            ]
            yield pytest.param(
                game, Setup(seats, dict(settings)), id="-".join([game.key, str(seats), *chosen])
            )


every_setup = pytest.mark.parametrize(("game", "setup"), list(_setups()))


def hooks(game: Game[Any]) -> Any:
    """Return the module with the game's own part of the laws."""
    return importlib.import_module(f"tests.domain.{game.key}.pieces")


def draws(*seed: int) -> Draws:
    """Return the draws that some numbers stand for."""
    return Draws(repr(seed).encode())


class Step(NamedTuple):
    """One move of a random match; `after` is the live state, to be read before the next step only."""

    version: int
    before: Any
    move: Any
    events: list[Any]
    after: Any


def walk(game: Game[Any], setup: Setup, seed: int) -> Iterator[Step]:
    """Play a random match to its end; the draws of each version are draws(seed, version)."""
    choices = draws(seed)
    state = game.initial(setup)
    for version in range(MOST_MOVES):
        awaited = game.actors(state)
        if not awaited:
            return
        move = game.random_move(state, awaited[choices.below(len(awaited))], choices)
        before = state.copy()
        draft = Draft(state, game.evolve, draws(seed, version))
        game.play(draft, move)
        yield Step(version, before, move, draft.events, state)
    raise AssertionError(f"still running after {MOST_MOVES} moves")


def every_legal_move(game: Game[Any], state: Any, seats: int) -> list[Any]:
    """Return what anybody at all may do."""
    return [move for seat in (HOUSE, *range(seats)) for move in game.legal_moves(state, seat)]


# ---- the universe of commands ----------------------------------------------------------------------------------------


def _some(kind: Any, random: Random) -> Any:
    """Return a value of a message field's type, sensible or not."""
    if isinstance(kind, type) and issubclass(kind, Named):
        return random.choice(list(kind))
    if kind is bool:
        return random.random() < 0.5
    if kind is int:
        return random.randint(-1, 6)
    if kind is str:
        return random.choice(("", "x"))
    arguments = typing.get_args(kind)
    if NoneType in arguments:
        members = [member for member in arguments if member is not NoneType]
        return None if random.random() < 0.5 else _some(random.choice(members), random)
    if typing.get_origin(kind) is tuple and arguments[1:] == (...,):
        return tuple(_some(arguments[0], random) for _ in range(random.randint(0, 3)))
    if typing.get_origin(kind) is tuple:
        return tuple(_some(argument, random) for argument in arguments)
    return kind(**{name: _some(hint, random) for name, hint in _hints(kind).items()})


def _hints(cls: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


def any_command(game: Game[Any], random: Random) -> Any:
    """Return any command of the game, most likely an illegal one."""
    return _some(random.choice(list(game.commands.values())), random)


def misspelled(command: Any, random: Random) -> Any:
    """Return the command with one field changed, as a slip of the pen would."""
    hints = _hints(type(command))
    if not hints:
        return command
    name = random.choice(list(hints))
    return replace(command, **{name: _some(hints[name], random)})
