"""Rematch: after the end the same players may play again, each one seat further on (M20).

The first who asks opens the new match. Its human seats are open, and each is kept for the human who
held the seat before it: whoever shows that seat's token takes it. Once all are taken it starts.

A field TAKING in the metadata of the next match gives the token of a kept seat. A later token of
the seat before hands the seat on.
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
from service.matches.seats import names_in
from service.matches.tokens import hand_on
from service.record.replay import Loaded
from service.record.terms.joint_entropy import draws_together
from service.record.terms.sides import rematch_terms
from service.store.journal.errors import Conflict
from service.store.journal.values import ENDED
from service.store.keys import tokens

_FIRST = "rematch"
_HANDED = "handed"


@dataclass(frozen=True, slots=True)
class NextMatch:
    """The match that follows another one, and what its caller gets.

    seat: None for the owner.   tokens: by whose they are.   loaded: the new match.
    is_handed_on: an earlier holder of the seat has lost it by this.
    """

    match: str
    seat: int | None
    tokens: Mapping[str, str] = field(repr=False)
    loaded: Loaded
    is_handed_on: bool = False


def rematch(
    ctx: Context, match_id: str, token: str | None, given: Mapping[str, str] = MappingProxyType({})
) -> NextMatch:
    """Open the match that follows a match, or find it, and take the caller's seat there.

    A repeat gives the same answer. given: entropy, hex that goes into every draw's seed (M10), or a
    pledge of it (M19), and a key that signs for the seat with its proof (M18), as far as there are
    such. A missing proof is refused with the text to sign: nobody knows the new match before.
    Raises what `enter` and `open_new` raise, Illegal before the end or where the seat was given
    away, KeyConflict for a repeat with other ones, and Busy.
    """
    access = enter(ctx, match_id, token)
    seat = access.caller.seat
    if seat is None and access.caller.role != OWNER:
        raise refused(access.caller.role, "a rematch is for a seat's or the owner's token")

    metadata = ctx.journal.metadata.fields(match_id)
    old = load_head(ctx, access)
    _require_end(old)
    noted = metadata.get(REMATCH, "")
    new_id = noted if _is_there(ctx, noted) else _open(ctx, access, old, noted)

    if seat is None:
        return NextMatch(new_id, None, _owners_tokens(ctx, new_id), load(ctx, new_id))

    new_seat = (seat - 1) % len(old.match.seats)
    holder = {"entropy": "", **given, "name": names_in(metadata).get(seat, "")}
    own_token, is_handed_on = _take(ctx, new_id, new_seat, holder, _Bearer(match_id, token or ""))
    loaded = _start_if_full(ctx, new_id)
    return NextMatch(new_id, new_seat, {seat_actor(new_seat): own_token}, loaded, is_handed_on)


def _require_end(old: Loaded) -> None:
    """Raise Illegal for a match that has not ended."""
    if old.status.name not in ENDED:
        detail = f"The match is {old.status.name}; a rematch begins only after its end."
        broken = MatchRuleBroken("not_over", "M20", detail)
        raise Illegal(broken, old.version, old.match.game.key)


def _is_there(ctx: Context, noted: str) -> bool:
    """Return True if a match was opened that was not aborted since.

    One that an operator has deleted is not opened again.
    """
    if not noted:
        return False
    head = ctx.journal.events.head(noted)
    return head is None or head.status != "aborted"


def _open(ctx: Context, access: Access, old: Loaded, before: str) -> str:
    """Open the match that follows a match, and note each with the other; return its id.

    The opening is the same for all who ask, so of two who come at once one repeats the other's.

    before: the match that followed first and was aborted, "" if there was none.
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
        # Refused if another caller has noted the same match meanwhile.
        ctx.journal.metadata.put(access.match, {REMATCH: new_id}, (REMATCH, before))
    else:
        ctx.journal.metadata.put_if_missing(access.match, REMATCH, new_id)
    return new_id


def _plans(match: Match) -> list[dict[str, str]]:
    """Return the seats of the next match, each holder one seat further on: humans' are open."""
    plans = []
    for seat in match.seats:
        is_human = seat.kind != "bot" or seat.absent
        plans.append({"kind": "open"} if is_human else {"kind": "bot", "level": seat.level})
    return plans[1:] + plans[:1]


