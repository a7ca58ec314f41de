"""The picture of rooms and arrows in docs/explanation/architecture.md agrees with the code."""

import re
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
SERVICE = "The rooms of the service, every one of them"
Arrows = dict[str, set[str]]


@pytest.fixture(scope="module")
def picture() -> str:
    """The source of the picture."""
    return (ROOT / "docs/images/architecture.d2").read_text()


@pytest.fixture(scope="module")
def arrows() -> Arrows:
    """Return the imports of each room in the code."""
    graph = grimp.build_graph("domain", "service", "workers", cache_dir=None)
    by_room: Arrows = {}
    for importer in graph.modules:
        for imported in graph.find_modules_directly_imported_by(importer):
            above = room_of(importer)
            below = room_of(imported)
            if above != below:
                by_room.setdefault(above, set()).add(below)
    return by_room


def room_of(module: str) -> str:
    """Return the room of a module: the second part of its name in the service."""
    package, _, rest = module.partition(".")
    return rest.partition(".")[0] if package == "service" else package


def below(arrows: Arrows, room: str) -> set[str]:
    """Return every room that can be reached from a room."""
    reached: set[str] = set()
    waiting = [room]
    while waiting:
        for imported in arrows.get(waiting.pop(), ()):
            if imported not in reached:
                reached.add(imported)
                waiting.append(imported)
    return reached


def without_what_follows(arrows: Arrows) -> set[tuple[str, str]]:
    """Return the arrows not implied by a way over another room."""
    edges = set()
    for room, imported in arrows.items():
        for target in imported:
            others = imported - {target}
            if not any(target in below(arrows, other) for other in others):
                edges.add((room, target))
    return edges


def test_the_picture_has_every_room_of_the_import_contract(picture: str) -> None:
    """A room that is named in the contract is a box in the picture, and the other way round."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = settings["tool"]["importlinter"]["contracts"]
    [layers] = [one["layers"] for one in contracts if one["name"] == SERVICE]
    rooms = {room for layer in layers for room in re.split(r"\s*[|:]\s*", layer)}

    drawn = set(re.findall(r"^(\w+): service\.", picture, re.MULTILINE))
    assert drawn == rooms


def test_the_picture_has_the_arrows_of_the_code(picture: str, arrows: Arrows) -> None:
    """Nothing is drawn that is not imported. Each import is drawn, or follows from drawn ones."""
    circles = [room for room in arrows if room in below(arrows, room)]
    assert circles == [], "what follows from others would mean nothing"

    drawn = set(re.findall(r"^(\w+) -> (\w+)$", picture, re.MULTILINE))
    assert drawn == without_what_follows(arrows)
