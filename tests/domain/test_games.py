"""The registry of games: what entry points bring, and what is refused."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from typing import Any, ClassVar

import pytest

from domain import games
from domain.game import Game
from domain.games import GAMES, GROUP, ORIGINS, RELEASED, RULES, UNUSABLE, load
from tests.toy import TOY


def registered(value: Any, name: str = "toy") -> EntryPoint:
    """Return an entry point that brings a value, or raises an error."""

    class Registered(EntryPoint):
        def load(self) -> Any:
            if isinstance(value, Exception):
                raise value
            return value

    return Registered(name=name, value="toy:GAME", group=GROUP)


@dataclass(frozen=True, slots=True)
class Formless:
    """An event with a field that has no form on the wire."""

    tag: ClassVar[str] = "formless"
    value: complex


def changed(**fields: Any) -> Game[Any]:
    """Return the toy with other fields."""
    return replace(TOY, **fields)


UNLOADABLE: dict[str, tuple[Any, str]] = {
    "a missing module": (ModuleNotFoundError("No module named 'toy'"), "No module named 'toy'"),
    "any other error": (ValueError("of two\nlines"), "cannot be loaded: of two lines"),
    "an error without words": (KeyError(), "cannot be loaded: KeyError()"),
    "no game": ("text", "is neither a game nor a list of games"),
    "nothing": ([], "is neither a game nor a list of games"),
    "an item that is no game": ([TOY, "toy/2"], "has an item that is no game"),
    "another name": (changed(key="other", rules="other/1"), "the game other is registered as toy"),
    "rules of another name": (changed(rules="game/1"), "its rules are 'game/1'"),
    "rules without a number": (changed(rules="toy/one"), "its rules are 'toy/one'"),
    "rules of number 0": (changed(rules="toy/0"), "its rules are 'toy/0'"),
    "the same rules twice": ([TOY, TOY], "two of its games have the rules toy/1"),
    "a field without a form": (
        changed(events={**TOY.events, "formless": Formless}),
        "the fields of Formless cannot be stored",
    ),
}


@pytest.mark.parametrize(("value", "reason"), UNLOADABLE.values(), ids=UNLOADABLE)
def test_a_bad_game_is_named_and_stops_no_other(value: Any, reason: str) -> None:
    """The registry notes the reason in one line, and has the other games."""
    other = changed(key="other", rules="other/1")

    registry = load([registered(value), registered(other, "other")])

    assert [game.rules for game in registry.released] == ["other/1"]
    [unusable] = registry.unusable
    assert unusable.name == "toy"
    assert reason in unusable.reason
    assert "\n" not in unusable.reason


@pytest.mark.parametrize("key", ["match", "Toy", "to y", "", "2toy", "../toy", "a" * 41])
def test_a_key_is_a_short_lower_case_word(key: str) -> None:
    """It stands in addresses and in file names. `match` names the rules of every match."""
    registry = load([registered(changed(key=key, rules=f"{key}/1"), key)])

    assert registry.released == []
    assert "cannot be the key of a game" in registry.unusable[0].reason


def test_a_distribution_brings_all_released_versions() -> None:
    """The oldest rules come first. The newest are for new matches."""
    second = changed(rules="toy/2")

    registry = load([registered([TOY, second])])

    assert registry.released == [TOY, second]
    assert registry.origins.keys() == {"toy/1", "toy/2"}


def test_a_key_belongs_to_one_distribution() -> None:
    """A second one with other versions of the same game is refused."""
    registry = load([registered(TOY), registered(changed(rules="toy/2"))])

    assert registry.released == [TOY]
    assert "another distribution has registered the game toy" in registry.unusable[0].reason


def test_the_published_games_are_registered_by_the_group() -> None:
    """They are the games of this distribution. Nothing else is built in."""
    own = [game for game in RELEASED if ORIGINS[game.rules].distribution in ("", games.OWN)]

    assert [game.rules for game in own] == ["calimala/1", "firenze/1"]
    assert UNUSABLE == ()


def test_the_registry_is_consistent() -> None:
    """Every game is the newest of its rules, and each version has its name."""
    assert {game.key for game in RELEASED} == GAMES.keys()
    assert all(RULES[game.rules] is game for game in RELEASED)
    for key, game in GAMES.items():
        newest = [one for one in RELEASED if one.key == key][-1]
        assert game is newest


def test_an_uninstalled_checkout_has_the_published_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its pyproject.toml lists them."""
    no_entry_points: Callable[..., Iterator[EntryPoint]] = lambda **_: iter(())  # noqa: E731
    monkeypatch.setattr(games, "entry_points", lambda **_: tuple(no_entry_points()))

    registry = load(games._registered())

    assert [game.rules for game in registry.released] == ["calimala/1", "firenze/1"]


def test_games_that_cannot_be_loaded_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readiness and the start of the service show the names, and no reason."""
    assert games.faults() == ""

    registry = load([registered(ValueError("/home/ada/secret.py"))])
    monkeypatch.setattr(games, "UNUSABLE", tuple(registry.unusable))

    assert games.faults() == "games that cannot be loaded: toy. `giornale games` tells why"
