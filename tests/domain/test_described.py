"""What the domain says of its JSON: no view, board or enum without a sentence, and one way for messages too."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NotRequired, TypedDict, get_args, is_typeddict

import pytest

from domain import calimala, described, wire
from domain.calimala import agenda
from domain.calimala.view_types import Task
from domain.described import EVERY_NAME, Between, annotations, parts, returned
from domain.game import Game
from domain.games import RELEASED
from domain.options import Data
from tests.toy import TOY


class Stone(wire.Named):
    """An enum whose names are told."""

    ROUGH = 0
    CUT = 1


StoneName = Annotated[str, Stone]


class Heap(TypedDict):
    """A part."""

    size: Annotated[int, Between(0, 9), "How many stones."]


class Yard(TypedDict):
    """A whole."""

    heaps: Annotated[dict[StoneName, Heap], EVERY_NAME, "The heaps."]
    last: NotRequired[Annotated[list[Heap | None], "The last ones."]]


@dataclass(frozen=True, slots=True)
class Laid:
    """A message, described in the same way."""

    tag: ClassVar[str] = "laid"
    stone: Annotated[Stone, "Which stone."]
    seat: Annotated[int | None, "Whose it is."] = wire.drawn()


def shown(game: Game[Any]) -> list[Any]:
    """Return every class that describes what a game shows."""
    shapes = [option.form for option in game.options if isinstance(option, Data)]
    return parts(returned(game.view), returned(game.unlisted), *shapes)


@pytest.mark.parametrize("game", [*RELEASED, TOY], ids=lambda game: game.rules)
def test_everything_that_a_game_shows_has_a_sentence(game: Game[Any]) -> None:
    """Views, what lies beyond the listed moves, boards: a docstring a class, a sentence a member, no empty one."""
    classes = shown(game)
    assert returned(game.view) in classes, "a view is a TypedDict"
    for cls in classes:
        assert (cls.__doc__ or "").strip().endswith("."), cls
        if is_typeddict(cls):
            for name, hint in described.fields(cls).items():
                assert annotations(hint).sentence.endswith("."), f"{cls.__name__}.{name}"


@pytest.mark.parametrize("game", [*RELEASED, TOY], ids=lambda game: game.rules)
def test_every_option_that_is_data_has_a_shape(game: Game[Any]) -> None:
    """What a creator may type in is described as what is shown is."""
    data = [option for option in game.options if isinstance(option, Data)]
    assert [option.name for option in data if not is_typeddict(option.form)] == []


def test_a_type_is_told_with_what_stands_beside_it() -> None:
    """The sentence, the enum of a name, bounds and whether a mapping has all names; members left out as well."""
    hints = described.fields(Yard)
    assert annotations(hints["heaps"])[1:] == ("The heaps.", None, None, True)
    assert annotations(hints["last"]).kind == list[Heap | None]
    assert annotations(described.fields(Heap)["size"])[1:] == (
        "How many stones.",
        None,
        Between(0, 9),
        False,
    )
    assert annotations(StoneName).names is Stone
    assert parts(Yard) == [Yard, Stone, Heap]


def test_a_message_is_described_in_the_same_way() -> None:
    """A sentence beside a field changes neither how a message is written nor how it is read."""
    assert annotations(described.fields(Laid)["stone"]).sentence == "Which stone."
    message = Laid(Stone.CUT, 2)
    assert wire.encode(message) == {"type": "laid", "stone": "cut", "seat": 2}
    assert wire.decode({"laid": Laid}, wire.encode(message)) == message
    assert wire.drawn_fields(Laid) == ("seat",)
    assert parts(Laid) == [Laid, Stone]


def test_a_function_must_say_what_it_returns() -> None:
    """A view without a type is told so, not shown as an object of anything."""
    with pytest.raises(TypeError, match="does not say what it returns"):
        returned(lambda _state, _seat: {})


def test_every_task_of_the_agenda_is_described() -> None:
    """Calimala's view names each kind of task by its tag."""
    tags = {item.tag for item in get_args(agenda.Item)}
    assert set(get_args(Task)) == tags
    assert returned(calimala.GAME.view).__name__ == "View"
