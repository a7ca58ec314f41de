"""What a seat did with an action, in words that go on behind its name (C23-C29)."""

from collections import Counter
from collections.abc import Sequence

from domain.calimala.components import COSTS, Action, City, Project
from domain.calimala.deeds import Deed
from domain.calimala.state import State
from domain.kit.wording import counted, listed, one, spoken, titled, worded

_WOOD = worded(Action.WOOD.wire)
_BRICK = worded(Action.BRICK.wire)


def deed(state: State, event: Deed) -> str:
    """Return what was done: "weaves two cloth"; the state is the one before it.

    Which parameters the event has says what it is, as in `domain.calimala.deeds`.
    """
    if event.workshops is not None:
        return _cloth_moved(state, event)
    if event.resource is not None:
        return f"contributes {worded(event.resource.wire)} to {_building(event)}"
    if event.building is not None:
        return f"gives an artwork to {_building(event)}"
    if event.build is not None:
        return _built(event.build, event.city)
    return f"stores one {worded(event.action.wire)}"


def _building(event: Deed) -> str:
    assert event.building is not None
    return titled(event.building.wire)


def _built(project: Project, city: City | None) -> str:
    """Return what was built, where, and for what (C24)."""
    wood, brick = COSTS[project]
    parts = []
    if wood:
        parts.append(f"{spoken(wood)} {_WOOD}")
    if brick:
        parts.append(counted(brick, _BRICK))
    price = listed(parts)

    what = one(worded(project.wire))
    where = f" in {titled(city.wire)}" if city is not None else ""
    return f"builds {what}{where} for {price}"


def _cloth_moved(state: State, event: Deed) -> str:
    """Return how much was woven (C26), or what was brought to which cities (C27, C28)."""
    if event.cities is not None:
        verb = "ships" if event.action is Action.SHIP else "transports"
        return f"{verb} {_load(event.cities)}"

    player = state.players[event.seat]
    before = sum(player.cloth)
    after = sum(event.workshops or ())
    return f"weaves {spoken(after - before)} cloth"


def _load(cities: Sequence[City]) -> str:
    """Return how much cloth went where: "two cloth, one to Troyes and one to Bruges"."""
    cloth = f"{spoken(len(cities))} cloth"
    by_city = Counter(titled(city.wire) for city in cities)
    if len(by_city) == 1:
        return f"{cloth} to {titled(cities[0].wire)}"

    parts = []
    for city, count in by_city.items():
        parts.append(f"{spoken(count)} to {city}")
    return f"{cloth}, {listed(parts)}"
