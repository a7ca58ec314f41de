"""Metadata changes: tokens and names, each change in the change log or as a commit (M13).

Tokens and names are metadata, outside the chain. The chain only says that one was replaced, revoked
or erased, by whom and whose it was. After the revelation, which is the last commit of all, and
where commits of this kind have become too many, a dated entry of the change log says it instead:

    changed:TIME:NONCE   "EVENT HOLDER", such as "token_replaced spectator" or "name_erased seat:1"
    traced:ACTOR         how many commits of this kind an actor has made; "rematch|seat:N": how many
                         have replaced the token of a kept seat (M20)
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from domain.errors import RuleBroken
from domain.match import messages
from domain.match.state import Match
from domain.seats import OWNER, seat_actor, seat_of
from service.base import answers
from service.base.errors import Busy, Forbidden, NotFound, refused
from service.base.metadata_fields import COUNT, NOTE
from service.matches.access import Access, enter
from service.matches.command_handler import (
    LAST_SEAT_CHANGE,
    TRIES,
    Act,
    Submission,
    commit,
    require_signature,
    stale,
)
from service.matches.context import Context
from service.matches.repository import load_head
from service.matches.seats import name_field
from service.record.commit import digest, milliseconds, parse_object, timestamp
from service.record.replay import Loaded
from service.record.verify.report import Wrong
from service.store.journal.errors import Conflict
from service.store.keys import tokens

TRACED_EACH = 20  # commits of this kind that one actor may make in a match
NOTES = 20  # entries of the change log


@dataclass(frozen=True, slots=True)
class MetadataChange:
    """A change of the metadata, and the command that records it.

    metadata: fields to set (None: to delete).
    precondition: a field and what it must still hold, or nothing is changed.
    command_id: under which the commit is remembered, "" for none.
    is_always_told: until the revelation it is made with a commit or not at all.
    counted_for: owner of the count for the limit TRACED_EACH, "" for the actor.
    """

    command: messages.ReplaceToken | messages.RevokeToken | messages.EraseName
    metadata: Mapping[str, str | None]
    precondition: tuple[str, str]
    command_id: str = ""
    is_always_told: bool = False
    counted_for: str = ""


def make(
    ctx: Context,
    access: Access,
    submission: Submission,
    change: MetadataChange,
    metadata: Mapping[str, str],
) -> bool:
    """Make a change and record it; return false if the match or its tokens have changed meanwhile.

    metadata: the match's, read after `access` was given.
    Raises Forbidden for a change that is always told and cannot be told in the history any more,
    Stale, and of a seat with a key what `require_signature` raises.
    """
    if submission.expected is not None and not submission.fits(access.head):
        raise stale(ctx, submission, submission.expected)

    actor = access.caller.name
    traced = COUNT + (change.counted_for or actor)
    made_before = int(metadata.get(traced, "0"))
    loaded = load_head(ctx, access)
    act = Act(
        actor=actor,
        command=change.command,
        metadata={**change.metadata, traced: str(made_before + 1)},
        command_id=change.command_id,
        precondition=change.precondition,
        signature=submission.signature,
    )
    # What a key has signed takes the place of the next commit, so it must become one.
    change = replace(change, is_always_told=change.is_always_told or _is_signed(loaded, act))
    has_room = access.version < LAST_SEAT_CHANGE and made_before < TRACED_EACH
    if not has_room:
        _check_may_be_a_note(access, change)
    # A change after the revelation is signed as well, or a thief of the token could make it.
    require_signature(submission, loaded, act)

    if access.head.final or not has_room:
        _check_may_be_a_note(access, change)
        return _change_with_note(ctx, access, change, metadata)

    try:
        committed = commit(ctx, loaded, act)
    except Conflict:
        return False
    except RuleBroken:
        # Another rule bounds the commits of a match.
        _check_may_be_a_note(access, change)
        return _change_with_note(ctx, access, change, metadata)
    return not committed.repeated


def _is_signed(loaded: Loaded, act: Act) -> bool:
    """Return True if the key of an acting seat must sign an act (M18)."""
    seat = seat_of(act.actor)
    return seat is not None and loaded.match.seats[seat].signs(act.command.tag)


def change_log(metadata: Mapping[str, str]) -> list[answers.Beside]:
    """Return the changes without a commit, oldest first: "at", "what" and "holder" or "seat"."""
    return [_read_note(field, metadata[field]) for field in _note_fields(metadata)[-NOTES:]]


def _check_may_be_a_note(access: Access, change: MetadataChange) -> None:
    """Raise Forbidden for a change that the history must tell, while anything is secret."""
    if change.is_always_told and not access.head.final:
        raise Forbidden("the history has no room to tell it any more, so it is not done")


def _change_with_note(
    ctx: Context, access: Access, change: MetadataChange, metadata: Mapping[str, str]
) -> bool:
    """Make a change without a commit, with a note; the oldest notes make room for it.

    Returns whether the precondition held.
    """
    command = change.command
    [event] = messages.COMMAND_RULES[type(command)].causes
    holder = seat_actor(command.seat) if isinstance(command, messages.EraseName) else command.holder

    at = timestamp(_time_of_note(ctx, access, metadata))
    field = f"{NOTE}{at}:{tokens.nonce()[:8]}"
    fields = {
        **_without_oldest_notes(metadata),
        **change.metadata,
        field: f"{event.tag} {holder}",
    }
    try:
        return ctx.journal.metadata.put(access.match, fields, change.precondition)
    except Conflict:  # the match was deleted meanwhile
        return False


def _time_of_note(ctx: Context, access: Access, metadata: Mapping[str, str]) -> int:
    """Return when a new note is made, in milliseconds since the epoch.

    It comes after every other note, also one of the same millisecond: their times sort them.
    """
    now = max(ctx.clock(), access.head.updated)
    fields = _note_fields(metadata)
    return max(now, milliseconds(_time_in(fields[-1])) + 1) if fields else now


def _without_oldest_notes(metadata: Mapping[str, str]) -> dict[str, str | None]:
    """Return the fields of notes to be deleted, so that there is room for one more."""
    oldest = _note_fields(metadata)[: 1 - NOTES]
    return dict.fromkeys(oldest)


def _note_fields(metadata: Mapping[str, str]) -> list[str]:
    """Return the fields of all notes, oldest first."""
    return sorted(field for field in metadata if field.startswith(NOTE))


def _time_in(field: str) -> str:
    """Return when the note of a field was made, as the field says."""
    at, _, _nonce = field.removeprefix(NOTE).rpartition(":")
    return at


def _read_note(field: str, note: str) -> answers.Beside:
    at = _time_in(field)
    what, _, holder = note.partition(" ")
    seat = seat_of(holder)
    if what == messages.NameErased.tag and seat is not None:
        return {"at": at, "what": what, "seat": seat}
    return {"at": at, "what": what, "holder": holder}


# Names: personal data, which must be erasable. They are stored beside the chain, and bound to it by
# a salted digest.


def erase(ctx: Context, submission: Submission, seat: int) -> None:
    """Forget the name of a seat's holder, for its holder or the owner.

    Its digest stays, but the salt is lost. The history says that it was done (M13). Erasing again
    is no error and is not recorded. Raises NotFound, Unauthorized, Forbidden, Busy, and what
    `make` raises.
    """
    match_id, token = submission.match, submission.token
    field = name_field(seat)
    for _ in range(TRIES):
        access = enter(ctx, match_id, token)
        caller = access.caller
        if caller.role != OWNER and caller.seat != seat:
            raise refused(caller.role, "a name is erased by its bearer or the owner")
        if seat not in range(len(load_head(ctx, access).match.seats)):
            raise NotFound(f"match {match_id} has no seat {seat}")

        metadata = ctx.journal.metadata.fields(match_id)
        if field not in metadata:
            return

        change = MetadataChange(
            command=messages.EraseName(seat),
            metadata={field: None},
            precondition=(tokens.field(token or ""), caller.name),
        )
        if make(ctx, access, submission, change, metadata):
            return
    raise Busy("the match moved on too often meanwhile; send the request again")


def fault(match: Match, metadata: Mapping[str, str]) -> Wrong | None:
    """Return what is wrong with the stored names.

    Each must be the one that the chain holds the digest of.
    """
    for number, seat in enumerate(match.seats):
        stored = metadata.get(name_field(number))
        if stored is None or not seat.name:
            continue

        if digest(parse_object(stored.encode())) != seat.name:
            detail = f"the name kept for seat {number} is not the one that the chain holds"
            return Wrong(0, "name_differs", detail)
    return None