def _owners_tokens(ctx: Context, new_id: str) -> dict[str, str]:
    """Return the tokens that the opening gave the owner, as far as they still count."""
    metadata = ctx.journal.metadata.fields(new_id)
    given = {name: tokens.make(ctx.secret, new_id, name, "") for name in (OWNER, INVITATION)}
    return {name: token for name, token in given.items() if tokens.field(token) in metadata}


class _Bearer(NamedTuple):
    """The caller, by the token of the seat before."""

    match: str
    token: str

    @property
    def field(self) -> str:
        """The field of the metadata that names the token."""
        return tokens.field(self.token)


def _take(
    ctx: Context, new_id: str, seat: int, holder: Mapping[str, str], by: _Bearer
) -> tuple[str, bool]:
    """Take the caller's kept seat. Return its token, and True if another holder has lost it.

    A repeat gives the same token, without a token of the new match. The caller may leave the seat
    and take it again. A holder with an earlier token of the seat before loses it.
    Raises Illegal after a bot was put on it or its token was replaced, and Unauthorized if the
    caller's token was replaced meanwhile.
    """
    actor = seat_actor(seat)
    for _ in range(TRIES):
        loaded = load(ctx, new_id)
        metadata = ctx.journal.metadata.fields(new_id)
        taken_with = metadata.get(TAKING + actor, "")
        token = tokens.make(ctx.secret, new_id, actor, taken_with)
        if metadata.get(tokens.field(token)) == actor:
            taking = _Taking.read(taken_with)
            is_same_bearer = taking.by in ("", by.field)
            is_first = is_same_bearer and taking.how == _FIRST
            _require_same(load(ctx, new_id), seat, holder, is_first=is_first)
            if is_same_bearer:
                return token, False
            # Looked for after the metadata were read: else an earlier holder could take it back.
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
    """How a kept seat was taken. by: the field of a token of the seat before, "" for unknown."""

    how: str
    by: str

    @classmethod
    def read(cls, stored: str) -> "_Taking":
        """Return it as it was stored. The first releases stored no token."""
        how, _, rest = stored.partition("|")
        return cls(how, rest.partition("|")[2])

    def written(self) -> str:
        """Return it as it is stored, with a new nonce."""
        return f"{self.how}|{tokens.nonce()}|{self.by}"


def _require_same(
    loaded: Loaded, number: int, holder: Mapping[str, str], *, is_first: bool
) -> None:
    """Raise KeyConflict for a repeat that is none.

    is_first: the caller has taken the seat. Else its entropy was another holder's choice.
    """
    seat = loaded.match.seats[number]
    if draws_together(loaded.match):
        # A pledge may have been dropped since, and all have pledged anew.
        is_same = not holder["entropy"]
    else:
        is_same = not is_first or seat.entropy == holder["entropy"]
    if not is_same or seat.key != holder.get("key", ""):
        detail = "this seat was taken with another entropy or key; repeat the request as it was"
        raise KeyConflict(detail)


def _start_if_full(ctx: Context, new_id: str) -> Loaded:
    """Start the match for its owner once no seat is open; return it as it then is."""
    for _ in range(TRIES):
        loaded = load(ctx, new_id)
        is_full = all(seat.kind != "open" for seat in loaded.match.seats)
        is_full = is_full and not loaded.match.owed[1]
        if loaded.match.stage != "open" or not is_full:
            return loaded
        _commit(ctx, loaded, Act(OWNER, Start()))
    raise _busy()


def _commit(ctx: Context, loaded: Loaded, act: Act) -> bool:
    """Commit an act; return False if another commit came first. Raises Illegal."""
    try:
        require_room(loaded.version, act.command)
        commit(ctx, loaded, act)
    except Conflict:
        return False
    except RuleBroken as error:
        raise Illegal(error, loaded.version, loaded.match.game.key) from None
    return True


def _busy() -> Busy:
    return Busy("the new match moved on too often meanwhile; send the request again")


def _secret_key(ctx: Context, match_id: str, before: str) -> str:
    """Return the idempotency key of the opening, which no client can name."""
    suffix = f"|{before}" if before else ""
    named = f"rematch|{match_id}|open{suffix}"
    return hmac.digest(ctx.secret, named.encode(), "sha256").hex()
