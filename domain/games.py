"""The registry of games. Distributions bring them by entry points of the group `giornale.games`.

An entry point names a game, or all released versions of its rules, oldest first:

    [project.entry-points."giornale.games"]
    medici = "medici:RELEASED"

The games of this distribution are registered in the same way. A game that cannot be loaded stops no
other. UNUSABLE names it with the reason, and its matches have unknown rules.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from domain import wire
from domain.errors import RulesUnknown
from domain.game import AnyGame, Game

GROUP = "giornale.games"
OWN = "giornale"  # the name of this distribution

_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_RESERVED = frozenset(("match",))  # the forms and rules that all matches have
_PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Origin:
    """The distribution of some rules, and its version. Both are "" for an uninstalled checkout."""

    distribution: str
    version: str


@dataclass(frozen=True, slots=True)
class Unusable:
    """An entry point without usable games.   name: its name.   reason: one line."""

    name: str
    origin: Origin
    reason: str


class BadGame(Exception):
    """A value that cannot be registered as a game. The message gives the reason."""


@dataclass(slots=True)
class Registry:
    """The games of entry points.

    released: every version of rules, oldest first for each game.   origins: by rules version.
    """

    released: list[AnyGame]
    origins: dict[str, Origin]
    unusable: list[Unusable]


def load(registered: Iterable[EntryPoint]) -> Registry:
    """Load the games of entry points. A game that cannot be loaded is noted."""
    registry = Registry([], {}, [])
    for entry_point in sorted(registered, key=_own_first):
        origin = _origin_of(entry_point)
        try:
            games = _games_in(entry_point)
            _check_apart(games, registry.origins)
        except BadGame as error:
            registry.unusable.append(Unusable(entry_point.name, origin, str(error)))
            continue
        registry.released += games
        registry.origins |= {game.rules: origin for game in games}
    return registry


def _own_first(entry_point: EntryPoint) -> tuple[bool, str, str]:
    distribution = _origin_of(entry_point).distribution
    return distribution not in ("", OWN), entry_point.name, distribution


def _origin_of(entry_point: EntryPoint) -> Origin:
    distribution = entry_point.dist
    if distribution is None:
        return Origin("", "")
    return Origin(distribution.name, distribution.version)


def _games_in(entry_point: EntryPoint) -> list[AnyGame]:
    """Return the games of an entry point. Raises BadGame."""
    try:
        value = entry_point.load()
    except Exception as error:  # noqa: BLE001 - a package of strangers may raise any error
        reason = " ".join((str(error) or repr(error)).split())
        raise BadGame(f"{entry_point.value} cannot be loaded: {reason}") from None

    games = [value] if isinstance(value, Game) else value
    if not isinstance(games, list | tuple) or not games:
        raise BadGame(f"{entry_point.value} is neither a game nor a list of games")
    for game in games:
        if not isinstance(game, Game):
            raise BadGame(f"{entry_point.value} has an item that is no game")
        if game.key != entry_point.name:
            raise BadGame(f"the game {game.key} is registered as {entry_point.name}")
        _check(game)
    return list(games)


def _check(game: AnyGame) -> None:
    """Check the names and the forms of a game. Raises BadGame."""
    if not _KEY.fullmatch(game.key) or game.key in _RESERVED:
        raise BadGame(f"{game.key!r} cannot be the key of a game: use a-z, 0-9 and _")
    if not re.fullmatch(rf"{game.key}/[1-9][0-9]*", game.rules):
        raise BadGame(f"its rules are {game.rules!r}. Name them {game.key}/1, {game.key}/2, ...")

    for cls in (*game.commands.values(), *game.events.values(), game.state):
        try:
            wire.fingerprint(cls)
        except (TypeError, NameError) as error:
            raise BadGame(f"the fields of {cls.__name__} cannot be stored: {error}") from None


def _check_apart(games: Iterable[AnyGame], registered: dict[str, Origin]) -> None:
    """Check that no rules or keys are registered yet. Raises BadGame."""
    keys = {rules.rpartition("/")[0] for rules in registered}
    rules = [game.rules for game in games]
    for game in games:
        if game.key in keys:
            raise BadGame(f"another distribution has registered the game {game.key}")
        if rules.count(game.rules) > 1:
            raise BadGame(f"two of its games have the rules {game.rules}")


def _registered() -> Iterator[EntryPoint]:
    """Yield the entry points of all distributions.

    Those of a checkout come from its pyproject.toml: installed metadata may be older, or missing.
    """
    own = _in_checkout()
    yield from own
    for entry_point in entry_points(group=GROUP):
        if not own or _origin_of(entry_point).distribution != OWN:
            yield entry_point


def _in_checkout() -> list[EntryPoint]:
    """Return the entry points in the pyproject.toml of a checkout, [] for an installed wheel."""
    if not _PROJECT.is_file():
        return []
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8")).get("project", {})
    if project.get("name") != OWN:
        return []
    registered = project["entry-points"][GROUP]
    return [EntryPoint(name, value, GROUP) for name, value in registered.items()]


_REGISTRY = load(_registered())

# Every version of rules ever released, oldest first: its matches are replayed for ever.
RELEASED: tuple[AnyGame, ...] = tuple(_REGISTRY.released)
ORIGINS = _REGISTRY.origins
UNUSABLE = tuple(_REGISTRY.unusable)

# The newest rules of each game by its key, for new matches. A later entry of RELEASED counts.
GAMES: dict[str, AnyGame] = {game.key: game for game in RELEASED}


class Rules(dict[str, AnyGame]):
    """Versions of rules by name. Raises RulesUnknown for a name that this release does not have."""

    def __missing__(self, rules: str) -> AnyGame:
        raise RulesUnknown(rules)


# All versions of rules by name, for existing matches.
RULES: dict[str, AnyGame] = Rules({game.rules: game for game in RELEASED})


def faults() -> str:
    """Return a sentence with the names of games that cannot be loaded, "" without any."""
    if not UNUSABLE:
        return ""
    names = ", ".join(sorted({one.name for one in UNUSABLE}))
    return f"games that cannot be loaded: {names}. `giornale games` tells why"
