"""Webhooks: an address is called when a match needs its player, or their consent, or has ended.

What is due follows from the match as it is now, not from what has happened in it: a call is always
about the present version, and one whose turn has passed is not made. The metadata hold a `Webhook`
and a `Delivery` for each holder. WEBHOOK_NONCE is drawn with each change of one, so that no two
changes undo each other.

A commit sets the timer of the match (append.lua). A round of the scheduler makes a job of it
(`timers`), a worker hands the job to its threads (`jobs`), and a thread makes the call (`calls`).
"""

import base64
import hashlib
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import NamedTuple, Self
from urllib.parse import urlsplit

import orjson

from domain.match.terms import take_back
from domain.seats import OWNER
from service.base.errors import Busy, NotFound, refused
from service.base.metadata_fields import (
    ASK,
    DELIVERY,
    SEATS,
    WEBHOOK,
    WEBHOOK_NONCE,
    fields_beside_holder,
)
from service.matches import views
from service.matches.access import enter, not_a_token
from service.matches.command_handler import TRIES
from service.matches.context import Context
from service.matches.seats import has_bot
from service.matches.views import Range
from service.record.terms.take_back import ask_version
from service.store.journal.errors import Conflict
from service.store.journal.values import ENDED, HOOK, Head
from service.store.keys import tokens

TURN = "turn"
TAKE_BACK = "take_back"
OVER = "ended"
TEST = "test"
EVENTS = (TURN, TAKE_BACK, OVER)  # what a webhook may be asked for; a test is sent by itself

MINUTE_MS = 60_000
LONGEST_PAUSE_MS = 60 * MINUTE_MS
LONGEST_WISH_MS = 24 * 60 * MINUTE_MS  # of a receiver's Retry-After
GIVEN_UP_MS = 3 * 24 * 60 * MINUTE_MS
GIVEN_UP_TRIES = 10  # at least, since turns may be days apart
CALL_MS = 20_000  # so long one call may take; who made it has died if it takes longer
PROVEN_MS = 2_000  # a receiver that takes longer may hold threads that others need
CLOCKS_MS = 5_000  # by so much the clocks of processes may differ

_SECRET_BYTES = 32
_FIRST_FREE_PORT = 1024
_LONGEST_LOOK = 200  # versions that are looked through for the end of a turn


