"""Descriptions of the domain's JSON: each class and each member has a sentence."""

from typing import Annotated, Any, get_args, is_typeddict

import pytest

from domain import calimala, json_types
from domain.calimala import agenda
from domain.calimala.components import Action
from domain.calimala.view import Task
from domain.game import Game
from domain.games import RELEASED
from domain.json_types import annotations, parts, returned
from domain.options import Data
from tests.toy import TOY

every_game = pytest.mark.parametrize("game", [*RELEASED, TOY], ids=lambda game: game.rules)


# ---- what every game says ----


def shown(game: Game[Any]) -> list[Any]:
    """Return every class that describes a part of a game's views."""
    forms = [option.form for option in game.options if isinstance(option, Data)]
    return parts(returned(game.view), returned(game.known), returned(game.unlisted), *forms)


@every_game
def test_everything_that_a_game_shows_has_a_sentence(game: Game[Any]) -> None:
    """Each class of views, of facts beside them and of forms of options has a docstring."""
    classes = shown(game)
    assert returned(game.view) in classes, "a view is a TypedDict"
    for cls in classes:
        docstring = (cls.__doc__ or "").strip()
        assert docstring.endswith("."), cls


@every_game
def test_every_member_that_a_game_shows_has_a_sentence(game: Game[Any]) -> None:
    """Each member of a view, of facts beside it and of forms of options has a sentence."""
    for cls in filter(is_typeddict, shown(game)):
        for name, hint in json_types.fields(cls).items():
            assert annotations(hint).sentence.endswith("."), f"{cls.__name__}.{name}"


def test_every_task_of_the_agenda_is_described() -> None:
    """Calimala's view names each kind of task by its tag."""
    tags = {item.tag for item in get_args(agenda.Item)}
    assert set(get_args(Task)) == tags
    assert returned(calimala.GAME.view).__name__ == "View"


# ---- how it is read ----


def test_a_function_must_declare_its_result() -> None:
    """A function without a return type is an error, not an object of any form."""
    with pytest.raises(TypeError, match="has no return annotation"):
        returned(lambda _state, _seat: {})


def test_an_enum_of_mapping_keys_is_a_part() -> None:
    """An enum of mapping keys is described, too."""
    assert parts(dict[Annotated[str, Action], int]) == [Action]
