"""Dispatch knows every message of a game."""

import pytest

from domain.kit import one_for_each


class Placed:
    """A message."""


class Taken:
    """Another message."""


KNOWN = {"placed": Placed, "taken": Taken}


def test_each_message_has_its_entry() -> None:
    """What is given for each message is found by its class."""
    entries = one_for_each(KNOWN, {Placed: "on placed", Taken: "on taken"})

    assert entries == {Placed: "on placed", Taken: "on taken"}


def test_a_forgotten_message_is_told() -> None:
    """A message without an entry fails where the table is made, not when it first comes."""
    with pytest.raises(TypeError, match=r"look at Taken$"):
        one_for_each(KNOWN, {Placed: "on placed"})


def test_an_unknown_message_is_told() -> None:
    """An entry for something that is no message of the game fails as well."""
    with pytest.raises(TypeError, match=r"look at int$"):
        one_for_each(KNOWN, {Placed: "on placed", Taken: "on taken", int: "on int"})
