"""The names of a new game, and their checks."""

import keyword
import re
from dataclasses import dataclass
from pathlib import Path

KEY = re.compile("[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
LONGEST_KEY = 21
TITLE = re.compile(r"[^\W_](?:[\w '.,!&-]*[\w.!])?")
LONGEST_TITLE = 40

# The rulebook of every match, and a game of the tests.
TAKEN = ("match", "toy")


class Refused(Exception):
    """No game can be written. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a game.

    key: name on the wire and of the package. title: name for people.
    letter: first letter of the rules' numbers.
    """

    key: str
    title: str
    letter: str


def names_of(root: Path, key: str, title: str) -> Names:
    """Return the names of a new game in the repository at `root`. Raises Refused.

    title: "" to make it from the key.
    """
    _check_key(key)
    _check_free(root, key)

    title = title or key.replace("_", " ").title()
    _check_title(title)
    return Names(key=key, title=title, letter=key[0].upper())


def _check_key(key: str) -> None:
    if not KEY.fullmatch(key) or len(key) > LONGEST_KEY:
        raise Refused(
            f"the key {key!r} cannot be used. It is written in small letters, digits and single "
            f"underscores, begins with a letter, and has at most {LONGEST_KEY} characters."
        )
    if keyword.iskeyword(key):
        raise Refused(f"the key {key!r} is a word of Python's own.")


def _check_free(root: Path, key: str) -> None:
    """Raise Refused if the key is taken."""
    package = root / "domain" / key
    places = [
        package,
        package.with_suffix(".py"),
        root / "tests/domain" / key,
        root / "docs/rules" / f"{key}.md",
        root / "docs/rules/players" / f"{key}.md",
    ]
    for place in places:
        if place.exists():
            raise Refused(f"the key {key!r} is taken: there is {place.relative_to(root)}.")

    if key in TAKEN or _begins_a_component(root, key):
        raise Refused(f"the key {key!r} is taken: another part of the service has that name.")


def _begins_a_component(root: Path, key: str) -> bool:
    """Return True if the contract has a component with a name for this game.

    The components of a game begin with the key of the game: `CalimalaView`.
    """
    prefix = "".join(word.capitalize() for word in key.split("_"))
    contract = (root / "openapi.yaml").read_text(encoding="utf-8")
    return re.search(rf"^    {prefix}(?![a-z])\w*:$", contract, re.MULTILINE) is not None


def _check_title(title: str) -> None:
    if not TITLE.fullmatch(title) or len(title) > LONGEST_TITLE:
        raise Refused(
            f"the title {title!r} cannot be used. It is one line of letters, digits, spaces and "
            f"plain punctuation, and has at most {LONGEST_TITLE} characters."
        )
