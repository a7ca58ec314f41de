"""From the class of a message to what a game does with it."""

from collections.abc import Mapping
from typing import TypeVar

Entry = TypeVar("Entry")


def one_for_each(known: Mapping[str, type], entries: Mapping[type, Entry]) -> dict[type, Entry]:
    """Return the entries by message class, such as the function that carries a command out.

    known: the messages of the game by tag (`COMMANDS`, `EVENTS`). Raises TypeError unless there is
    an entry for each of them and no other, so that a forgotten one shows at the first import.
    """
    classes = set(known.values())
    wrong = classes.symmetric_difference(entries)
    if wrong:
        names = ", ".join(sorted(cls.__name__ for cls in wrong))
        raise TypeError(f"there must be one entry for each message; look at {names}")
    return dict(entries)
