"""The numbered rules as HTML, each rule under its number: /rules/GAME#C15."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

_PACKAGE = Path(__file__).parents[1]
_REPOSITORY = Path(__file__).parents[3]
# Where the rules lie: in the installed package, where the build puts them, or in the repository.
_PLACES = (_PACKAGE / "rules", _REPOSITORY / "docs/rules")

_HEADING = re.compile(r"(#+) (.*)")
_RULE = re.compile(r"- ([A-Z][0-9]+) (.*)")
# How lines of tables and of programs begin.
_PREFORMATTED = ("|", "    ")
_MARKS = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*([^*]+)\*"), r"<i>\1</i>"),
)


@cache
def rulebooks() -> dict[str, Path]:
    """Return the files of rules by the game's key, and "match" for what holds for every game."""
    for place in _PLACES:
        if place.is_dir():
            return {file.stem: file for file in sorted(place.glob("*.md"))}
    return {}


@cache
def rulebook(key: str) -> Markup:
    """Return the rules under a key; raises KeyError."""
    text = rulebooks()[key].read_text()
    return Markup("\n").join(_html(block) for block in _blocks(text))


@cache
def title(key: str) -> str:
    """Return the title of the rules under a key, which is their first heading; raises KeyError."""
    first_line, _, _ = rulebooks()[key].read_text().partition("\n")
    return first_line.removeprefix("# ")


def inline(text: str) -> Markup:
    """Return a text with its marks for code, bold and italics shown, and nothing else as HTML."""
    html = str(escape(text))
    for pattern, replacement in _MARKS:
        html = pattern.sub(replacement, html)
    return Markup(html)  # noqa: S704 - what the rules say was escaped above


def _blocks(text: str) -> Iterator[str]:
    """Yield headings, rules and paragraphs, each on one line; tables and programs as they are."""
    block: list[str] = []
    for line in text.splitlines():
        if block and _begins_block(line, block):
            yield _joined(block)
            block = []
        if line.strip():
            block.append(line if line.startswith(_PREFORMATTED) else line.strip())
    if block:
        yield _joined(block)


def _begins_block(line: str, block: list[str]) -> bool:
    """Return whether a line does not belong to the block before it."""
    if not line.strip() or line.startswith(("#", "- ")):
        return True
    return line.startswith(_PREFORMATTED) != block[0].startswith(_PREFORMATTED)


def _joined(block: list[str]) -> str:
    is_preformatted = block[0].startswith(_PREFORMATTED)
    return ("\n" if is_preformatted else " ").join(block)


def _html(block: str) -> Markup:
    if block.startswith(_PREFORMATTED):
        return Markup("<pre>{}</pre>").format(block)

    heading = _HEADING.fullmatch(block)
    if heading:
        level = len(heading[1])
        return Markup("<h{0}>{1}</h{0}>").format(level, inline(heading[2]))

    rule = _RULE.fullmatch(block)
    if rule:
        item = Markup('<ul><li id="{0}"><a href="#{0}"><b>{0}</b></a> {1}</li></ul>')
        return item.format(rule[1], inline(rule[2]))

    if block.startswith("- "):
        return Markup("<ul><li>{}</li></ul>").format(inline(block[2:]))
    return Markup("<p>{}</p>").format(inline(block))
