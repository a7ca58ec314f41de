"""Changes of tokens and names: told in the history by a commit, or beside it where no commit can be made (M13).

Tokens and names lie in the side table, outside the chain. The chain only tells that one was replaced, revoked or
erased, by whom and whose it was. After the revelation, which is the last commit of all, and where commits of this kind
have become too many, a dated note in the side table tells it instead:

    changed:TIME:NONCE   "EVENT HOLDER", such as "token_replaced spectator" or "name_erased seat:1"
    traced:ACTOR         how many commits of this kind an actor has made
"""

from collections.abc import Mapping
from dataclasses import dataclass

from domain.errors import RuleBroken
from domain.match.messages import (
    EraseName,
    NameErased,
    ReplaceToken,
    RevokeToken,
    TokenReplaced,
    TokenRevoked,
)
from service.journal.port import Conflict
from service.keys import tokens
from service.ledger.canonical import Json
from service.ledger.replay import Loaded
from service.ledger.times import milliseconds, timestamp
from service.matches.bounds import MOST_COMMITS_AROUND
from service.matches.committing import commit
from service.matches.desk import Desk

TRACED_EACH = 20  # commits of this kind that one actor may make in a match
NOTES = 20  # notes kept beside the history

_CHANGED = "changed:"
_TRACED = "traced:"
_NAMES = {ReplaceToken: TokenReplaced.tag, RevokeToken: TokenRevoked.tag, EraseName: NameErased.tag}


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the side table and the command that tells of it.

    aside: fields to set (None: to delete).   holds: a field and what it must still hold, or nothing is changed.
    command_id: under which the commit is remembered, "" for none.
    """

    command: ReplaceToken | RevokeToken | EraseName
    aside: Mapping[str, str | None]
    holds: tuple[str, str]
    command_id: str = ""


def make(
    desk: Desk, loaded: Loaded, caller: tokens.Caller, change: Change, asides: Mapping[str, str]
) -> bool:
    """Make a change and tell of it; return false if the match or its tokens have changed meanwhile.

    `asides`: the match's side table, read after `loaded` was.
    """
    made_before = int(asides.get(_TRACED + caller.name, "0"))
    if loaded.match.revealed or loaded.version >= MOST_COMMITS_AROUND or made_before >= TRACED_EACH:
        return _beside(desk, loaded, change, asides)

    counted = {**change.aside, _TRACED + caller.name: str(made_before + 1)}
    try:
        _, appended, _ = commit(
            desk, loaded, caller.name, change.command,
            command_id=change.command_id, aside=counted, holds=change.holds,
        )  # fmt: skip
    except Conflict:
        return False
    except (
        RuleBroken
    ):  # another rule bounds the commits of a match: the change itself is never refused
        return _beside(desk, loaded, change, asides)
    return not appended.repeated


def told(asides: Mapping[str, str]) -> list[Json]:
    """Return the notes beside a history, oldest first: "at", "what" and "holder" or "seat"."""
    return [_shown(field, asides[field]) for field in _notes(asides)[-NOTES:]]


def _beside(desk: Desk, loaded: Loaded, change: Change, asides: Mapping[str, str]) -> bool:
    """Make a change without a commit, with a note; the oldest notes make room for it."""
    command = change.command
    holder = f"seat:{command.seat}" if isinstance(command, EraseName) else command.holder
    at = timestamp(max(desk.clock(), milliseconds(loaded.time)))

    note = {f"{_CHANGED}{at}:{tokens.nonce()[:8]}": f"{_NAMES[type(command)]} {holder}"}
    forgotten: dict[str, str | None] = dict.fromkeys(_notes(asides)[: 1 - NOTES])
    return desk.journal.put_aside(loaded.id, {**forgotten, **change.aside, **note}, change.holds)


def _notes(asides: Mapping[str, str]) -> list[str]:
    """Return the fields of all notes, oldest first."""
    return sorted(field for field in asides if field.startswith(_CHANGED))


def _shown(field: str, note: str) -> Json:
    at = field.removeprefix(_CHANGED).rpartition(":")[0]
    what, _, holder = note.partition(" ")
    if what == NameErased.tag:
        return {"at": at, "what": what, "seat": tokens.caller(holder).seat}
    return {"at": at, "what": what, "holder": holder}
