"""Tables of figures, written into a page of the docs between two marks."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"

Cell = str | int


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("|" + "|".join(_padded(cell) for cell in line) + "|" for line in lines)


def _padded(cell: Cell) -> str:
    text = str(cell)
    return text if text == "---" else f" {text} " if text else " "


def put_tables(page: Path, tables: Mapping[str, str]) -> None:
    """Put each table into a page, in the place of the one between the marks of its name.

    Raises ValueError if the page has no such marks.
    """
    text = page.read_text()
    for name, content in tables.items():
        begin, end = f"<!-- figures: {name} -->", f"<!-- end of {name} -->"
        start, stop = text.index(begin) + len(begin), text.index(end)
        text = f"{text[:start]}\n\n{content}\n\n{text[stop:]}"
    page.write_text(text)
