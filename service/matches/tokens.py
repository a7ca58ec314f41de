"""Tokens: replace and revoke them, with a commit or a note of each change (M13)."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

from domain.match.messages import ReplaceToken, RevokeToken
from domain.seats import INVITATION, OWNER, SPECTATOR, seat_actor, seat_of
from service.base.errors import Busy, Forbidden, KeyConflict, NotFound, echoed, refused
from service.base.metadata_fields import (
    HOLDER,
    REPLACEMENT,
    REPLACEMENT_0_1_0,
    TOKEN,
    fields_beside_holder,
)
from service.matches import metadata_changes
from service.matches.access import Access, enter, enter_as_operator, not_a_token
from service.matches.command_handler import TRIES, Submission
from service.matches.context import Context
from service.matches.repository import load_head
from service.record.terms.sides import may_open_seats
from service.store.keys import tokens
from service.store.keys.tokens import Caller
from service.store.seat_holders import fields_of_seat

# To answer a repeated request, the metadata hold the last replacement of each holder's token, if
# that request had an idempotency key. The first release stored all such replacements.

_DROPPED_AT_ONCE = 1000  # fields. A Lua script of the journal can drop a few thousand at once


@dataclass(frozen=True, slots=True)
class Replacement:
    """A stored replacement of a token.

    target: holder in the request, "" for the bearer's own token.   holder: holder of the token.
    nonce: part of the derivation of the new token.
    """

    target: str
    holder: str
    nonce: str


def field_of(holder: str) -> str:
    """Return the field with the last replacement of a holder's token."""
    return REPLACEMENT + holder


def fields_to_drop_with_seat(metadata: Mapping[str, str], seat: int) -> dict[str, str | None]:
    """Return the fields to delete if the house opens a seat again (M19).

    These are the fields of the seat's tokens, name and webhook.
    """
    return {
        **_token_fields_to_drop(metadata, seat_actor(seat)),
        **dict.fromkeys(fields_of_seat(seat)),
    }


def request_digest(token: str | None, key: str) -> str:
    """Return the command id of a replacement: a digest of the bearer and the idempotency key."""
    bearer = tokens.field(token or "")
    digest = hashlib.sha256(f"{bearer}|{key}".encode()).hexdigest()
    return f"rotate:{digest}"


def replacement_text(request: str, target: str | None, nonce: str) -> str:
    """Return a replacement in its stored form. target: None for the bearer's own token."""
    return f"{request} {target or '-'} {nonce}"


def fields_of_first_release(metadata: Mapping[str, str], holder: str) -> list[str]:
    """Return fields with a holder's replacements in the form of the first release.

    At most _DROPPED_AT_ONCE: later replacements delete the rest.
    """
    remembered = (
        field
        for field, answer in metadata.items()
        if field.startswith(REPLACEMENT_0_1_0) and answer.partition("|")[2] == holder
    )
    return list(islice(remembered, _DROPPED_AT_ONCE))


def earlier_replacement(
    ctx: Context, match_id: str, token: str | None, key: str
) -> Replacement | None:
    """Return the replacement by an earlier request of the same bearer with the same key.

    None without one. The bearer's token may be replaced by now. Raises KeyConflict if the earlier
    request made a commit, and its new token no longer counts.
    """
    if not token or not key:
        return None

    # Look for the commit first: if it exists, the metadata read after that have the replacement.
    request = request_digest(token, key)
    version = ctx.journal.events.version_made(match_id, request, "")
    metadata = ctx.journal.metadata.fields(match_id)

    for field, remembered in metadata.items():
        if field.startswith(REPLACEMENT) and remembered.startswith(f"{request} "):
            _, target, nonce = remembered.split(" ", 2)
            return Replacement(
                target=target.replace("-", ""),
                holder=field.removeprefix(REPLACEMENT),
                nonce=f"{nonce}|{key}",
            )

    of_first_release = _of_first_release(metadata, token, key)
    if of_first_release is None and version is not None:
        raise KeyConflict("this idempotency key made a token that no longer works. Send a new key")
    return of_first_release


