"""The picture of rooms and arrows in docs/architecture.md is what the code is."""

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
    """The first picture of the page."""
    page = (ROOT / "docs/architecture.md").read_text()
    return re.split(r"```(?:mermaid)?\n", page)[1]


@pytest.fixture(scope="module")
def arrows() -> Arrows:
    """Which rooms each room imports, as the code has it."""
    graph = grimp.build_graph("domain", "service", "workers", cache_dir=None)
    found: Arrows = {}
    for importer in graph.modules:
        for imported in graph.find_modules_directly_imported_by(importer):
            above = room_of(importer)
            below = room_of(imported)
            if above != below:
                found.setdefault(above, set()).add(below)
    return found


def room_of(module: str) -> str:
    """Return the room that a module is in: the second part of its name in the service."""
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
    """Return the arrows that do not follow from a way over another room."""
    kept = set()
    for room, imported in arrows.items():
        for target in imported:
            others = imported - {target}
            if not any(target in below(arrows, other) for other in others):
                kept.add((room, target))
    return kept


def test_the_picture_has_every_room_of_the_import_contract(picture: str) -> None:
    """A room that is named in the contract is a box in the picture, and the other way round."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = settings["tool"]["importlinter"]["contracts"]
    [layers] = [one["layers"] for one in contracts if one["name"] == SERVICE]
    named = {room for layer in layers for room in re.split(r"\s*[|:]\s*", layer)}

    drawn = set(re.findall(r'^\s*(\w+)\["service\.', picture, re.MULTILINE))
    assert drawn == named


def test_the_picture_has_the_arrows_of_the_code(picture: str, arrows: Arrows) -> None:
    """Nothing is drawn that is not imported; what is imported is drawn, or follows."""
    circles = [room for room in arrows if room in below(arrows, room)]
    assert circles == [], "what follows from others would mean nothing"

    drawn = set(re.findall(r"^\s*(\w+) --> (\w+)$", picture, re.MULTILINE))
    assert drawn == without_what_follows(arrows)
