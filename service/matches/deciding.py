"""From what a caller wants to a commit, exactly once: moves and everything in the lobby go this way."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from domain.errors import RuleBroken
from service.errors import (
    Busy,
    Illegal,
    KeyConflict,
    Overloaded,
    ServiceError,
    Stale,
)
from service.journal.port import Conflict, KeyReused
from service.keys import tokens
from service.ledger.canonical import Json
from service.ledger.commit import StoredCommit
from service.ledger.replay import Loaded
from service.matches import reading
from service.matches.access import enter, remembered
from service.matches.bounds import require_room
from service.matches.committing import commit
from service.matches.desk import Desk
from service.matches.loading import entry_of

TRIES = 8
SINCE = 20  # commits told with a stale version


@dataclass(frozen=True, slots=True)
class Wanted:
    """A command, what must change beside the chain with it, and why it may not be made now, if so."""

    command: Any
    aside: Mapping[str, str | None] = field(default_factory=dict)
    refusal: RuleBroken | Overloaded | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A commit with its secret parts and its receipt; repeated: an earlier request with the same key has made it."""

    entry: StoredCommit
    repeated: bool
    receipt: Json | None

    @property
    def version(self) -> int:
        """The version that the commit made."""
        return self.entry["commit"]["version"]


Want = Callable[[Loaded, tokens.Caller], Wanted]


def make(
    desk: Desk, match: str, token: str | None, want: Want, *,
    expected: int | None = None, key: str = "", mark: str = "",
) -> Made:  # fmt: skip
    """Make the commit that a caller wants. `expected`: the version it was thought up for, if that matters.

    key: the same key never commits twice; mark: tells the request from another with the same key. `want` is asked anew
    whenever another commit came between. Raises what `enter` and `want` raise, Stale, KeyConflict, Busy, Illegal,
    Overloaded.
    """
    if (known := remembered(desk, match, token)) is not None:
        with suppress(
            ServiceError, RuleBroken, Conflict, KeyReused
        ):  # then look first, and tell exactly
            return _once(desk, *known, token, want(*known), expected, key, mark)
    for _ in range(TRIES):
        loaded, caller = enter(desk, match, token)
        wanted = want(loaded, caller)
        command_id = _command_id(caller, key)
        try:
            return _once(desk, loaded, caller, token, wanted, expected, key, mark)
        except (Conflict, RuleBroken, KeyReused, Overloaded) as error:
            if (done := _made_before(desk, match, command_id, mark)) is not None:
                return _repeat(desk, match, done)
            if isinstance(error, Overloaded):
                raise
            if isinstance(error, RuleBroken):
                raise Illegal(error, loaded.version, loaded.match.game.key) from None
            if isinstance(error, Conflict) and expected is not None:
                raise stale(desk, match, token, expected) from None
    raise Busy(
        "the match moved on too often meanwhile; send the request again, with the version you expect"
    )


def _command_id(caller: tokens.Caller, key: str) -> str:
    return f"{caller.name}:{key}" if key else ""


def stale(desk: Desk, match: str, token: str | None, expected: int) -> Stale:
    """Return the error that says where the match is and what has happened since the expected version."""
    loaded, caller = enter(desk, match, token)
    return Stale(expected, loaded.version, reading.commits(desk, loaded, caller, expected, SINCE))


def _once(
    desk: Desk, loaded: Loaded, caller: tokens.Caller, token: str | None, wanted: Wanted,
    expected: int | None, key: str, mark: str,
) -> Made:  # fmt: skip
    if expected is not None and expected != loaded.version:
        raise Conflict(loaded.version)
    if wanted.refusal is not None:
        raise wanted.refusal
    require_room(loaded.version, wanted.command)
    _, appended, written = commit(
        desk, loaded, caller.name, wanted.command, command_id=_command_id(caller, key), fingerprint=mark,
        aside=wanted.aside, holds=(tokens.field(token), caller.name) if token else ("", ""),
    )  # fmt: skip
    if appended.repeated:
        return _repeat(desk, loaded.id, appended.version)
    return _made(desk, written.stored, repeated=False)


def _made_before(desk: Desk, match: str, command_id: str, mark: str) -> int | None:
    if not command_id:
        return None
    try:
        return desk.journal.made(match, command_id, mark)
    except KeyReused:
        raise KeyConflict(
            "this idempotency key was used for another request; send a new key"
        ) from None


def _repeat(desk: Desk, match: str, version: int) -> Made:
    return _made(desk, entry_of(desk, match, version), repeated=True)


def _made(desk: Desk, entry: StoredCommit, *, repeated: bool) -> Made:
    return Made(entry, repeated, reading.receipt(desk, entry))
