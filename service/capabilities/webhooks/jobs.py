"""Webhook calls: which of them are made now, by threads of a worker's process.

A job only hands its match over to these threads. A thread takes a match, makes its calls one after
the other, and settles its timer:

    in line --a thread is free--> looked at --room for its call--> called --> settled
                                  looked at --no room--> settled: due again in a few seconds
                                  looked at --journal away--> in line, until its lease ends

A receiver may be slow or dead, and its owner may have many names for it. So calls under way are
counted by class of receiver: proven (its last answer came within two seconds), new, and slow. In a
class two at once go to one network (/24, /48), and two to one registered domain. Receivers that are
not proven have half of all calls, slow ones half of these. The last eighth of all is for proven
receivers whose domain has no other call under way. A call that takes longer than two seconds
becomes one to a slow receiver, and is ended if there is no room for it there. So receivers that
were fast until now hold up nobody for long, however many they are. There are more threads than
calls, so one is always free to look at the next match.

A match whose calls are not made is due again when its timer's lease is over: where the process
ends, has too much to do, or gets no threads.
"""

import ipaddress
import logging
import random
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from redis.exceptions import RedisError

from service.base.config import Config
from service.base.errors import Overloaded
from service.capabilities.webhooks import timers, use_cases as webhooks
from service.capabilities.webhooks.calls import WebhookClient
from service.capabilities.webhooks.special_networks import network_of, registered_domain
from service.capabilities.webhooks.use_cases import PROVEN_MS, Call, CallResult
from service.matches.context import Context
from service.store.jobs.counters import WEBHOOK_CALLS
from service.store.jobs.queues import Queues
from service.store.journal.errors import JournalError, JournalUnavailable
from service.store.journal.values import HOOK, Timer

STOP_SECONDS = 5.0  # that calls under way are left when their process is to end
CUT_SECONDS = 2.0  # that they then have to note how they went
AT_ONCE = 32  # calls of one process
THREADS = AT_ONCE + 4
RESERVE = AT_ONCE // 8
UNPROVEN_AT_ONCE = AT_ONCE // 2
SLOW_AT_ONCE = AT_ONCE // 4
EACH_AT_ONCE = 2  # calls of one class to one network, and to one registered domain
AT_HAND = 500  # matches that a process has taken and not seen to
CROWDED_MS = (500, 3_000)  # until another try where there is no room; drawn, so that few meet
AWAY_SECONDS = 1.0  # until another try where the journal is away

_IDLE_SECONDS = 30.0  # after so long a thread without work ends
_HOSTS = 1024  # of which a process remembers how fast they were

_log = logging.getLogger(__name__)

# Classes of receivers.
PROVEN = "proven"
NEW = "new"
SLOW = "slow"


class Deliveries:
    """The jobs of a process that calls webhooks. Its threads are opened by the first job."""

    def __init__(
        self,
        config: Callable[[], Config],
        ctx: Callable[[], Context],
        queues: Callable[[], Queues],
    ) -> None:
        self._config = config
        self._ctx = ctx
        self._queues = queues
        self._pool: Pool | None = None

    def deliver(self, match_id: str, claimed_until: int) -> None:
        """Hand a match whose webhooks are due over to the threads."""
        if self._pool is None:
            self._pool = self._open_pool()
        self._pool.take(Timer(HOOK, match_id, 0, claimed_until))

    def close(self) -> None:
        """End the calls under way, if any were made. What is in line is not made."""
        if self._pool is not None:
            self._pool.close()

    def _open_pool(self) -> "Pool":
        networks = tuple(map(ipaddress.ip_network, self._config().hooks_allow))
        ctx = self._ctx()
        return Pool(
            ctx,
            WebhookClient(ctx.signer, networks),
            note=partial(self._queues().count, WEBHOOK_CALLS),
        )


class _QueuedMatch(NamedTuple):
    """A match in line.

    until: when its lease ends (time.monotonic), if the journal was away before; None if it was not.
    """

    timer: Timer
    until: float | None


