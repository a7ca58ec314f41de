"""Webhooks: calls to an address at a player's turn, for their consent, or after the end of a match.

Calls are derived from the present state of a match, not from its past events. A call reports the
present version, and is not made once the turn has passed. The metadata have a `Webhook` and a
`Delivery` for each holder with a webhook.

Index: the field WEBHOOK_NONCE marks a match with webhooks. Each commit of a marked match makes its
timer due (append.lua). `put` and `ask_test` ring the timer. Each change of a webhook draws a new
nonce, and is made only if the nonce is still as it was read. So no change undoes another.

Path of a call:

    due timer --> job (`timers`, scheduler) --> thread (`jobs`, worker) --> POST (`calls`)

States of a delivery:

    idle --event or test--> due --begin--> under way --2xx--> idle
                                           under way --410--> stopped ("gone")
                                           under way --failure--> paused --> due
                                           under way --failures for days--> stopped ("given up")
    stopped --put--> idle
    stopped --ask_test--> due

Any number of threads and processes may look at one match. `begin` replaces a delivery only if the
delivery is still as it was read. So one thread makes the call, and the other threads skip the call.

Example: a worker dies during a POST. The stored delivery has a call under way until
`calling_until`. The lease of the timer ends, and the scheduler enqueues a new job. Until
`calling_until`, `calls` returns a wait instead of the call. Afterwards `calls` returns the call
again, and `begin` starts it anew. The receiver may get the event twice. Both calls have the same id
if the match is still at the same version. Only a test has a new id.
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
from service.record.terms.take_back import ask_version
from service.store.journal.errors import Conflict
from service.store.journal.values import ENDED, HOOK, Head, Range
from service.store.keys import tokens
from service.store.seat_holders import has_bot

TURN = "turn"
TAKE_BACK = "take_back"
OVER = "ended"
TEST = "test"
EVENTS = (TURN, TAKE_BACK, OVER)  # choices of a webhook. A test has a request of its own.

MINUTE_MS = 60_000
LONGEST_PAUSE_MS = 60 * MINUTE_MS
LONGEST_WISH_MS = 24 * 60 * MINUTE_MS  # limit of a receiver's Retry-After
GIVEN_UP_MS = 3 * 24 * 60 * MINUTE_MS
GIVEN_UP_TRIES = 10  # at least so many failures before giving up, since turns may be days apart
CALL_MS = 20_000  # longer than any call. After it the process of the call counts as dead.
PROVEN_MS = 2_000  # limit of a fast call. Slower receivers get fewer calls at once.
CLOCKS_MS = 5_000  # limit of the skew between processes

_SECRET_BYTES = 32
_FIRST_FREE_PORT = 1024
_LONGEST_LOOK = 200  # most versions read to find the end of a turn


@dataclass(frozen=True, slots=True)
class Webhook:
    """The address of a holder, and the events to call it for.

    secret: `whsec_` and base64. The secret signs the calls (Standard Webhooks).
    by: metadata field of the token used by `put`. "" if an earlier release did not store the field.
    """

    url: str
    on: tuple[str, ...]
    secret: str = field(repr=False)
    by: str = field(repr=False, default="")

    @classmethod
    def read(cls, text: str) -> Self:
        """Return a webhook from its stored text."""
        stored = orjson.loads(text)
        return cls(stored["url"], tuple(stored["on"]), stored["secret"], stored.get("by", ""))


@dataclass(frozen=True, slots=True)
class Delivery:
    """The progress of a holder's calls. Times are in milliseconds.

    version, event: version and event of the last call with a 2xx answer for a turn or an end.
    asked: version of the last call with a 2xx answer for a take-back (M17).
    tries, since: number of failures since the last 2xx answer, and the time of the first failure.
    again: earliest time of the next try.   pause: time from the last failure to `again`.
    answer: result of the last call: a status, or the reason of a failure.
    calling_until: latest end of the call under way.
    ended: "gone" after 410, "given up" after days of failures. No more calls are made then.
    test: True if a test was requested and has not been received yet.
    took: duration of the last call, in milliseconds. -1 without a call, or if an earlier release
        did not store the duration.
    of: nonce of the webhook, drawn with each `put`. The answer to a call of the previous webhook
        does not count for the present one.
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
        """True if the last call succeeded and took at most PROVEN_MS."""
        return not self.tries and 0 <= self.took <= PROVEN_MS

    @property
    def is_new(self) -> bool:
        """True if there is no result of a call yet."""
        return not self.tries and self.took < 0

    @classmethod
    def read(cls, text: str) -> Self:
        """Return a delivery from its stored text, or a new one for "". Ignore unknown members."""
        stored = orjson.loads(text) if text else {}
        return cls(**{name: stored[name] for name in cls.__slots__ if name in stored})

    def wait_ms(self, now: int) -> int:
        """Return the milliseconds until the next call is allowed, 0 or less for now.

        A time too far ahead comes from a wrong clock of the writer or of this process. Such a time
        is ignored, since no call would be made until then.
        """
        waits = (self.again - now, self.pause), (self.calling_until - now, CALL_MS)
        return max(wait if wait <= longest + CLOCKS_MS else 0 for wait, longest in waits)

    def written(self) -> str:
        """Return the stored text."""
        return orjson.dumps(asdict(self)).decode()


