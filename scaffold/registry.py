"""The lines that name a game outside of its package.

These lines are in the registry of games, in the import contract in pyproject.toml, and in the
browsers' list of known rules.
"""

import re
from pathlib import Path

from scaffold.names import Refused

REGISTRY = "domain/games.py"
CONTRACT = "pyproject.toml"
CHECKER = "page/static/verify/rules.js"

# The imports of games: one line, or a list in brackets.
_IMPORTED = re.compile(r"^from domain import (\([^)]*\)|.+)$", re.MULTILINE)
_RELEASED = re.compile(r"^(RELEASED: .+? = )\(([^)]*)\)", re.MULTILINE)

_KNOWN = re.compile(r"^(const KNOWN = new Map\(\[\n(?:  .+\n)*)(\]\);)$", re.MULTILINE)

_LAYER = re.compile(r'^    "(\w+(?: \| \w+)*)",$', re.MULTILINE)
_FORBIDDEN = re.compile(r"^forbidden_modules = \[(.+)\]$", re.MULTILINE)


def games_in(registry: str) -> list[str]:
    """Return the packages of games that the registry imports."""
    return re.findall(r"\w+", _only(_IMPORTED, registry)[1])


def registered(registry: str, key: str) -> str:
    """Return the text of the registry with one more game."""
    games = sorted([*games_in(registry), key])
    released = re.findall(r"[\w.]+", _only(_RELEASED, registry)[2])
    entries = ", ".join([*released, f"{key}.GAME"])

    registry = _IMPORTED.sub(f"from domain import {', '.join(games)}", registry)
    return _RELEASED.sub(rf"\g<1>({entries})", registry)


def known(checker: str, key: str) -> str:
    """Return the text of the browsers' list of rules with those of one more game.

    No command of the guide's game hides anything, and its view has version 1.
    """
    entry = f'  ["{key}/1", {{ hides: [], views: 1 }}],\n'
    listed, count = _KNOWN.subn(rf"\g<1>{entry}\g<2>", checker)
    if count != 1:
        raise Refused(f"{CHECKER} does not list the rules as it used to.")
    return listed


def allowed(contract: str, games: list[str], key: str) -> str:
    """Return the text of pyproject.toml with one more game in the import contract.

    The games are one layer of the domain, and the service may not import any game.
    """
    layer = _one_that_holds(_LAYER, contract, games)
    beside = " | ".join([*re.findall(r"\w+", layer), key])
    contract = contract.replace(f'    "{layer}",\n', f'    "{beside}",\n')

    forbidden = _one_that_holds(_FORBIDDEN, contract, [f"domain.{game}" for game in games])
    return contract.replace(f"[{forbidden}]", f'[{forbidden}, "domain.{key}"]')


def _only(pattern: re.Pattern[str], registry: str) -> re.Match[str]:
    """Return the only match of a pattern in the registry. Raises Refused unless there is one."""
    places = list(pattern.finditer(registry))
    if len(places) != 1:
        raise Refused(f"{REGISTRY} does not list the games as it used to.")
    return places[0]


def _one_that_holds(pattern: re.Pattern[str], contract: str, names: list[str]) -> str:
    """Return the only list of exactly these names in pyproject.toml. Raises Refused without it."""
    every_list: list[str] = pattern.findall(contract)
    of_these = [text for text in every_list if _names_in(text) == set(names)]
    if len(of_these) != 1:
        raise Refused(f"{CONTRACT} does not list the games {', '.join(names)} as it used to.")
    return of_these[0]


def _names_in(text: str) -> set[str]:
    return set(re.findall(r"[\w.]+", text))


def read(root: Path, name: str) -> str:
    """Return the text of a file of the repository."""
    return (root / name).read_text(encoding="utf-8")