class Pool:
    """The threads that make calls, and the calls under way by what they count for."""

    def __init__(
        self,
        ctx: Context,
        caller: WebhookClient,
        note: Callable[[str], None] = lambda _outcome: None,
    ) -> None:
        """Call with `caller` what is due in the journal of a context.

        note: counts a call that was made, as "received" or "failed"; may raise RedisError.
        """
        self._ctx = ctx
        self._caller = caller
        self._note = note
        self._closing = threading.Event()
        # Guards the line and the threads; notified when a match comes into the line.
        self._changed = threading.Condition()
        self._line: deque[_QueuedMatch] = deque()
        self._at_hand = 0
        self._idle = 0
        self._threads: set[threading.Thread] = set()
        # Guards what follows.
        self._lock = threading.Lock()
        self._under_way: Counter[str] = Counter()
        self._seen_hosts: OrderedDict[str, str] = OrderedDict()  # classes of hosts that were called

    def take(self, timer: Timer, *, until: float | None = None) -> None:
        """Have a thread see to a match; without room for it nothing is done.

        until: when its lease ends (time.monotonic), if the journal was away before.
        """
        with self._changed:
            if self._closing.is_set() or self._at_hand >= AT_HAND:
                return
            needs_thread = self._idle <= len(self._line) and len(self._threads) < THREADS
            if needs_thread and not self._start_thread() and not self._threads:
                _log.warning("webhooks wait for their lease", extra={"match": timer.match})
                return
            self._at_hand += 1
            self._line.append(_QueuedMatch(timer, until))
            self._changed.notify()

    def close(self) -> None:
        """Wait for the calls under way, then cut them; what is in line is left to others.

        It takes STOP_SECONDS and CUT_SECONDS at most, whatever a thread hangs on.
        """
        with self._changed:
            self._closing.set()
            self._line.clear()
            self._changed.notify_all()
        self._join(STOP_SECONDS)
        self._caller.cut()
        self._join(CUT_SECONDS)

    # ---- the threads -----------------------------------------------------------------------------

    def _start_thread(self) -> bool:
        """Start a thread; return False if the system gives none."""
        thread = threading.Thread(target=self._run, name="webhook", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            return False
        self._threads.add(thread)
        return True

    def _run(self) -> None:
        """See to the matches in line, until there was none for a while."""
        try:
            while match := self._next():
                try:
                    self._work(match)
                finally:
                    with self._changed:
                        self._at_hand -= 1
        finally:
            with self._changed:
                self._threads.discard(threading.current_thread())

    def _next(self) -> _QueuedMatch | None:
        """Return the next match in line, None if this thread is to end."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._line or self._closing.is_set(), _IDLE_SECONDS)
            self._idle -= 1
            if self._line:
                return self._line.popleft()
            self._threads.discard(threading.current_thread())
            return None

    def _join(self, seconds: float) -> None:
        """Wait for all threads, so long at most."""
        ends = time.monotonic() + seconds
        for thread in list(self._threads):
            thread.join(max(0.0, ends - time.monotonic()))

    def _work(self, match: _QueuedMatch) -> None:
        """See to a match; while the journal is away, put it back into the line, behind others."""
        if self.see_to(match.timer):
            return
        until = match.until
        if until is None:
            _log.warning("webhooks wait for the journal", extra={"match": match.timer.match})
            until = time.monotonic() + timers.LEASE_MS / 1000
        if time.monotonic() < until and not self._closing.wait(AWAY_SECONDS):
            self.take(match.timer, until=until)

    # ---- one match -------------------------------------------------------------------------------

    def see_to(self, timer: Timer) -> bool:
        """Make the calls that are due in a match, and settle its timer.

        Return False if the journal was away.
        """
        try:
            had_room = self._make_all(timer.match)

            left, wait_ms = webhooks.calls(self._ctx, timer.match)
            if left:
                wait_ms = 0 if had_room else random.randint(*CROWDED_MS)
            is_settled = self._ctx.journal.timers.settle(timer, wait_ms)
            # Another thread may have put it off, because a call was under way that is over now.
            if wait_ms == 0 and not is_settled:
                self._ctx.journal.timers.ring(HOOK, timer.match)
        except JournalUnavailable:
            return False
        except JournalError as error:
            details = {"match": timer.match, "error": type(error).__name__}
            _log.warning("webhooks wait for their lease", extra=details)
        except Exception:  # noqa: BLE001 - whatever is wrong with one match
            _log.exception("webhooks have failed", extra={"match": timer.match})
        return True

    def _make_all(self, match_id: str) -> bool:
        """Make the calls that are due; return True if there was room for all that were tried.

        After a slow one the others are left for the next look, which comes at once: one match keeps
        no thread for long, and its lease does not end meanwhile.
        """
        due, _ = webhooks.calls(self._ctx, match_id)
        had_room = True
        began = time.monotonic()
        for call in due:
            had_room = self._make(call) and had_room
            if time.monotonic() - began > PROVEN_MS / 1000:
                break
        return had_room

    def _make(self, call: Call) -> bool:
        """Make a call, unless another process does; return whether there was room for it."""
        url = call.webhook.url
        host = urlsplit(url).hostname or url
        receiver_class = self._class_of(call, host)
        domain = f"{receiver_class} {registered_domain(host)}"

        with self._hold(self._places(receiver_class, domain)) as held:
            if held is None:
                return False
            try:
                found = self._caller.find(url, is_proven=receiver_class == PROVEN)
            except Overloaded:
                return False
            if found.failure is not None:
                self._carry_out(call, host, lambda _begun: found.failure)
                return True

            network = f"{receiver_class} {network_of(found.address)}"
            with self._hold({network: EACH_AT_ONCE} if network != domain else {}) as also_held:
                if also_held is None:
                    return False
                may_go_on = partial(self._become_slow, held)
                self._carry_out(
                    call, host, lambda begun: self._caller.call(begun, found, may_go_on)
                )
                return True

    def _carry_out(
        self, call: Call, host: str, answer_of: Callable[[Call], CallResult | None]
    ) -> None:
        """Make a call and note its answer, unless another process has begun it."""
        begun = webhooks.begin(self._ctx, call)
        answer = None if begun is None else answer_of(begun)
        if begun is None or answer is None:
            return

        # Of others at the same host a failure says nothing, but the time does.
        is_fast = answer.status and answer.took_ms <= PROVEN_MS
        self._remember(host, PROVEN if is_fast else SLOW)
        webhooks.end(self._ctx, begun, answer)
        with suppress(RedisError):  # it is only counted
            self._note("received" if 200 <= answer.status < 300 else "failed")

    # ---- room ------------------------------------------------------------------------------------

    def _class_of(self, call: Call, host: str) -> str:
        """Return the class of a receiver: of a new one that of its host, if that is known."""
        if call.before.is_proven:
            return PROVEN
        if not call.before.is_new:
            return SLOW
        with self._lock:
            return self._seen_hosts.get(host, NEW)

    def _remember(self, host: str, receiver_class: str) -> None:
        """Remember the class of a host, instead of that of the host called longest ago."""
        with self._lock:
            self._seen_hosts[host] = receiver_class
            self._seen_hosts.move_to_end(host)
            if len(self._seen_hosts) > _HOSTS:
                self._seen_hosts.popitem(last=False)

    def _places(self, receiver_class: str, domain: str) -> dict[str, int]:
        """Return what a call counts for, and how many calls of that there may be at once."""
        with self._lock:
            has_reserve = receiver_class == PROVEN and not self._under_way[domain]
        places = {"all": AT_ONCE if has_reserve else AT_ONCE - RESERVE, domain: EACH_AT_ONCE}
        if receiver_class != PROVEN:
            places["not proven"] = UNPROVEN_AT_ONCE
        if receiver_class == SLOW:
            places["slow"] = SLOW_AT_ONCE
        return places

    @contextmanager
    def _hold(self, places: Mapping[str, int]) -> Iterator[set[str] | None]:
        """Hold the places of a call; yield what it counts for, None if there is no room.

        places: what the call counts for, and how many calls of that there may be at once.
        """
        held: set[str] = set()
        has_room = self._add(held, places)
        try:
            yield held if has_room else None
        finally:
            with self._lock:
                self._under_way -= Counter(held)

    def _become_slow(self, held: set[str]) -> bool:
        """Count a call as one to a slow receiver, too; return False if there is no room."""
        of_slow_ones = {"not proven": UNPROVEN_AT_ONCE, "slow": SLOW_AT_ONCE}
        return self._add(held, {name: of_slow_ones[name] for name in of_slow_ones.keys() - held})

    def _add(self, held: set[str], places: Mapping[str, int]) -> bool:
        """Add places to those that a call holds; return False if there is no room."""
        with self._lock:
            has_room = all(self._under_way[name] < most for name, most in places.items())
            if has_room:
                self._under_way.update(places.keys())
                held.update(places)
            return has_room
