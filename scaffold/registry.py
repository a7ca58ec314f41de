"""The lines that name a game outside of its package.

They are its entry point, the import contract, and the browsers' list of known rules.
"""

import re
from pathlib import Path

from scaffold.names import Refused

CONTRACT = "pyproject.toml"
CHECKER = "page/static/verify/rules.js"

# The table of entry points, a game a line.
_REGISTERED = re.compile(
    r'^(\[project\.entry-points\."giornale\.games"\]\n)((?:\w+ = "domain\.\w+:\w+"\n)+)',
    re.MULTILINE,
)

_KNOWN = re.compile(r"^(const KNOWN = new Map\(\[\n(?:  .+\n)*)(\]\);)$", re.MULTILINE)

_LAYER = re.compile(r'^    "(\w+(?: \| \w+)*)",$', re.MULTILINE)
_FORBIDDEN = re.compile(r"^forbidden_modules = \[(.+)\]$", re.MULTILINE)


def games_in(contract: str) -> list[str]:
    """Return the games that pyproject.toml registers."""
    return re.findall(r"^(\w+) = ", _only(_REGISTERED, contract)[2], re.MULTILINE)


def registered(contract: str, key: str) -> str:
    """Return the text of pyproject.toml with an entry point for one more game."""
    _only(_REGISTERED, contract)
    return _REGISTERED.sub(rf'\g<1>\g<2>{key} = "domain.{key}:GAME"\n', contract)


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


def _only(pattern: re.Pattern[str], contract: str) -> re.Match[str]:
    """Return the single match of a pattern in pyproject.toml. Raises Refused for more or none."""
    places = list(pattern.finditer(contract))
    if len(places) != 1:
        raise Refused(f"{CONTRACT} does not list the games as it used to.")
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
