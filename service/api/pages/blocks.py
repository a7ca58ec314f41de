"""Rulebooks in Markdown, as far as they use it: headings, rules, lists, tables, programs, texts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from service.api.pages.prose import linked

_HEADING = re.compile(r"(#+) (.*)")
_RULE = re.compile(r"- ([A-Z][0-9]+) (.*)")
# How lines of tables and of programs begin.
_TABLE = "|"
_PROGRAM = "    "
_PREFORMATTED = (_TABLE, _PROGRAM)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and the id by which a link leads to it."""

    id: str
    title: str


def numbers(text: str) -> list[str]:
    """Return the numbers of the rules that a text states."""
    return re.findall(r"^- ([A-Z][0-9]+) ", text, re.MULTILINE)


def headings(text: str) -> list[Heading]:
    """Return the headings of a text, but for its title."""
    titles = re.findall(r"^#{2,} (.*)$", text, re.MULTILINE)
    return [Heading(_id_of(title), title) for title in titles]


def html(text: str, rules: Mapping[str, str]) -> Markup:
    """Return a text without its title as HTML.

    rules: where each rule is, by its number.
    """
    shown = []
    items: list[Markup] = []  # of the list at hand
    for block in _blocks(text):
        if block.startswith("- "):
            items.append(_item(block, rules))
            continue
        if items:
            shown.append(_list(items))
            items = []
        shown.append(_block(block, rules))

    if items:
        shown.append(_list(items))
    return Markup("\n").join(shown)


def _blocks(text: str) -> Iterator[str]:
    """Yield headings, items and paragraphs, each on one line; tables and programs as they are."""
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

    heading = _HEADING.fullmatch(block)
    if heading is None:
        return Markup("<p>{}</p>").format(linked(block, rules))
    marks, title = heading.groups()
    if marks == "#":
        return Markup()  # the page has its title already
    level = len(marks) + 1  # a rulebook is a part of its page
    return Markup('<h{0} id="{1}">{2}</h{0}>').format(level, _id_of(title), linked(title, {}))


def _item(block: str, rules: Mapping[str, str]) -> Markup:
    """Return an item of a list; a rule has its number as its id."""
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
    """Return a table; the second line stands between the head and the rows."""
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