def _of_first_release(metadata: Mapping[str, str], token: str, key: str) -> Replacement | None:
    """Return a replacement stored by the first release, None without one."""
    key_digest = hashlib.sha256(f"rotate|{key}".encode()).hexdigest()
    remembered = metadata.get(f"{REPLACEMENT}{tokens.field(token)}:{key_digest}")
    if remembered is None:
        return None
    target, _, holder = remembered.partition("|")
    return Replacement(target, holder, nonce=f"rotate|{key}")


SHARED = (SPECTATOR, INVITATION)
_MOVED_ON = "the match changed too often. Send the request again"


@dataclass(frozen=True, slots=True)
class Rotated:
    """A new token and its holder.

    repeated: True if an earlier request with the same key made it.
    """

    holder: str
    token: str
    repeated: bool


def rotate(ctx: Context, submission: Submission, holder: str | None) -> Rotated:
    """Replace a token, or make one if it may be made (`_may_be_made`).

    holder: None for the caller's own token. The owner also replaces the tokens of spectators, of
        the invited, and of a human's seat. Until the revelation the owner replaces a seat's token
        only with a commit, because any holder of this token sees the seat's secrets.
    A repeat with the same token and key gets the same answer again, until the next replacement.
    Raises NotFound, Unauthorized, Forbidden, KeyConflict, Busy, and the errors of `enter` and
    `metadata_changes.make`.
    """
    match_id, token, key = submission.match, submission.token, submission.key
    for _ in range(TRIES):
        earlier = earlier_replacement(ctx, match_id, token, key)
        if earlier is not None:
            return _answer_again(ctx, match_id, holder, earlier)

        access = enter(ctx, match_id, token)
        caller = access.caller
        name = holder or caller.name
        _check_may_replace(caller, name)

        metadata = ctx.journal.metadata.fields(match_id)
        _check_still_counts(metadata, token)
        if HOLDER + name not in metadata and not _may_be_made(ctx, access, name):
            raise NotFound(f"the match has no token for {name}")

        nonce = f"rotate|{metadata.get(HOLDER + name, '')}|{tokens.nonce()}"
        fresh = tokens.make(ctx.secret, match_id, name, f"{nonce}|{key}")
        request = request_digest(token, key) if key else ""
        remembered = replacement_text(request, holder, nonce) if key else None

        change = metadata_changes.MetadataChange(
            command=ReplaceToken(name),
            metadata={
                **_token_fields_to_drop(metadata, name),
                **tokens.held(name, fresh),
                field_of(name): remembered,
                **_fields_to_drop_for_others(caller, name),
            },
            precondition=_precondition(metadata, name, caller, token),
            command_id=request,
            is_always_told=_is_always_told(ctx, access, name),
        )
        if metadata_changes.make(ctx, access, submission, change, metadata):
            return Rotated(name, fresh, repeated=False)
    raise Busy(_MOVED_ON)


def hand_on(
    ctx: Context,
    match_id: str,
    name: str,
    fields: Mapping[str, str | None],
    metadata: Mapping[str, str],
) -> bool:
    """Replace the token of a kept seat of a rematch. Return True on success (M20).

    The commit has the owner as its actor, since the owner has kept the seat for the new holder
    (M13). False: the match or the seat's token has changed meanwhile. Raises Forbidden if the match
    takes no further commit before its revelation, and the errors of `enter_as_operator`.

    name: actor name of the seat.   fields: fields to set for the new token.
    metadata: metadata of the match, read before.
    """
    change = metadata_changes.MetadataChange(
        command=ReplaceToken(name),
        metadata={
            **_token_fields_to_drop(metadata, name),
            **dict.fromkeys([field_of(name), *fields_beside_holder(name)]),
            **fields,
        },
        precondition=(HOLDER + name, metadata.get(HOLDER + name, "")),
        is_always_told=True,
        counted_for=f"rematch|{name}",
    )
    access = replace(enter_as_operator(ctx, match_id), caller=tokens.caller(OWNER))
    return metadata_changes.make(ctx, access, Submission(match_id, None), change, metadata)


def _fields_to_drop_for_others(caller: Caller, name: str) -> dict[str, None]:
    """Return the fields to drop beside a token if its holder is not the caller."""
    return {} if name == caller.name else dict.fromkeys(fields_beside_holder(name))