@dataclass(frozen=True, slots=True)
class Webhook:
    """Which address a holder has called, and for what.

    secret: `whsec_` and base64, which signs the calls (Standard Webhooks).
    by: the field of the token that it was put with, "" if a release did not note it.
    """

    url: str
    on: tuple[str, ...]
    secret: str = field(repr=False)
    by: str = field(repr=False, default="")

    @classmethod
    def read(cls, text: str) -> Self:
        """Return a webhook as it is stored."""
        stored = orjson.loads(text)
        return cls(stored["url"], tuple(stored["on"]), stored["secret"], stored.get("by", ""))


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a receiver has received, and how the tries since then went; times are milliseconds.

    version, event: what was last answered with 2xx, but for asks to take back.
    asked: the version of the last such ask that was answered with 2xx (M17).
    tries, since: how many tries have failed since then, and when the first one did.
    again: no earlier is another one made.   pause: how long before that the last one was.
    answer: the last one's: a status, or what went wrong.
    calling_until: a call is under way until then.
    ended: "gone" after 410, "given up" after days of failures: no more calls are made.
    test: a test was asked for and not received yet.
    took: how long the last call took, in milliseconds; -1: none was made, or by a release that did
        not note it.
    of: drawn whenever the webhook is put, so that the answer to a call of the one before is not
        taken for one of this.
    """

    version: int = 0
    event: str = ""
    tries: int = 0
    since: int = 0
    again: int = 0
    pause: int = 0
    answer: str = ""
    calling_until: int = 0
    ended: str = ""
    test: bool = False
    of: str = ""
    asked: int = 0
    took: int = -1

    @property
    def is_proven(self) -> bool:
        """Whether the receiver has answered the last call with 2xx within PROVEN_MS."""
        return not self.tries and 0 <= self.took <= PROVEN_MS

    @property
    def is_new(self) -> bool:
        """Whether nothing is known of the receiver yet."""
        return not self.tries and self.took < 0

    @classmethod
    def read(cls, text: str) -> Self:
        """Return a delivery as it is stored, "" for none; a later release may know more of it."""
        stored = orjson.loads(text) if text else {}
        return cls(**{name: stored[name] for name in cls.__slots__ if name in stored})

    def wait_ms(self, now: int) -> int:
        """Return for how long no call is made from a time on.

        A time that is too far ahead was written, or is read, by a clock that is wrong. It does not
        count: else nobody would be called until then.
        """
        waits = (self.again - now, self.pause), (self.calling_until - now, CALL_MS)
        return max(wait if wait <= longest + CLOCKS_MS else 0 for wait, longest in waits)

    def written(self) -> str:
        """Return it as it is stored."""
        return orjson.dumps(asdict(self)).decode()


@dataclass(frozen=True, slots=True)
class Call:
    """A call that is to be made now.

    id: the same for each try, so a receiver can tell a repeat.   seat: None for the owner.
    before: the delivery as it was found, and as it is noted while the call is under way.
    stored: how it was stored, "" if it was not.
    deadline: when the first seat's time runs out, as answers have it; None: nobody's time runs.
    """

    match: str
    holder: str
    webhook: Webhook
    event: str
    version: int
    seat: int | None
    before: Delivery
    time: int
    stored: str = ""
    deadline: str | None = None

    @property
    def id(self) -> str:
        """Return the id of what is reported."""
        parts = [self.match, self.holder, self.event, str(self.version)]
        if self.event == TEST:
            parts.append(str(self.time))
        return f"msg_{hashlib.sha256(':'.join(parts).encode()).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True)
class CallResult:
    """How a call went.

    status: of HTTP, 0 without an answer.   text: what is shown of it.
    wait_ms: for how long the receiver wants to be left alone, 0 if it does not say.
    took_ms: from the connection to the end of the answer.
    """

    status: int
    text: str
    wait_ms: int = 0
    took_ms: int = field(default=0, compare=False)


def may_have_port(url: str) -> bool:
    """Return True if the port of an address may be called: 443, 80 without TLS, 1024 upward.

    The others are those of mail, shells and databases, which might take a call for a command.
    """
    parts = urlsplit(url)
    usual = 443 if parts.scheme == "https" else 80
    port = usual if parts.port is None else parts.port
    return port in (usual, 443) or port >= _FIRST_FREE_PORT


# ---- a holder's webhook ----------------------------------------------------------------------


def put(
    ctx: Context, match_id: str, token: str | None, url: str, on: tuple[str, ...]
) -> tuple[Webhook, bool]:
    """Store the webhook of a token's holder; return it, and True if its secret is a new one.

    One that is replaced with the same token keeps its secret. A holder with a newer token may not
    know the old one. A call under way is ended before another is made.
    Raises what `enter` raises, Forbidden and Busy.
    """
    for _ in range(TRIES):
        holder = _holder(ctx, match_id, token)
        metadata = ctx.journal.metadata.fields(match_id)
        before = metadata.get(WEBHOOK + holder)
        by = tokens.field(token or "")
        last = Webhook.read(before) if before else None
        keeps_secret = last is not None and last.by == by
        webhook = Webhook(url, on, last.secret if last and keeps_secret else _new_secret(), by)
        calling_until = _delivery(metadata, holder).calling_until

        fields = {
            WEBHOOK_NONCE: tokens.nonce(),
            WEBHOOK + holder: orjson.dumps(asdict(webhook)).decode(),
            DELIVERY + holder: Delivery(calling_until=calling_until, of=tokens.nonce()).written(),
        }
        if _changed(ctx, match_id, fields, _unchanged(metadata)):
            _require_holder(ctx, match_id, token, holder)
            ctx.journal.timers.ring(HOOK, match_id)
            return webhook, not keeps_secret
    raise _busy()


def get(ctx: Context, match_id: str, token: str | None) -> tuple[Webhook, Delivery]:
    """Return the webhook of a token's holder, and how its calls go; raises NotFound."""
    holder = _holder(ctx, match_id, token)
    metadata = ctx.journal.metadata.fields(match_id)
    return _webhook(metadata, holder), _delivery(metadata, holder)


def delete(ctx: Context, match_id: str, token: str | None) -> None:
    """Forget the webhook of a token's holder; raises NotFound and Busy."""
    for _ in range(TRIES):
        holder = _holder(ctx, match_id, token)
        metadata = ctx.journal.metadata.fields(match_id)
        _webhook(metadata, holder)
        if _remove(ctx, match_id, metadata, holder):
            return
    raise _busy()


def ask_test(ctx: Context, match_id: str, token: str | None) -> None:
    """Have a test sent to the address of a token's holder; raises NotFound and Busy."""
    for _ in range(TRIES):
        holder = _holder(ctx, match_id, token)
        metadata = ctx.journal.metadata.fields(match_id)
        _webhook(metadata, holder)

        before = _delivery(metadata, holder)
        since = 0 if before.ended else before.since  # after an end the days are counted anew
        asked = replace(before, test=True, again=0, since=since, ended="")
        name = DELIVERY + holder
        condition = name, metadata.get(name, "")
        if _changed(ctx, match_id, {name: asked.written()}, condition):
            ctx.journal.timers.ring(HOOK, match_id)
            return
    raise _busy()


