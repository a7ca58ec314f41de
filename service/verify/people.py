"""Who acts and who sits at the table, as a commit tells it: checked of every record, played or not.

Nothing of a game is known here, and no message is decoded (docs/fairness.md, section 2).
"""

import re
from typing import Any

from domain.match.messages import (
    Abort,
    EraseName,
    Join,
    Leave,
    Open,
    Replace,
    ReplaceToken,
    Restore,
    RevokeToken,
    Start,
)
from domain.seats import HOUSE_ACTOR, INVITATION, OWNER, PUBLIC, SEAT_ACTOR, seat_actor
from service.ledger.canonical import Json
from service.ledger.commit import Content
from service.verify.report import Wrong

_OWNERS_COMMANDS = (Open.tag, Start.tag, Abort.tag, Replace.tag, Restore.tag)
_CHANGES = (ReplaceToken.tag, RevokeToken.tag, EraseName.tag)
_BESIDE_THE_GAME = (*_CHANGES, Leave.tag, Replace.tag, Restore.tag)
_SEAT = re.compile(SEAT_ACTOR)
_JOINERS = re.compile("|".join((OWNER, PUBLIC, INVITATION, SEAT_ACTOR)))

_MOST_SEATS = 16
_NAME = "(?:[0-9a-f]{64})?"
_HELD = {  # how a seat of each kind is held: patterns of its members
    "human": {"level": "", "name": _NAME, "entropy": "(?:[0-9a-f]{2}){0,32}"},
    "bot": {"level": "[a-z]{1,16}", "name": _NAME, "entropy": ""},
    "open": {"level": "", "name": "", "entropy": ""},
}


def check_people(content: Content) -> None:
    """Check that a commit's actor could give its command, and that seats taken in it can be held.

    Raises Wrong.
    """
    version = content["version"]
    command = content["command"]
    _check_actor(version, content["actor"], command)

    tag = command.get("type")
    if tag == Open.tag:
        _check_seats(content)
    elif tag == Join.tag:
        _check_seat(version, {**command, "kind": "human"})
    elif tag == Replace.tag:
        _check_seat(version, {**command, "kind": "bot"})


def is_beside_the_game(content: Content) -> bool:
    """Return whether a commit changes who sits, a token or a name, and nothing in the game.

    It costs nobody anything, and yet the next draws are those of another version (M10).
    """
    return content["command"].get("type") in _BESIDE_THE_GAME


# ---- who acts --------------------------------------------------------------------------------


def _check_actor(version: int, actor: str, command: Json) -> None:
    """Check that an actor is one that could give a command; raises Wrong.

    A command of a seat is the seat's, one of no seat the house's, but the owner's are the owner's
    (M4, M6-M9). Tokens and names are changed by the owner or by the seat named (M13).
    """
    tag = command.get("type")
    if tag in _CHANGES:
        if not _may_change(actor, command):
            detail = "its command is not one that its actor could give (M13)"
            raise Wrong(version, "actor_wrong", detail)
        return

    if tag == Join.tag and _JOINERS.fullmatch(actor):
        return
    if actor != _actor_of(command):
        detail = "its command is not one that its actor could give"
        raise Wrong(version, "actor_wrong", detail)


def _may_change(actor: str, command: Json) -> bool:
    """Return whether an actor may change a token or a name.

    A seat's token is replaced by the seat alone (M13).
    """
    is_of_name = command["type"] == EraseName.tag
    holder = _holder_of(command) if is_of_name else command.get("holder")
    held_by_seat = isinstance(holder, str) and _SEAT.fullmatch(holder) is not None

    if actor == OWNER:
        return not (command["type"] == ReplaceToken.tag and held_by_seat)
    return held_by_seat and actor == holder


def _actor_of(command: Json) -> str | None:
    """Return the one actor who can give a command, None if nobody can."""
    if command.get("type") in _OWNERS_COMMANDS:
        return OWNER
    return _holder_of(command) if "seat" in command else HOUSE_ACTOR


def _holder_of(command: Json) -> str | None:
    """Return the holder of the seat that a command names, None if there is no such seat."""
    seat = command.get("seat")
    is_number = type(seat) is int and 0 <= seat < _MOST_SEATS
    return seat_actor(seat) if is_number else None


# ---- who sits --------------------------------------------------------------------------------


def _check_seats(content: Content) -> None:
    """Check the seats of the event that opens a match (M1); raises Wrong."""
    version = content["version"]
    seats = content["events"][0].get("seats") if content["events"] else None
    if not isinstance(seats, list) or not 0 < len(seats) <= _MOST_SEATS:
        raise Wrong(version, "bad_seat", f"a match has 1 to {_MOST_SEATS} seats (M1)")
    for seat in seats:
        _check_seat(version, seat)


def _check_seat(version: int, seat: Any) -> None:
    """Check that a seat can be held so (M1, M2, M8); raises Wrong.

    A name that is no digest is refused, because names have no place in the chain.
    """
    if not _can_be_held(seat):
        detail = "a seat cannot be held so (M1): its kind, level, name or entropy is not right"
        raise Wrong(version, "bad_seat", detail)


def _can_be_held(seat: Any) -> bool:
    if not isinstance(seat, dict):
        return False

    kind = seat.get("kind")
    patterns = _HELD.get(kind) if isinstance(kind, str) else None
    return patterns is not None and all(
        _is_text(seat.get(member, ""), pattern) for member, pattern in patterns.items()
    )


def _is_text(value: Any, pattern: str) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None