@dataclass(frozen=True, slots=True)
class Call:
    """A call to make now.

    id: the same for each try at one version, so a receiver can recognise a repeat. Each look at a
        requested test makes a new id.
    seat: the holder's seat, None for the owner.
    before: the delivery as read by `calls`. After `begin`: the delivery with the call under way.
    stored: the delivery's stored text as read by `calls`, "" for none.
    deadline: next deadline of the match, as answers show it. None: no time runs.
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
        """The id of the reported event. For a test, each look makes a new id."""
        parts = [self.match, self.holder, self.event, str(self.version)]
        if self.event == TEST:
            parts.append(str(self.time))
        return f"msg_{hashlib.sha256(':'.join(parts).encode()).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call.

    status: HTTP status, 0 without an answer.   text: the result as shown to the holder.
    wait_ms: pause requested by the receiver (Retry-After), 0 for none.
    took_ms: milliseconds from the start of connecting to the end of the answer.
    """

    status: int
    text: str
    wait_ms: int = 0
    took_ms: int = field(default=0, compare=False)


def may_have_port(url: str) -> bool:
    """Return True if the port of a URL may be called: 443, 80 without TLS, or 1024 upward.

    Lower ports belong to other services, such as mail and shells. Such a service might take a call
    for a command.
    """
    parts = urlsplit(url)
    usual = 443 if parts.scheme == "https" else 80
    port = usual if parts.port is None else parts.port
    return port in (usual, 443) or port >= _FIRST_FREE_PORT


# ---- a holder's webhook ----------------------------------------------------------------------


def put(
    ctx: Context, match_id: str, token: str | None, url: str, on: tuple[str, ...]
) -> tuple[Webhook, bool]:
    """Store the webhook of a token's holder. Return it, and True if its secret is new.

    If the stored webhook was put with the same token, its secret stays. Otherwise a new secret is
    drawn, since the holder of a newer token may not know the old one. A call under way delays the
    next call.
    Raises the errors of `enter`, Forbidden and Busy.
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
        if _put_if(ctx, match_id, fields, _unchanged(metadata)):
            _require_holder(ctx, match_id, token, holder)
            ctx.journal.timers.ring(HOOK, match_id)
            return webhook, not keeps_secret
    raise _busy()


def get(ctx: Context, match_id: str, token: str | None) -> tuple[Webhook, Delivery]:
    """Return the webhook of a token's holder, and the state of its calls. Raises NotFound."""
    holder = _holder(ctx, match_id, token)
    metadata = ctx.journal.metadata.fields(match_id)
    return _webhook(metadata, holder), _delivery(metadata, holder)


def delete(ctx: Context, match_id: str, token: str | None) -> None:
    """Delete the webhook of a token's holder. Raises NotFound and Busy."""
    for _ in range(TRIES):
        holder = _holder(ctx, match_id, token)
        metadata = ctx.journal.metadata.fields(match_id)
        _webhook(metadata, holder)
        if _remove(ctx, match_id, metadata, holder):
            return
    raise _busy()


