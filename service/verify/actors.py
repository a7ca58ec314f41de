"""Who could give a command: a commit's actor held against what its command says."""

import re
from typing import Any

from domain.match.messages import (
    Abort,
    EraseName,
    Join,
    Open,
    Replace,
    ReplaceToken,
    Restore,
    RevokeToken,
    Start,
)
from domain.seats import HOUSE_ACTOR, INVITATION, OWNER, PUBLIC, SEAT_ACTOR, seat_actor, seat_of
from service.ledger.commit import Commit
from service.verify.report import Wrong

# Who may join a match in the lobby.
_JOINERS = re.compile("|".join((OWNER, PUBLIC, INVITATION, SEAT_ACTOR)))
_OWNERS_COMMANDS = (Open, Start, Abort, Replace, Restore)


def check_actor(commit: Commit) -> None:
    """Check that a commit's actor is one that could give its command; raises Wrong.

    A command of a seat is the seat's, one of no seat the house's, but the owner's are the owner's
    (M4, M6-M9). Tokens and names are changed by the owner or by the seat named (M13).
    """
    command = commit.command
    if isinstance(command, ReplaceToken | RevokeToken | EraseName):
        if not _may_change(commit.actor, command):
            detail = "its command is not one that its actor could give (M13)"
            raise Wrong(commit.version, "actor_wrong", detail)
        return

    if isinstance(command, Join) and _JOINERS.fullmatch(commit.actor):
        return
    if commit.actor != _actor_of(command):
        detail = "its command is not one that its actor could give"
        raise Wrong(commit.version, "actor_wrong", detail)


def _may_change(actor: str, command: ReplaceToken | RevokeToken | EraseName) -> bool:
    """Return whether an actor may change a token or a name.

    A seat's token is replaced by the seat alone (M13).
    """
    holder = seat_actor(command.seat) if isinstance(command, EraseName) else command.holder
    held_by_seat = seat_of(holder) is not None

    if actor == OWNER:
        return not (isinstance(command, ReplaceToken) and held_by_seat)
    return held_by_seat and actor == holder


def _actor_of(command: Any) -> str:
    """Return the one actor who can give a command."""
    if isinstance(command, _OWNERS_COMMANDS):
        return OWNER
    seat = getattr(command, "seat", None)
    return HOUSE_ACTOR if seat is None else seat_actor(seat)
