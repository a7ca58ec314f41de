"""What `giornale serve` says of its parts: one line a fact."""

import re
from contextlib import suppress

import click


def print_news(name: str, news: str) -> None:
    """Print a line about a part."""
    with suppress(OSError):  # whoever read this may have gone; the service stays
        click.echo(f"{name:<8} {news}")


class NewsOf:
    """Says what is new of one part."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last_sentence = ""

    def tell(self, news: str) -> None:
        """Print a line."""
        print_news(self._name, news)
        self._last_sentence = ""

    def tell_once(self, news: str) -> None:
        """Print a line, unless the last one was the same but for its numbers."""
        sentence = re.sub(r"\d+", "", news)
        if sentence != self._last_sentence:
            print_news(self._name, news)
        self._last_sentence = sentence
