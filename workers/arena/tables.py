"""Tables, as Markdown and as aligned text for terminals."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title; every row has a cell for each column."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Return the table as Markdown, under a heading."""
        ruler = ["---"] * len(self.columns)
        lines = [_markdown_row(row) for row in (self.columns, ruler, *self.rows)]
        return "\n".join([f"### {self.title}", "", *lines, ""])

    def text(self) -> str:
        """Return the table as text of aligned columns, under its title."""
        widths = [
            max(len(cell) for cell in cells) for cells in zip(self.columns, *self.rows, strict=True)
        ]
        ruler = ["-" * width for width in widths]
        lines = [_text_row(row, widths) for row in (self.columns, ruler, *self.rows)]
        return "\n".join([self.title, "", *lines, ""])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text_row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
    return "  ".join(padded).rstrip()
