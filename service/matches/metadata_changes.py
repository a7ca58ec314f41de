"""Changes of tokens and names: told in the history by a commit, or by a note beside it (M13).

Tokens and names lie in the sidecar, outside the chain. The chain only tells that one was
replaced, revoked or erased, by whom and whose it was. After the revelation, which is the last
commit of all, and where commits of this kind have become too many, a dated note in the sidecar
tells it instead:

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
from domain.match.state import Match
from domain.seats import OWNER, seat_actor, seat_of
from service.errors import Busy, NotFound, refused
from service.journal.errors import Conflict
from service.keys import tokens
from service.keys.tokens import Caller
from service.ledger.commit import Json, digest, milliseconds, parse_object, timestamp
from service.ledger.replay import Loaded
from service.matches.command_handler import MOST_COMMITS_AROUND, TRIES, Act, commit, enter
from service.matches.context import Context
from service.verify.report import Wrong

# §§§ service.matches.metadata_changes


TRACED_EACH = 20  # commits of this kind that one actor may make in a match
NOTES = 20  # notes kept beside the history

_CHANGED = "changed:"
_TRACED = "traced:"
_EVENTS = {
    ReplaceToken: TokenReplaced.tag,
    RevokeToken: TokenRevoked.tag,
    EraseName: NameErased.tag,
}


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the sidecar and the command that tells of it.

    sidecar: fields to set (None: to delete).
    holds: a field and what it must still hold, or nothing is changed.
    command_id: under which the commit is remembered, "" for none.
    """

    command: ReplaceToken | RevokeToken | EraseName
    sidecar: Mapping[str, str | None]
    holds: tuple[str, str]
    command_id: str = ""


def make(
    ctx: Context, loaded: Loaded, caller: Caller, change: Change, sidecar: Mapping[str, str]
) -> bool:
    """Make a change and tell of it; return false if the match or its tokens have changed meanwhile.

    sidecar: the match's sidecar, read after `loaded` was.
    """
    traced = _TRACED + caller.name
    made_before = int(sidecar.get(traced, "0"))
    has_room = loaded.version < MOST_COMMITS_AROUND and made_before < TRACED_EACH
    if loaded.match.revealed or not has_room:
        return _change_with_note(ctx, loaded, change, sidecar)

    act = Act(
        actor=caller.name,
        command=change.command,
        sidecar={**change.sidecar, traced: str(made_before + 1)},
        command_id=change.command_id,
        holds=change.holds,
    )
    try:
        committed = commit(ctx, loaded, act)
    except Conflict:
        return False
    except RuleBroken:
        # Another rule bounds the commits of a match. The change itself is never refused.
        return _change_with_note(ctx, loaded, change, sidecar)
    return committed.earlier_version is None


def told(sidecar: Mapping[str, str]) -> list[Json]:
    """Return the notes beside a history, oldest first: "at", "what" and "holder" or "seat"."""
    return [_read_note(field, sidecar[field]) for field in _note_fields(sidecar)[-NOTES:]]


def _change_with_note(
    ctx: Context, loaded: Loaded, change: Change, sidecar: Mapping[str, str]
) -> bool:
    """Make a change without a commit, with a note; the oldest notes make room for it.

    Returns whether what must still hold did.
    """
    command = change.command
    event = _EVENTS[type(command)]
    holder = seat_actor(command.seat) if isinstance(command, EraseName) else command.holder

    at = timestamp(_time_of_note(ctx, loaded, sidecar))
    field = f"{_CHANGED}{at}:{tokens.nonce()[:8]}"
    fields = {
        **_without_oldest_notes(sidecar),
        **change.sidecar,
        field: f"{event} {holder}",
    }
    return ctx.journal.metadata.put(loaded.id, fields, change.holds)


def _time_of_note(ctx: Context, loaded: Loaded, sidecar: Mapping[str, str]) -> int:
    """Return when a new note is made, in milliseconds since the epoch.

    It comes after every other note, also one of the same millisecond: notes are told by their time.
    """
    now = max(ctx.clock(), milliseconds(loaded.time))
    fields = _note_fields(sidecar)
    return max(now, milliseconds(_time_in(fields[-1])) + 1) if fields else now


def _without_oldest_notes(sidecar: Mapping[str, str]) -> dict[str, str | None]:
    """Return the fields of notes to be deleted, so that there is room for one more."""
    oldest = _note_fields(sidecar)[: 1 - NOTES]
    return dict.fromkeys(oldest)


def _note_fields(sidecar: Mapping[str, str]) -> list[str]:
    """Return the fields of all notes, oldest first."""
    return sorted(field for field in sidecar if field.startswith(_CHANGED))


def _time_in(field: str) -> str:
    """Return when the note of a field was made, as the field tells it."""
    at, _, _nonce = field.removeprefix(_CHANGED).rpartition(":")
    return at


def _read_note(field: str, note: str) -> Json:
    at = _time_in(field)
    what, _, holder = note.partition(" ")
    if what == NameErased.tag:
        return {"at": at, "what": what, "seat": seat_of(holder)}
    return {"at": at, "what": what, "holder": holder}


# §§§ service.matches.metadata_changes
# Names: personal data, which must be erasable.
#
# They are kept beside the chain and bound to it by a salted digest.


def erase(ctx: Context, match_id: str, token: str | None, seat: int) -> None:
    """Forget the name of a seat's holder, for its holder or the owner.

    Its digest stays, but nobody knows the salt. History tells that it was done (M13). Erasing again
    is no error and leaves no trace. Raises NotFound, Unauthorized, Forbidden, Busy.
    """
    field = f"name:{seat}"
    for _ in range(TRIES):
        loaded, caller = enter(ctx, match_id, token)
        if caller.role != OWNER and caller.seat != seat:
            raise refused(caller.role, "a name is erased by its bearer or the owner")
        if seat not in range(len(loaded.match.seats)):
            raise NotFound(f"match {match_id} has no seat {seat}")

        sidecar = ctx.journal.metadata.fields(match_id)
        if field not in sidecar:
            return

        change = Change(
            command=EraseName(seat),
            sidecar={field: None},
            holds=(tokens.field(token or ""), caller.name),
        )
        if make(ctx, loaded, caller, change, sidecar):
            return
    raise Busy("the match moved on too often meanwhile; send the request again")


def fault(match: Match, sidecar: Mapping[str, str]) -> Wrong | None:
    """Return what is wrong with the names kept.

    Each must be the one that the chain holds the digest of.
    """
    for number, seat in enumerate(match.seats):
        kept = sidecar.get(f"name:{number}")
        if kept is None or not seat.name:
            continue

        if digest(parse_object(kept.encode())) != seat.name:
            detail = f"the name kept for seat {number} is not the one that the chain holds"
            return Wrong(0, "name_differs", detail)
    return None