def _holder(ctx: Context, match_id: str, token: str | None) -> str:
    """Return the name of a token's holder: a seat, or the owner; refuse all others."""
    caller = enter(ctx, match_id, token).caller
    if caller.seat is None and caller.role != OWNER:
        raise refused(caller.role, "a webhook is for a seat's or the owner's token")
    return caller.name


def _require_holder(ctx: Context, match_id: str, token: str | None, holder: str) -> None:
    """Remove a webhook again whose token was revoked, or its seat left, while it was stored."""
    metadata = ctx.journal.metadata.fields(match_id)
    while metadata and tokens.field(token or "") not in metadata:
        if _remove(ctx, match_id, metadata, holder):
            raise not_a_token()
        metadata = ctx.journal.metadata.fields(match_id)


def _remove(ctx: Context, match_id: str, metadata: Mapping[str, str], holder: str) -> bool:
    """Forget a holder's webhook, and the mark with the last one; return whether that was done."""
    others = [name for name in metadata if name.startswith(WEBHOOK) and name != WEBHOOK + holder]
    mark = tokens.nonce() if others else None
    fields = {WEBHOOK_NONCE: mark, **dict.fromkeys(fields_beside_holder(holder))}
    return _changed(ctx, match_id, fields, _unchanged(metadata))


def _changed(
    ctx: Context, match_id: str, fields: Mapping[str, str | None], condition: tuple[str, str]
) -> bool:
    """Set fields on a condition; return whether that was done. Of a deleted match nothing is."""
    try:
        return ctx.journal.metadata.put(match_id, fields, condition)
    except Conflict:
        return False


def _unchanged(metadata: Mapping[str, str]) -> tuple[str, str]:
    """Return the condition that no webhook of a match was stored or forgotten meanwhile."""
    return WEBHOOK_NONCE, metadata.get(WEBHOOK_NONCE, "")


def _busy() -> Busy:
    return Busy("the webhooks of this match change too often; send the request again")


def _webhook(metadata: Mapping[str, str], holder: str) -> Webhook:
    stored = metadata.get(WEBHOOK + holder)
    if stored is None:
        raise NotFound("there is no webhook for this token; PUT makes one")
    return Webhook.read(stored)


def _delivery(metadata: Mapping[str, str], holder: str) -> Delivery:
    return Delivery.read(metadata.get(DELIVERY + holder, ""))


def _new_secret() -> str:
    secret = bytes.fromhex(secrets.token_hex(_SECRET_BYTES))
    return f"whsec_{base64.b64encode(secret).decode()}"


# ---- what is due -----------------------------------------------------------------------------


class _Present(NamedTuple):
    """A match as it is when its webhooks are looked at; time: milliseconds."""

    match: str
    head: Head
    metadata: Mapping[str, str]
    time: int


def calls(ctx: Context, match_id: str) -> tuple[list[Call], int | None]:
    """Return the calls that are to be made now, and in how many milliseconds to look again.

    None: not before the next commit. Receivers that are proven come first, those that have failed
    last. Where no webhook is left, commits set the timer no more.
    """
    head = ctx.journal.events.head(match_id)
    if head is None:
        return [], None

    present = _Present(match_id, head, ctx.journal.metadata.fields(match_id), ctx.clock())
    holders = [name.removeprefix(WEBHOOK) for name in present.metadata if name.startswith(WEBHOOK)]
    if not holders and WEBHOOK_NONCE in present.metadata:
        _changed(ctx, match_id, {WEBHOOK_NONCE: None}, _unchanged(present.metadata))

    found: list[Call] = []
    waits: list[int] = []
    for holder in holders:
        call = _call_of(ctx, present, holder)
        if call is None:
            continue
        wait = call.before.wait_ms(present.time)
        if wait > 0:
            waits.append(wait)
        else:
            found.append(call)
    found.sort(key=lambda call: (call.before.tries, not call.before.is_proven, call.before.took))
    return found, min(waits, default=None)