def revoke(ctx: Context, submission: Submission, holder: str) -> None:
    """Revoke a holder's token. A seat may revoke its own token, the owner any token.

    Raises NotFound, Unauthorized, Forbidden, Busy, and the errors of `enter` and
    `metadata_changes.make`.
    """
    match_id, token = submission.match, submission.token
    for _ in range(TRIES):
        access = enter(ctx, match_id, token)
        caller = access.caller
        _check_may_revoke(caller, holder)

        metadata = ctx.journal.metadata.fields(match_id)
        _check_still_counts(metadata, token)
        if HOLDER + holder not in metadata:
            raise NotFound(f"the match has no token for {echoed(holder)}")

        change = metadata_changes.MetadataChange(
            command=RevokeToken(holder),
            metadata={
                **_token_fields_to_drop(metadata, holder),
                HOLDER + holder: None,
                field_of(holder): None,
                **dict.fromkeys(fields_beside_holder(holder)),
            },
            precondition=_precondition(metadata, holder, caller, token),
        )
        if metadata_changes.make(ctx, access, submission, change, metadata):
            return
    raise Busy(_MOVED_ON)


def _is_always_told(ctx: Context, access: Access, name: str) -> bool:
    """Return True if the replacement of a token needs a commit.

    A commit is needed if the owner replaces a seat's token, or if a seat may lapse (M19). Without
    a commit the new token could outlive the lapse.
    """
    if seat_of(name) is None:
        return False
    may_lapse = access.head.status == "open" and may_open_seats(load_head(ctx, access).match)
    return name != access.caller.name or may_lapse


def _check_may_replace(caller: Caller, name: str) -> None:
    """Raise Forbidden or Unauthorized unless a caller may replace the token of this name."""
    if caller.role in SHARED:
        raise Forbidden("only the owner replaces a shared token")

    is_own = name == caller.name
    if not is_own and caller.role != OWNER:
        raise refused(caller.role, "only its bearer or the owner replaces a token")


def _check_may_revoke(caller: Caller, holder: str) -> None:
    """Raise Forbidden or Unauthorized unless a caller may revoke a holder's token."""
    is_own_seat = caller.seat is not None and holder == caller.name
    if caller.role != OWNER and not is_own_seat:
        detail = "only the owner revokes a token, or its bearer if it is a seat's"
        raise refused(caller.role, detail)


def _may_be_made(ctx: Context, access: Access, name: str) -> bool:
    """Return True if a missing token may be made.

    Only a shared token of a private match and the token of a human's seat may be made.
    """
    if name in SHARED:
        return access.head.visibility == "private"
    number = seat_of(name)
    seats = load_head(ctx, access).match.seats
    if number is None or number >= len(seats):
        return False
    return seats[number].kind == "human" or seats[number].absent


def _check_still_counts(metadata: Mapping[str, str], token: str | None) -> None:
    if tokens.field(token or "") not in metadata:
        raise not_a_token()


def _precondition(
    metadata: Mapping[str, str], name: str, caller: Caller, token: str | None
) -> tuple[str, str]:
    """Return a metadata field that must not have changed, and its value.

    The field belongs to the holder's token, or to the caller's token if the holder has none.
    """
    field = HOLDER + name
    if field in metadata:
        return field, metadata[field]
    return tokens.field(token or ""), caller.name


def _token_fields_to_drop(metadata: Mapping[str, str], name: str) -> dict[str, str | None]:
    """Return the fields to delete with a holder's tokens.

    These are the fields of the tokens, and of replacements stored by the first release.
    """
    live = [field for field, who in metadata.items() if field.startswith(TOKEN) and who == name]
    remembered = fields_of_first_release(metadata, name)
    return dict.fromkeys([*live, *remembered])


def _answer_again(ctx: Context, match_id: str, holder: str | None, earlier: Replacement) -> Rotated:
    """Return the answer to an earlier request.

    Raises KeyConflict if the earlier request was for another holder.
    """
    if earlier.target != (holder or ""):
        raise KeyConflict("this idempotency key replaced another token. Send a new key")
    token = tokens.make(ctx.secret, match_id, earlier.holder, earlier.nonce)
    return Rotated(earlier.holder, token, repeated=True)
