"""Rulebooks: the course of a game, for players, and its numbered rules.

/rules/GAME#C15 leads to one rule. Rulebooks are written in a subset of Markdown: headings, rules,
lists, tables, programs, pictures and paragraphs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup, escape

from domain.games import GAMES
from service.api import links

_PACKAGE = Path(__file__).parent
_REPOSITORY = Path(__file__).parents[2]
# Folders of the rules: in the installed package, where the build has put them, and in the
# repository.
_PLACES = (_PACKAGE / "rules", _REPOSITORY / "docs/rules")

# Key of the rules for every game.
MATCH = "match"


@dataclass(frozen=True, slots=True)
class PageHeading:
    """A heading and its id for links."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A rulebook in the form of its page."""

    # The first heading, such as "Calimala: the rules, numbered".
    title: str
    # The subject, such as "Calimala".
    name: str
    # The course of the game for new players. Empty without such a text.
    for_players: Markup
    rules: Markup
    # The headings within the rules.
    headings: list[PageHeading]


class RuleTexts(NamedTuple):
    """The texts of a rulebook: the numbered rules, and the course of the game or ""."""

    rules: str
    for_players: str


@cache
def rulebooks() -> dict[str, RuleTexts]:
    """Return the texts by the game's key, and by "match" those for every game."""
    texts = {
        game.key: RuleTexts(game.rulebook, game.for_players)
        for game in GAMES.values()
        if game.rulebook
    }
    for place in _PLACES:
        if place.is_dir():
            return texts | {file.stem: _texts_in(file) for file in sorted(place.glob("*.md"))}
    return texts


def _texts_in(file: Path) -> RuleTexts:
    for_players = file.parent / "players" / file.name
    return RuleTexts(
        file.read_text(encoding="utf-8"),
        for_players.read_text(encoding="utf-8") if for_players.is_file() else "",
    )


def rulebook(key: str) -> Rulebook:
    """Return the rules under a key. Raises KeyError."""
    text, for_players = rulebooks()[key]
    addresses = _addresses(key)
    return Rulebook(
        title=_title(text),
        name=name(key),
        for_players=blocks_html(for_players, addresses),
        rules=blocks_html(text, addresses),
        headings=headings_of(text),
    )


@cache
def name(key: str) -> str:
    """Return the subject of the rules under a key: their title up to its colon. Raises KeyError."""
    about, _, _ = _title(rulebooks()[key].rules).partition(":")
    return about


EVERYTHING = "all"