def _call_of(ctx: Context, present: _Present, holder: str) -> Call | None:
    """Return what a holder is still to be called for, None for nothing."""
    webhook = _webhook(present.metadata, holder)
    delivery = _delivery(present.metadata, holder)
    if delivery.ended:
        return None

    seat = tokens.caller(holder).seat
    for event in _events(present, seat):
        if event in webhook.on and not _is_known(ctx, present, seat, event, delivery):
            break
    else:
        if not delivery.test:
            return None
        event = TEST

    return Call(
        match=present.match,
        holder=holder,
        webhook=webhook,
        event=event,
        version=present.head.version,
        seat=seat,
        before=delivery,
        time=present.time,
        stored=present.metadata.get(DELIVERY + holder, ""),
        deadline=views.deadline(present.metadata),
    )


def _events(present: _Present, seat: int | None) -> Iterator[str]:
    """Yield what a match now means to a seat, or to the owner (None)."""
    head = present.head
    if head.status in ENDED:
        yield OVER
        return
    if ask_version(present.metadata.get(ASK, ""), seat) is not None:
        yield TAKE_BACK

    holders = present.metadata.get(SEATS, "")
    humans = [one for one in head.waiting if not has_bot(holders, one)]
    if bool(humans) if seat is None else seat in humans:
        yield TURN


def _is_known(
    ctx: Context, present: _Present, seat: int | None, event: str, delivery: Delivery
) -> bool:
    """Return True if the receiver has received an event.

    A turn may last for several versions. The call for its first version counts for all of them.
    """
    head = present.head
    received = _received(delivery, event)
    if not received:
        return False
    if event == OVER or received == head.version:
        return True
    if received > head.version or head.version - received > _LONGEST_LOOK:
        return False

    since = Range(after=received - 1, until=head.version, closed=True)
    versions = list(views.versions(ctx, present.match, since))
    if event == TAKE_BACK:
        return all(seat in take_back.asked_to_agree(loaded.match) for loaded in versions)
    turns = [loaded.status.seats for loaded in versions]
    if seat is None:
        return all(seats == turns[0] for seats in turns)
    return all(seat in seats for seats in turns)


def _received(delivery: Delivery, event: str) -> int:
    """Return of which version the receiver has received an event last, 0 for none."""
    if event == TAKE_BACK:
        return delivery.asked
    return delivery.version if delivery.event == event else 0


# ---- how a call goes -------------------------------------------------------------------------


def begin(ctx: Context, call: Call) -> Call | None:
    """Note that a call is under way; return None if it is another's, or was changed meanwhile."""
    calling = replace(call.before, calling_until=ctx.clock() + CALL_MS)
    return replace(call, before=calling) if _note(ctx, call, call.stored, calling) else None


def end(ctx: Context, call: Call, answer: CallResult) -> None:
    """Note how a call went: of a webhook that was put anew meanwhile, only that it is over."""
    for _ in range(TRIES):
        stored = ctx.journal.metadata.field(call.match, DELIVERY + call.holder) or ""
        now = Delivery.read(stored)
        if now.calling_until != call.before.calling_until:
            return

        is_same = now.of == call.before.of
        after = _after(now, call, answer, ctx.clock()) if is_same else replace(now, calling_until=0)
        if _note(ctx, call, stored, after):
            return


def _after(before: Delivery, call: Call, answer: CallResult, now: int) -> Delivery:
    """Return the delivery after the answer to a call."""
    done = replace(before, calling_until=0, answer=answer.text, took=answer.took_ms)
    if 200 <= answer.status < 300:
        received = replace(done, tries=0, since=0, again=0, pause=0)
        if call.event == TEST:
            return replace(received, test=False)
        if call.event == TAKE_BACK:
            return replace(received, asked=call.version)
        return replace(received, version=call.version, event=call.event)
    if answer.status == 410:
        return replace(done, ended="gone")

    since = done.since or now
    if now - since >= GIVEN_UP_MS and done.tries + 1 >= GIVEN_UP_TRIES:
        return replace(done, ended="given up", since=since)
    pause = _pause(done.tries, answer.wait_ms)
    return replace(done, tries=done.tries + 1, since=since, again=now + pause, pause=pause)


def _pause(tries: int, wanted_ms: int) -> int:
    """Return the milliseconds until another try: a minute, doubled each time, up to an hour.

    A fifth of it is drawn, so that not all come at once. The receiver's own wish may be longer.
    """
    doubled: int = min(MINUTE_MS * 2 ** min(tries, 10), LONGEST_PAUSE_MS)
    pause = doubled - secrets.randbelow(doubled // 5)
    return max(pause, min(wanted_ms, LONGEST_WISH_MS))


def _note(ctx: Context, call: Call, stored: str, after: Delivery) -> bool:
    """Replace what is stored of a delivery, if it is as it was; return whether that was so."""
    name = DELIVERY + call.holder
    return _changed(ctx, call.match, {name: after.written()}, (name, stored))
