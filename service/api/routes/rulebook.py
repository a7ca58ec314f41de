"""The numbered rules as HTML, each rule under its number: /rules/GAME#C15."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

_PACKAGE = Path(__file__).parents[1]
_REPOSITORY = Path(__file__).parents[3]
# Where the rules and the contract lie: in the installed package, which the build puts them into, or in the repository.
_PLACES = (_PACKAGE / "rules", _REPOSITORY / "docs/rules")
_CONTRACTS = (_PACKAGE / "openapi.yaml", _REPOSITORY / "openapi.yaml")
_MARKS = (
    (r"`([^`]+)`", r"<code>\1</code>"),
    (r"\*\*([^*]+)\*\*", r"<b>\1</b>"),
    (r"\*([^*]+)\*", r"<i>\1</i>"),
)


@cache
def rulebooks() -> dict[str, Path]:
    """Return the files of rules by the game's key, and "match" for what holds for every game."""
    folder = next((place for place in _PLACES if place.is_dir()), None)
    return {file.stem: file for file in sorted(folder.glob("*.md"))} if folder else {}


def contract_file() -> bytes | None:
    """Return openapi.yaml, which lies beside the rules; None if it was not installed."""
    found = next((file for file in _CONTRACTS if file.is_file()), None)
    return found.read_bytes() if found else None


@cache
def rulebook(key: str) -> Markup:
    """Return the rules under a key; raises KeyError."""
    return Markup("\n").join(map(_block, _blocks(rulebooks()[key].read_text())))


@cache
def title(key: str) -> str:
    """Return the title of the rules under a key, which is their first heading; raises KeyError."""
    first_line = rulebooks()[key].read_text().partition("\n")[0]
    return first_line.removeprefix("# ")


def _blocks(text: str) -> Iterator[str]:
    """Yield headings, rules and paragraphs, each on one line; tables and programs with their lines."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        plain = line.startswith(("|", "    "))
        if block and (
            not line.strip()
            or line.startswith(("#", "- "))
            or plain != block[0].startswith(("|", "    "))
        ):
            yield ("\n" if block[0].startswith(("|", "    ")) else " ").join(block)
            block = []
        if line.strip():
            block.append(line if plain else line.strip())


def _block(block: str) -> Markup:
    if block.startswith(("|", "    ")):
        return Markup("<pre>{}</pre>").format(block)
    if heading := re.fullmatch(r"(#+) (.*)", block):
        return Markup("<h{0}>{1}</h{0}>").format(len(heading[1]), inline(heading[2]))
    if rule := re.fullmatch(r"- ([A-Z][0-9]+) (.*)", block):
        return Markup('<ul><li id="{0}"><a href="#{0}"><b>{0}</b></a> {1}</li></ul>').format(
            rule[1], inline(rule[2])
        )
    if block.startswith("- "):
        return Markup("<ul><li>{}</li></ul>").format(inline(block[2:]))
    return Markup("<p>{}</p>").format(inline(block))


def inline(text: str) -> Markup:
    """Return a text with its marks for code, bold and italics shown, and nothing else taken for HTML."""
    made = str(escape(text))
    for pattern, shown in _MARKS:
        made = re.sub(pattern, shown, made)
    return Markup(made)  # noqa: S704 - what the rules say was escaped above