def excerpt(key: str, about: str) -> str | None:
    """Return a part of the rules as written, None if there is no such part.

    about: the number of a rule, the title of a part, EVERYTHING, or "" for the course of the game.
    Without a text on the course of the game, "" gives all rules.
    """
    text, for_players = rulebooks()[key]
    if not about:
        return _PICTURE.sub("", for_players or text)
    if about == EVERYTHING:
        return text

    for block in _blocks(text):
        if block.startswith(f"- {about} "):
            return block.removeprefix("- ")
    _, *parts = re.split("^## (.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True)).get(about)


def _title(text: str) -> str:
    first_line, _, _ = text.partition("\n")
    return first_line.removeprefix("# ")


def _addresses(key: str) -> dict[str, str]:
    """Return the addresses of rules by number: those of a rulebook, and those of every match."""
    books = rulebooks()
    addresses = {}
    if MATCH in books and key != MATCH:
        for number in numbers(books[MATCH].rules):
            addresses[number] = links.rules(MATCH, number)
    for number in numbers(books[key].rules):
        addresses[number] = f"#{number}"
    return addresses


# ---- the text of a rulebook as HTML --------------------------------------------------------

_HEADING = re.compile(r"(#+) (.*)")
_RULE = re.compile(r"- ([A-Z][0-9]+) (.*)")
# A picture among the pages' static files. The groups are the description and the path of the file.
_PICTURE = re.compile(r"!\[([^\]]+)\]\(\S*/(pictures/[\w-]+\.svg)\)")
# Beginnings of the lines of a table, and of a program.
_TABLE = "|"
_PROGRAM = "    "
_PREFORMATTED = (_TABLE, _PROGRAM)


def numbers(text: str) -> list[str]:
    """Return the numbers of the rules that a text states."""
    return re.findall(r"^- ([A-Z][0-9]+) ", text, re.MULTILINE)


def headings_of(text: str) -> list[PageHeading]:
    """Return the headings of a text without its title."""
    titles = re.findall(r"^#{2,} (.*)$", text, re.MULTILINE)
    return [PageHeading(_id_of(title), title) for title in titles]


def blocks_html(text: str, rules: Mapping[str, str]) -> Markup:
    """Return a text without its title as HTML.

    rules: the address of each rule, by number.
    """
    html = []
    items: list[Markup] = []  # items of the present list
    for block in _blocks(text):
        if block.startswith("- "):
            items.append(_item(block, rules))
            continue
        if items:
            html.append(_list(items))
            items = []
        html.append(_block(block, rules))

    if items:
        html.append(_list(items))
    return Markup("\n").join(html)


def _blocks(text: str) -> Iterator[str]:
    """Yield headings, items and paragraphs, each on one line. Tables and programs stay as is."""
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
    """Return True if a line begins another block."""
    if not line.strip() or line.startswith(("#", "- ")):
        return True
    if block[0].startswith("#"):
        return True
    return line.startswith(_PREFORMATTED) != block[0].startswith(_PREFORMATTED)


def _joined(block: list[str]) -> str:
    is_preformatted = block[0].startswith(_PREFORMATTED)
    return ("\n" if is_preformatted else " ").join(block)


def _block(block: str, rules: Mapping[str, str]) -> Markup:
    if block.startswith(_TABLE):
        return _table(block.splitlines(), rules)
    if block.startswith(_PROGRAM):
        return Markup("<pre>{}</pre>").format(block)

    picture = _PICTURE.fullmatch(block)
    if picture is not None:
        shows, path = picture.groups()
        image = Markup('<p class="docs-picture"><img src="{}" alt="{}" loading="lazy"></p>')
        return image.format(links.asset(path), shows)

    heading = _HEADING.fullmatch(block)
    if heading is None:
        return Markup("<p>{}</p>").format(linked(block, rules))
    marks, title = heading.groups()
    if marks == "#":
        return Markup()  # the page has its title already
    level = len(marks) + 1  # a rulebook stands below the heading of its page
    return Markup('<h{0} id="{1}">{2}</h{0}>').format(level, _id_of(title), linked(title, {}))


def _item(block: str, rules: Mapping[str, str]) -> Markup:
    """Return an item of a list. A rule has its number as its id."""
    rule = _RULE.fullmatch(block)
    if rule is None:
        return Markup("<li>{}</li>").format(linked(block[2:], rules))

    number, text = rule.groups()
    others = {name: where for name, where in rules.items() if name != number}
    item = Markup('<li id="{0}"><a class="docs-number" href="#{0}">{0}</a> <span>{1}</span></li>')
    return item.format(number, linked(text, others))


def _list(items: Sequence[Markup]) -> Markup:
    return Markup('<ul class="docs-list">\n{}\n</ul>').format(Markup("\n").join(items))


def _table(lines: Sequence[str], rules: Mapping[str, str]) -> Markup:
    """Return a table. The second line only separates the head from the rows."""
    head, _, *rows = [_cells(line) for line in lines]
    shown_head = _row([_head_cell(cell) for cell in head])
    shown_rows = []
    for first, *others in rows:
        cells = [Markup('<th scope="row">{}</th>').format(linked(first, rules))]
        cells += [Markup("<td>{}</td>").format(linked(cell, rules)) for cell in others]
        shown_rows.append(_row(cells))

    table = Markup(
        '<div class="docs-scroll" role="region" aria-label="Table" tabindex="0">'
        "<table><thead>{}</thead><tbody>{}</tbody></table></div>"
    )
    return table.format(shown_head, Markup().join(shown_rows))


def _head_cell(text: str) -> Markup:
    if not text:
        return Markup("<td></td>")
    return Markup('<th scope="col">{}</th>').format(linked(text, {}))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _row(cells: Sequence[Markup]) -> Markup:
    return Markup("<tr>{}</tr>").format(Markup().join(cells))


def _id_of(title: str) -> str:
    """Return the id of a heading: its words in small letters."""
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))


# ---- marks in a text -----------------------------------------------------------------------

_MARKS = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*([^*]+)\*"), r"<i>\1</i>"),
)
# The mark of a rule that no rulebook states: "[ruling: ...]".
_NOTE = re.compile(r"\[(?:board|assumed|ruling)[^\]]*\]")
_CODE = re.compile(r"(<code>.*?</code>)")
_NUMBER = re.compile(r"\b[A-Z][0-9]+\b")


def inline(text: str) -> Markup:
    """Return a text as HTML with its marks for code, bold and italics. All else is escaped."""
    html = str(escape(text))
    for pattern, replacement in _MARKS:
        html = pattern.sub(replacement, html)
    return Markup(html)  # noqa: S704 - the text was escaped above


def linked(text: str, rules: Mapping[str, str]) -> Markup:
    """Return a text of a rulebook as HTML with marks, notes, and links for numbers of rules.

    rules: the address of each rule, by number.
    """
    pieces = _CODE.split(str(inline(text)))
    html = [piece if _CODE.fullmatch(piece) else _with_links(piece, rules) for piece in pieces]
    return Markup("".join(html))  # noqa: S704 - made of results of `inline`


def _with_links(html: str, rules: Mapping[str, str]) -> str:
    def link(match: re.Match[str]) -> str:
        where = rules.get(match[0])
        return match[0] if where is None else f'<a class="rule" href="{where}">{match[0]}</a>'

    with_links = _NUMBER.sub(link, html)
    return _NOTE.sub(r'<span class="docs-note">\g<0></span>', with_links)
