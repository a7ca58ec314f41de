"""What a server shows of a match, as far as its form goes: anybody may serve anything."""

from typing import Any

_KINDS = ("human", "bot", "open")


def is_line(line: Any) -> bool:
    """Return whether a value has the form of a line of a story."""
    if not isinstance(line, dict):
        return False
    sentences = line.get("sentences")
    is_told = isinstance(sentences, list) and all(map(_is_sentence, sentences))
    return is_told and isinstance(line.get("version"), int)


def are_seats(seats: Any) -> bool:
    """Return whether a value has the form of the seats of a match, by their numbers."""
    if not isinstance(seats, list):
        return False
    return all(_is_seat(seat, number) for number, seat in enumerate(seats))


def _is_seat(seat: Any, number: int) -> bool:
    if not isinstance(seat, dict):
        return False
    is_named = isinstance(seat.get("name", ""), str)
    return is_named and seat.get("seat") == number and seat.get("kind") in _KINDS


def _is_sentence(sentence: Any) -> bool:
    if not isinstance(sentence, dict):
        return False
    heading = sentence.get("heading", {"title": ""})
    rules = sentence.get("rules")
    return (
        isinstance(sentence.get("text"), str)
        and isinstance(rules, list)
        and all(isinstance(rule, str) for rule in rules)
        and isinstance(heading, dict)
        and isinstance(heading.get("title"), str)
    )
