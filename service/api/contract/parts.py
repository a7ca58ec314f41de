"""The parts of the contract: the core, each area, and the core with the types of each game.

Each part is a document of its own. An operation belongs to the core or to one area. A new game or
capability needs no change here, and a game adds nothing to the core.
"""

from collections.abc import Callable
from functools import partial
from itertools import islice

from flask import Flask

from domain.games import GAMES
from domain.json_types import Json
from service.api.contract.document import Document
from service.api.contract.operations import Operation, operation_of
from service.api.contract.texts import ABOUT_CORE, ABOUT_THE_CORE_OF_A_GAME, TAGS

CORE = "core"
_OF_THE_CORE = frozenset(
    {
        "openMatch",
        "joinMatch",
        "startMatch",
        "getMatch",
        "getState",
        "getMoves",
        "makeMove",
        "streamMatch",
        "getRecord",
    }
)


def parts(app: Flask) -> dict[str, Document]:
    """Return the parts of an application's contract by name."""
    core = Document("Giornale: core", ABOUT_CORE, {}, _is_of_the_core, _of_requests)
    areas = {
        area: Document(f"Giornale: {area}", text, {}, partial(_is_of_area, area), _first)
        for area, text in TAGS.items()
        if any(_is_of_area(area, operation) for operation in _operations(app))
    }
    games = {
        f"games/{key}": Document(
            f"Giornale: {game.title}",
            ABOUT_THE_CORE_OF_A_GAME.format(title=game.title),
            {key: game},
            _is_of_the_core,
            _named(key),
        )
        for key, game in GAMES.items()
    }
    return {CORE: core, **areas, **games}


def _operations(app: Flask) -> list[Operation]:
    candidates = map(operation_of, app.view_functions.values())
    return [operation for operation in candidates if operation is not None]


def _is_of_the_core(operation: Operation) -> bool:
    return operation.name in _OF_THE_CORE


def _is_of_area(area: str, operation: Operation) -> bool:
    return operation.tag == area and not _is_of_the_core(operation)


def _first(_place: str, by_name: Json) -> Json:
    """Choose the first example, so that a new game does not add another example."""
    return dict(islice(by_name.items(), 1))


def _of_requests(place: str, by_name: Json) -> Json:
    """Choose one example of each request and no example of answers, to keep the core small."""
    return _first(place, by_name) if place == "request" else {}


def _named(key: str) -> Callable[[str, Json], Json]:
    """Return a function that chooses the example named after a game."""
    return lambda _, by_name: {name: example for name, example in by_name.items() if name == key}
