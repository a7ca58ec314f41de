"""The words of a story for streets, actions, tiles and cards."""

from domain.calimala.components import ACTIONS, CATEGORIES, CITIES, Action, Category, Street
from domain.calimala.state import State, street_actions
from domain.story import titled

_ACTIONS = tuple(titled(action.wire) for action in ACTIONS)

# By Action, words to complete "Ada cannot".
_EFFECTS = (
    *("store wood", "store brick", "store marble"),
    *("build anything", "give an artwork", "weave"),
    *("ship cloth", "transport cloth", "contribute anything"),
)

# Cities and buildings have names of their own.
_PROPER_NAMES = len(CITIES) + 3
_TILES = (
    *(titled(category.wire) for category in CATEGORIES[:_PROPER_NAMES]),
    *("artworks", "port cities", "trade cities"),
    *("contributed wood", "contributed brick", "contributed marble"),
    titled(Category.PALAZZO_VECCHIO.wire),
)

# By Category, the counted thing of a tile or a card (C35, C41), singular and plural.
_CLOTH = ("cloth", "cloth")
_COUNTED = (
    *[_CLOTH] * len(CITIES),
    *[("cube", "cubes")] * 3,
    *(("artwork", "artworks"), _CLOTH, _CLOTH),
    *(("wood", "wood"), ("brick", "bricks"), ("marble", "marble")),
    ("seat or artwork", "seats and artworks"),
)


def action_name(action: Action) -> str:
    """Return the name on an action's tile and cards: "Weave"."""
    return _ACTIONS[action]


def effect_name(action: Action) -> str:
    """Return an action in words to complete "Ada cannot": "ship cloth"."""
    return _EFFECTS[action]


def street_name(state: State, street: Street) -> str:
    """Return the two actions that a street joins: "Weave/Build" (C3)."""
    one, other = street_actions(state, street)
    return f"{_ACTIONS[one]}/{_ACTIONS[other]}"


def tile_name(category: Category) -> str:
    """Return the name of a scoring tile or a final card: "Lisbon", "port cities"."""
    return _TILES[category]


def amount(category: Category, count: int) -> str:
    """Return a count of a category with its unit: "3 cloth", "1 artwork" (C35)."""
    singular, plural = _COUNTED[category]
    return f"{count} {singular if count == 1 else plural}"
