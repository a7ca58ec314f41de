"""The rulebooks: how a game goes, for players, and its numbered rules, each under its number.

/rules/GAME#C15 leads to one rule.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markupsafe import Markup

from service.api import links
from service.api.pages import blocks
from service.api.pages.blocks import Heading

_PACKAGE = Path(__file__).parents[1]
_REPOSITORY = Path(__file__).parents[3]
# Where the rules lie: in the installed package, where the build puts them, or in the repository.
_PLACES = (_PACKAGE / "rules", _REPOSITORY / "docs/rules")

# The rules that hold for every game.
MATCH = "match"


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A rulebook as its page shows it."""

    # Its first heading, such as "Calimala: the rules, numbered".
    title: str
    # What it is about, such as "Calimala".
    name: str
    # How the game goes, for somebody who has never played; empty where nobody has written it.
    for_players: Markup
    rules: Markup
    # The headings within the rules.
    headings: list[Heading]


@cache
def rulebooks() -> dict[str, Path]:
    """Return the files of rules by the game's key, and "match" for what holds for every game."""
    for place in _PLACES:
        if place.is_dir():
            return {file.stem: file for file in sorted(place.glob("*.md"))}
    return {}


def rulebook(key: str) -> Rulebook:
    """Return the rules under a key; raises KeyError."""
    text = rulebooks()[key].read_text()
    addresses = _addresses(key)
    return Rulebook(
        title=_title(text),
        name=name(key),
        for_players=blocks.html(_for_players(key), addresses),
        rules=blocks.html(text, addresses),
        headings=blocks.headings(text),
    )


@cache
def name(key: str) -> str:
    """Return what the rules under a key are about: their title up to its colon; raises KeyError."""
    about, _, _ = _title(rulebooks()[key].read_text()).partition(":")
    return about


def _title(text: str) -> str:
    first_line, _, _ = text.partition("\n")
    return first_line.removeprefix("# ")


def _for_players(key: str) -> str:
    """Return the text for players, "" without one."""
    file = rulebooks()[key].parent / "players" / f"{key}.md"
    return file.read_text() if file.is_file() else ""


def _addresses(key: str) -> dict[str, str]:
    """Return where each rule is that a rulebook may name, by number: its own, then a match's."""
    books = rulebooks()
    addresses = {}
    if MATCH in books and key != MATCH:
        for number in blocks.numbers(books[MATCH].read_text()):
            addresses[number] = links.rules(MATCH, number)
    for number in blocks.numbers(books[key].read_text()):
        addresses[number] = f"#{number}"
    return addresses
