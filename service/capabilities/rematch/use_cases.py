"""Rematch: after the end the same players may play again, each one seat further on (M20).

The first caller opens the new match, with open seats for the humans. Each seat is reserved for one
human of the old match: a token of the old seat takes the new seat. Once all seats are taken, the
new match starts.

A metadata field TAKING of the new match has the origin of a reserved seat's token (`_Taking`). The
holder of a newer token of the old seat takes the new seat over.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from domain.errors import MatchRuleBroken, RuleBroken
from domain.match.messages import Start
from domain.match.state import Match
from domain.seats import INVITATION, OWNER, seat_actor
from service.base.errors import Busy, Illegal, KeyConflict, refused
from service.base.metadata_fields import REMATCH, TAKING
from service.matches import lobby
from service.matches.access import Access, enter, not_a_token
from service.matches.command_handler import TRIES, Act, commit, require_proof, require_room
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load, load_head
from service.matches.tokens import hand_on
from service.record.replay import Loaded
from service.record.terms.joint_entropy import draws_together
from service.record.terms.sides import rematch_terms
from service.store.journal.errors import Conflict
from service.store.journal.values import ENDED
from service.store.keys import tokens
from service.store.seat_holders import names_in

_FIRST = "rematch"
_HANDED = "handed"


@dataclass(frozen=True, slots=True)
class NextMatch:
    """The match that follows another one, and the caller's part in it.

    seat: None for the owner.   tokens: the caller's tokens, by holder.   loaded: the new match.
    is_handed_on: True if another holder loses the seat by this call.
    """

    match: str
    seat: int | None
    tokens: Mapping[str, str] = field(repr=False)
    loaded: Loaded
    is_handed_on: bool = False


def rematch(
    ctx: Context,
    match_id: str,
    token: str | None,
    choices: Mapping[str, str] = MappingProxyType({}),
) -> NextMatch:
    """Open or find the match that follows a match, and take the caller's seat there.

    A repeat gives the same answer. If a proof is missing, the refusal has the text to sign, since
    no caller can know the new match before.
    choices: entropy in hex (M10) or a pledge (M19), and a key that signs for the seat, with its
    proof (M18). All are optional.
    Raises the errors of `enter` and `open_new`, Illegal before the end or if the seat was given
    away, KeyConflict for a repeat with other values, and Busy.
    """
    access = enter(ctx, match_id, token)
    seat = access.caller.seat
    if seat is None and access.caller.role != OWNER:
        raise refused(access.caller.role, "a rematch needs the token of a seat or of the owner")

    metadata = ctx.journal.metadata.fields(match_id)
    old = load_head(ctx, access)
    _require_end(old)
    stored_id = metadata.get(REMATCH, "")
    new_id = stored_id if _is_there(ctx, stored_id) else _open(ctx, access, old, stored_id)

    if seat is None:
        return NextMatch(new_id, None, _owners_tokens(ctx, new_id), load(ctx, new_id))

    new_seat = (seat - 1) % len(old.match.seats)
    holder = {"entropy": "", **choices, "name": names_in(metadata).get(seat, "")}
    own_token, is_handed_on = _take(ctx, new_id, new_seat, holder, _Bearer(match_id, token or ""))
    loaded = _start_if_full(ctx, new_id)
    return NextMatch(new_id, new_seat, {seat_actor(new_seat): own_token}, loaded, is_handed_on)


def _require_end(old: Loaded) -> None:
    """Raise Illegal before the end of a match."""
    if old.status.name not in ENDED:
        detail = f"The match is {old.status.name}. A rematch begins only after its end."
        broken = MatchRuleBroken("not_over", "M20", detail)
        raise Illegal(broken, old.version, old.match.game.key)


def _is_there(ctx: Context, stored_id: str) -> bool:
    """Return True if a rematch was opened and not aborted.

    Also True if an operator has deleted the rematch: a deleted rematch is not opened again.
    """
    if not stored_id:
        return False
    head = ctx.journal.events.head(stored_id)
    return head is None or head.status != "aborted"


def _open(ctx: Context, access: Access, old: Loaded, before: str) -> str:
    """Open the match that follows a match, and return its id. Store each match's id with the other.

    All callers open with the same request and idempotency key. Of two simultaneous callers, the
    second gets the match of the first.

    before: id of the last rematch, which was aborted. "" for none.
    """
    match = old.match
    request = OpenRequest(
        game=match.game.key,
        seats=_plans(match),
        options=match.options,
        visibility=match.visibility,
        advice=match.advice,
        rematch_of=access.match,
        terms=rematch_terms(match),
    )
    opened = open_new(ctx, request, _secret_key(ctx, access.match, before))
    new_id = opened.loaded.id
    if before:
        # Changes nothing if another caller has stored the same match meanwhile.
        ctx.journal.metadata.put(access.match, {REMATCH: new_id}, (REMATCH, before))
    else:
        ctx.journal.metadata.put_if_missing(access.match, REMATCH, new_id)
    return new_id


def _plans(match: Match) -> list[dict[str, str]]:
    """Return the plans of seats, each holder one seat further on. Seats of humans are open."""
    plans = []
    for seat in match.seats:
        is_human = seat.kind != "bot" or seat.absent
        plans.append({"kind": "open"} if is_human else {"kind": "bot", "level": seat.level})
    return plans[1:] + plans[:1]


def _owners_tokens(ctx: Context, new_id: str) -> dict[str, str]:
    """Return the owner's tokens from the opening, without tokens that are no longer valid."""
    metadata = ctx.journal.metadata.fields(new_id)
    opening_tokens = {
        name: tokens.make(ctx.secret, new_id, name, "") for name in (OWNER, INVITATION)
    }
    return {
        name: token for name, token in opening_tokens.items() if tokens.field(token) in metadata
    }