def ask_test(ctx: Context, match_id: str, token: str | None) -> None:
    """Request a test call for a token's holder, and restart stopped calls.

    Raises NotFound and Busy.
    """
    for _ in range(TRIES):
        holder = _holder(ctx, match_id, token)
        metadata = ctx.journal.metadata.fields(match_id)
        _webhook(metadata, holder)

        before = _delivery(metadata, holder)
        since = 0 if before.ended else before.since  # after a restart the days count from zero
        delivery = replace(before, test=True, again=0, since=since, ended="")
        name = DELIVERY + holder
        condition = name, metadata.get(name, "")
        if _put_if(ctx, match_id, {name: delivery.written()}, condition):
            ctx.journal.timers.ring(HOOK, match_id)
            return
    raise _busy()


def _holder(ctx: Context, match_id: str, token: str | None) -> str:
    """Return the name of a token's holder: a seat or the owner. Refuse all others."""
    caller = enter(ctx, match_id, token).caller
    if caller.seat is None and caller.role != OWNER:
        raise refused(caller.role, "a webhook needs the token of a seat or of the owner")
    return caller.name


def _require_holder(ctx: Context, match_id: str, token: str | None, holder: str) -> None:
    """Remove the new webhook if its token is no longer valid.

    The token may have been replaced or revoked meanwhile, or its seat left. Raises Unauthorized if
    the webhook was removed.
    """
    metadata = ctx.journal.metadata.fields(match_id)
    while metadata and tokens.field(token or "") not in metadata:
        if _remove(ctx, match_id, metadata, holder):
            raise not_a_token()
        metadata = ctx.journal.metadata.fields(match_id)


def _remove(ctx: Context, match_id: str, metadata: Mapping[str, str], holder: str) -> bool:
    """Delete a holder's webhook. Return True on success.

    Delete WEBHOOK_NONCE too if the match has no other webhook.
    """
    others = [name for name in metadata if name.startswith(WEBHOOK) and name != WEBHOOK + holder]
    mark = tokens.nonce() if others else None
    fields = {WEBHOOK_NONCE: mark, **dict.fromkeys(fields_beside_holder(holder))}
    return _put_if(ctx, match_id, fields, _unchanged(metadata))


def _put_if(
    ctx: Context, match_id: str, fields: Mapping[str, str | None], condition: tuple[str, str]
) -> bool:
    """Set fields if a condition holds. Return True on success. A deleted match is not changed."""
    try:
        return ctx.journal.metadata.put(match_id, fields, condition)
    except Conflict:
        return False


def _unchanged(metadata: Mapping[str, str]) -> tuple[str, str]:
    """Return the condition: no webhook of the match was stored or deleted meanwhile."""
    return WEBHOOK_NONCE, metadata.get(WEBHOOK_NONCE, "")


def _busy() -> Busy:
    return Busy("the webhooks of this match change too often. Send the request again")


def _webhook(metadata: Mapping[str, str], holder: str) -> Webhook:
    stored = metadata.get(WEBHOOK + holder)
    if stored is None:
        raise NotFound("this token has no webhook. Make one with PUT")
    return Webhook.read(stored)


def _delivery(metadata: Mapping[str, str], holder: str) -> Delivery:
    return Delivery.read(metadata.get(DELIVERY + holder, ""))


def _new_secret() -> str:
    secret = bytes.fromhex(secrets.token_hex(_SECRET_BYTES))
    return f"whsec_{base64.b64encode(secret).decode()}"


# ---- due calls -------------------------------------------------------------------------------


class _Present(NamedTuple):
    """A match as read by `calls`. time: time of the read, in milliseconds."""

    match: str
    head: Head
    metadata: Mapping[str, str]
    time: int


def calls(ctx: Context, match_id: str) -> tuple[list[Call], int | None]:
    """Return the calls to make now, and the milliseconds until the first delayed call is allowed.

    The milliseconds are None if no call is delayed. Calls are sorted by failures, fewest first,
    then proven receivers first, then by the duration of the last call. If no webhook is left,
    WEBHOOK_NONCE is deleted. Commits then no longer set the timer.
    """
    head = ctx.journal.events.head(match_id)
    if head is None:
        return [], None

    present = _Present(match_id, head, ctx.journal.metadata.fields(match_id), ctx.clock())
    holders = [name.removeprefix(WEBHOOK) for name in present.metadata if name.startswith(WEBHOOK)]
    if not holders and WEBHOOK_NONCE in present.metadata:
        _put_if(ctx, match_id, {WEBHOOK_NONCE: None}, _unchanged(present.metadata))

    due: list[Call] = []
    waits: list[int] = []
    for holder in holders:
        call = _call_of(ctx, present, holder)
        if call is None:
            continue
        wait = call.before.wait_ms(present.time)
        if wait > 0:
            waits.append(wait)
        else:
            due.append(call)
    due.sort(key=lambda call: (call.before.tries, not call.before.is_proven, call.before.took))
    return due, min(waits, default=None)


