"""Metadata changes: tokens and names, each change in the change log or as a commit (M13).

Tokens and names are metadata, outside the chain. A commit only records that a token was replaced or
revoked, or a name erased, with the actor and the holder. A dated entry of the change log (a note)
records the change instead if no commit can: after the revelation (the last commit of all), if the
match has too many commits, if the actor has made too many commits of this kind, or if the rules
refuse the commit. The metadata have these fields for notes and counts:

    changed:TIME:NONCE   "EVENT HOLDER", such as "token_replaced spectator" or "name_erased seat:1"
    traced:ACTOR         number of commits of this kind by an actor. "rematch|seat:N": number of
                         replacements of a kept seat's token (M20)
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from domain.errors import RuleBroken
from domain.match import messages
from domain.match.state import Match
from domain.seats import OWNER, seat_actor, seat_of
from service.base import answers
from service.base.errors import Busy, Forbidden, NoSuchSeat, refused
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
from service.record.commit import digest, milliseconds, parse_object, timestamp
from service.record.replay import Loaded
from service.record.verify.report import Wrong
from service.store.journal.errors import Conflict
from service.store.keys import tokens
from service.store.seat_holders import name_field

TRACED_EACH = 20  # most commits of this kind by one actor in a match
NOTES = 20  # most entries of the change log


@dataclass(frozen=True, slots=True)
class MetadataChange:
    """A change of the metadata, and the command that records it.

    metadata: fields to set (None: to delete).
    precondition: a field, and the value that it must have for the change.
    command_id: id by which a repeat finds the commit, "" for none.
    is_always_told: True if the change needs a commit until the revelation.
    counted_for: name of the count for the limit TRACED_EACH, "" for the actor's.
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
    """Make a change and record it. Return False if a new try is needed.

    That is so if the match or its metadata have changed meanwhile, or if an earlier request with
    the same command id made the change.
    metadata: the match's, read after `access` was given.
    Raises Forbidden if a change needs a commit and the match takes none, Stale, and the errors of
    `require_signature`.
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
    # A signature by the seat's key is for the next commit, so the change needs this commit.
    change = replace(change, is_always_told=change.is_always_told or _is_signed(loaded, act))
    has_room = access.version < LAST_SEAT_CHANGE and made_before < TRACED_EACH
    if not has_room:
        _check_may_be_a_note(access, change)
    # Also after the revelation: an unsigned change could be made by a thief of the token.
    require_signature(submission, loaded, act)

    if access.head.final or not has_room:
        _check_may_be_a_note(access, change)
        return _change_with_note(ctx, access, change, metadata)

    try:
        committed = commit(ctx, loaded, act)
    except Conflict:
        return False
    except RuleBroken:
        # The rules refuse every commit, for example if the secret of the match is unknown.
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
    """Raise Forbidden for a change that needs a commit, before the revelation."""
    if change.is_always_told and not access.head.final:
        raise Forbidden("nothing was done: the history has no room left to tell it")


def _change_with_note(
    ctx: Context, access: Access, change: MetadataChange, metadata: Mapping[str, str]
) -> bool:
    """Make a change with a note, not a commit. The oldest notes make room for the new one.

    Return False if the precondition did not hold, or if the match was deleted.
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
    """Return the time of a new note, in milliseconds since the epoch.

    Notes are sorted by time, so a new note gets a later time than every other note.
    """
    now = max(ctx.clock(), access.head.updated)
    fields = _note_fields(metadata)
    return max(now, milliseconds(_time_in(fields[-1])) + 1) if fields else now


def _without_oldest_notes(metadata: Mapping[str, str]) -> dict[str, str | None]:
    """Return the fields of notes to delete, with None, to make room for one more."""
    oldest = _note_fields(metadata)[: 1 - NOTES]
    return dict.fromkeys(oldest)


def _note_fields(metadata: Mapping[str, str]) -> list[str]:
    """Return the fields of all notes, oldest first."""
    return sorted(field for field in metadata if field.startswith(NOTE))


def _time_in(field: str) -> str:
    """Return the time in the field of a note."""
    at, _, _nonce = field.removeprefix(NOTE).rpartition(":")
    return at


def _read_note(field: str, note: str) -> answers.Beside:
    at = _time_in(field)
    what, _, holder = note.partition(" ")
    seat = seat_of(holder)
    if what == messages.NameErased.tag and seat is not None:
        return {"at": at, "what": what, "seat": seat}
    return {"at": at, "what": what, "holder": holder}


# Names are personal data and must be erasable. They are stored beside the chain, and bound to it by
# a salted digest.


def erase(ctx: Context, submission: Submission, seat: int) -> None:
    """Erase the name of a seat's holder. The holder and the owner of the match may do this.

    The digest of the name stays in the chain, but its salt is lost. A commit or a note records the
    erasure (M13). Erasing again is no error, and changes nothing. Raises Unauthorized, Forbidden,
    NoSuchSeat, Busy, and the errors of `enter` and `make`.
    """
    match_id, token = submission.match, submission.token
    field = name_field(seat)
    for _ in range(TRIES):
        access = enter(ctx, match_id, token)
        caller = access.caller
        if caller.role != OWNER and caller.seat != seat:
            raise refused(caller.role, "only its bearer or the owner erases a name")
        count = len(load_head(ctx, access).match.seats)
        if seat >= count:
            raise NoSuchSeat(count)

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
    raise Busy("the match changed too often. Send the request again")


def fault(match: Match, metadata: Mapping[str, str]) -> Wrong | None:
    """Return a fault if a stored name does not fit its digest in the chain, None if all fit."""
    for number, seat in enumerate(match.seats):
        stored = metadata.get(name_field(number))
        if stored is None or not seat.name:
            continue

        if digest(parse_object(stored.encode())) != seat.name:
            detail = f"the stored name of seat {number} does not fit its digest in the chain"
            return Wrong(0, "name_differs", detail)
    return None