class _Bearer(NamedTuple):
    """The caller, as the holder of a token of the old seat."""

    match: str
    token: str

    @property
    def field(self) -> str:
        """The metadata field of the token."""
        return tokens.field(self.token)


def _take(
    ctx: Context, new_id: str, seat: int, holder: Mapping[str, str], by: _Bearer
) -> tuple[str, bool]:
    """Take the caller's reserved seat. Return its token, and True if another holder loses the seat.

    A repeat gives the same token, and needs no token of the new match. The caller may leave the
    seat and take it again. If a holder has taken the seat with another token of the old seat, that
    holder loses it. Raises Illegal if a bot was put on the seat or its token was replaced, and
    Unauthorized if the caller's token was replaced meanwhile.
    """
    actor = seat_actor(seat)
    for _ in range(TRIES):
        loaded = load(ctx, new_id)
        metadata = ctx.journal.metadata.fields(new_id)
        taken_with = metadata.get(TAKING + actor, "")
        token = tokens.make(ctx.secret, new_id, actor, taken_with)
        if metadata.get(tokens.field(token)) == actor:
            taking = _Taking.read(taken_with)
            is_same_bearer = taking.by == by.field
            is_first = is_same_bearer and taking.how == _FIRST
            _require_same(load(ctx, new_id), seat, holder, is_first=is_first)
            if is_same_bearer:
                return token, False
            # Read after the metadata. Otherwise an earlier holder could take the seat back.
            if ctx.journal.metadata.field(by.match, by.field) is None:
                raise not_a_token()
            nonce = _Taking(_HANDED, by.field).written()
            token = tokens.make(ctx.secret, new_id, actor, nonce)
            fields = {**tokens.held(actor, token), TAKING + actor: nonce}
            if hand_on(ctx, new_id, actor, fields, metadata):
                return token, True
            continue

        nonce = _Taking(_FIRST, by.field).written()
        token = tokens.make(ctx.secret, new_id, actor, nonce)
        command, changes = lobby.joining(seat, holder, token)
        require_proof(loaded, command)
        act = Act(INVITATION, command, metadata={**changes, TAKING + actor: nonce})
        if _commit(ctx, loaded, act):
            return token, False
    raise _busy()


class _Taking(NamedTuple):
    """The origin of a reserved seat's token. by: metadata field of a token of the old seat."""

    how: str
    by: str

    @classmethod
    def read(cls, stored: str) -> "_Taking":
        """Return the origin in a stored text."""
        how, _, rest = stored.partition("|")
        return cls(how, rest.partition("|")[2])

    def written(self) -> str:
        """Return the stored text, with a new nonce."""
        return f"{self.how}|{tokens.nonce()}|{self.by}"


def _require_same(
    loaded: Loaded, number: int, holder: Mapping[str, str], *, is_first: bool
) -> None:
    """Raise KeyConflict for a repeat with other values.

    is_first: True if the caller has taken the seat first. Otherwise another holder chose the
        entropy.
    """
    seat = loaded.match.seats[number]
    if draws_together(loaded.match):
        # Pledges may have been dropped and made again, so they are not compared.
        is_same = not holder["entropy"]
    else:
        is_same = not is_first or seat.entropy == holder["entropy"]
    if not is_same or seat.key != holder.get("key", ""):
        detail = "this seat was taken with another entropy or key. Repeat the same request"
        raise KeyConflict(detail)


def _start_if_full(ctx: Context, new_id: str) -> Loaded:
    """Start the match for its owner once no seat is open. Return its latest state."""
    for _ in range(TRIES):
        loaded = load(ctx, new_id)
        is_full = all(seat.kind != "open" for seat in loaded.match.seats)
        is_full = is_full and not loaded.match.owed[1]
        if loaded.match.stage != "open" or not is_full:
            return loaded
        _commit(ctx, loaded, Act(OWNER, Start()))
    raise _busy()


def _commit(ctx: Context, loaded: Loaded, act: Act) -> bool:
    """Commit an act. Return False if another commit came first. Raises Illegal."""
    try:
        require_room(loaded.version, act.command)
        commit(ctx, loaded, act)
    except Conflict:
        return False
    except RuleBroken as error:
        raise Illegal(error, loaded.version, loaded.match.game.key) from None
    return True


def _busy() -> Busy:
    return Busy("the new match changed too often. Send the request again")


def _secret_key(ctx: Context, match_id: str, before: str) -> str:
    """Return the idempotency key of the opening. No client can know it."""
    suffix = f"|{before}" if before else ""
    text = f"rematch|{match_id}|open{suffix}"
    return hmac.digest(ctx.secret, text.encode(), "sha256").hex()