def _call_of(ctx: Context, present: _Present, holder: str) -> Call | None:
    """Return the call that is due for a holder, None if no call is due."""
    webhook = _webhook(present.metadata, holder)
    delivery = _delivery(present.metadata, holder)
    if delivery.ended:
        return None

    seat = tokens.caller(holder).seat
    for event in _events(present, seat):
        if event in webhook.on and not _is_received(ctx, present, seat, event, delivery):
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
    """Yield the present events of a match for a seat, or for the owner (None)."""
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


def _is_received(
    ctx: Context, present: _Present, seat: int | None, event: str, delivery: Delivery
) -> bool:
    """Return True if the receiver has received the call for a present event.

    A turn may last for several versions, and one call counts for all of them.
    """
    head = present.head
    version = _received_version(delivery, event)
    if not version:
        return False
    if event == OVER or version == head.version:
        return True
    if version > head.version or head.version - version > _LONGEST_LOOK:
        return False

    since = Range(after=version - 1, until=head.version, closed=True)
    versions = list(views.versions(ctx, present.match, since))
    if event == TAKE_BACK:
        return all(seat in take_back.asked_to_agree(loaded.match) for loaded in versions)
    turns = [loaded.status.seats for loaded in versions]
    if seat is None:
        return all(seats == turns[0] for seats in turns)
    return all(seat in seats for seats in turns)


def _received_version(delivery: Delivery, event: str) -> int:
    """Return the version of the last call for an event with a 2xx answer, 0 for none."""
    if event == TAKE_BACK:
        return delivery.asked
    return delivery.version if delivery.event == event else 0


# ---- the progress of a call ------------------------------------------------------------------


def begin(ctx: Context, call: Call) -> Call | None:
    """Store that a call is under way. Return the call, None if the delivery has changed."""
    calling = replace(call.before, calling_until=ctx.clock() + CALL_MS)
    return replace(call, before=calling) if _note(ctx, call, call.stored, calling) else None


def end(ctx: Context, call: Call, answer: CallResult) -> None:
    """Store the result of a call. If the webhook was replaced, store only that the call has ended.

    Nothing is stored if another process has begun the call again, or if the webhook was deleted.
    """
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
    after = replace(before, calling_until=0, answer=answer.text, took=answer.took_ms)
    if 200 <= answer.status < 300:
        success = replace(after, tries=0, since=0, again=0, pause=0)
        if call.event == TEST:
            return replace(success, test=False)
        if call.event == TAKE_BACK:
            return replace(success, asked=call.version)
        return replace(success, version=call.version, event=call.event)
    since = after.since or now
    failure = replace(after, tries=after.tries + 1, since=since)
    if answer.status == 410:
        return replace(failure, ended="gone")
    if now - since >= GIVEN_UP_MS and failure.tries >= GIVEN_UP_TRIES:
        return replace(failure, ended="given up")
    pause_ms = _pause_ms(after.tries, answer.wait_ms)
    return replace(failure, again=now + pause_ms, pause=pause_ms)


def _pause_ms(tries: int, wish_ms: int) -> int:
    """Return the milliseconds until the next try: a minute, doubled each time, up to an hour.

    Up to a fifth is subtracted at random, to spread the tries. The receiver may ask for a longer
    pause, up to LONGEST_WISH_MS.
    """
    doubled: int = min(MINUTE_MS * 2 ** min(tries, 10), LONGEST_PAUSE_MS)
    pause_ms = doubled - secrets.randbelow(doubled // 5)
    return max(pause_ms, min(wish_ms, LONGEST_WISH_MS))


def _note(ctx: Context, call: Call, stored: str, after: Delivery) -> bool:
    """Replace the stored delivery if it has not changed. Return True on success."""
    name = DELIVERY + call.holder
    return _put_if(ctx, call.match, {name: after.written()}, (name, stored))
