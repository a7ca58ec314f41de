"""Texts with a few marks, as HTML: code, bold, italics, notes in brackets, numbers of rules."""

import re
from collections.abc import Mapping

from markupsafe import Markup, escape

_MARKS = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*([^*]+)\*"), r"<i>\1</i>"),
)
# Where a rule is from, if no rulebook states it: "[ruling: ...]".
_NOTE = re.compile(r"\[(?:board|assumed|ruling)[^\]]*\]")
_CODE = re.compile(r"(<code>.*?</code>)")
_NUMBER = re.compile(r"\b[A-Z][0-9]+\b")


def inline(text: str) -> Markup:
    """Return a text with its marks for code, bold and italics shown, and nothing else as HTML."""
    html = str(escape(text))
    for pattern, replacement in _MARKS:
        html = pattern.sub(replacement, html)
    return Markup(html)  # noqa: S704 - what the text says was escaped above


def linked(text: str, rules: Mapping[str, str]) -> Markup:
    """Return a text of a rulebook: its marks and notes shown, and numbers of rules as links.

    rules: where each rule is, by its number.
    """
    pieces = _CODE.split(str(inline(text)))
    shown = [piece if _CODE.fullmatch(piece) else _with_links(piece, rules) for piece in pieces]
    return Markup("".join(shown))  # noqa: S704 - made of what `inline` returns


def _with_links(html: str, rules: Mapping[str, str]) -> str:
    def link(found: re.Match[str]) -> str:
        where = rules.get(found[0])
        return found[0] if where is None else f'<a class="rule" href="{where}">{found[0]}</a>'

    with_links = _NUMBER.sub(link, html)
    return _NOTE.sub(r'<span class="docs-note">\g<0></span>', with_links)
