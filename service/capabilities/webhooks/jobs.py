"""Webhook calls: the threads of a worker's process choose and make the calls.

A job only hands its match over to these threads. A thread takes a match, makes its calls one after
the other, and settles its timer:

    queued --a thread is free--> looked at --room for its call--> called --> settled
                                 looked at --no room--> settled: due again in a few seconds
                                 looked at --journal away--> queued, for a lease at most

A receiver may be slow or dead, and its owner may give it many host names. So calls under way are
counted by class of receiver: proven (the last call succeeded within two seconds), new, and slow. In
a class, two calls at once may go to one network (/24, /48), and two to one registered domain.
Receivers that are not proven have at most half of all calls, and slow receivers at most half of
that half. The last eighth of all calls is for proven receivers, if their domain has no other proven
call under way. After two seconds a call also counts as a call to a slow receiver. If there are too
many such calls, this call is ended. So any number of receivers that become slow delay the others
only for a short time. There are more threads than calls, so a thread is always free to look at the
next match.

A crash: the process ends with matches in its queue. The queue is only in memory. Each timer is due
again at the end of its lease, and another process gets the match. The same happens if a process has
taken too many matches (`Pool.take`) or gets no thread. `use_cases` describes a crash during a call.
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

STOP_SECONDS = 5.0  # time for calls under way when their process ends
CUT_SECONDS = 2.0  # time to store the results of calls that are cut after STOP_SECONDS
AT_ONCE = 32  # calls of one process
THREADS = AT_ONCE + 4
RESERVE = AT_ONCE // 8
UNPROVEN_AT_ONCE = AT_ONCE // 2
SLOW_AT_ONCE = AT_ONCE // 4
EACH_AT_ONCE = 2  # calls of one class to one network, and to one registered domain
MOST_MATCHES = 500  # matches that a process has taken and not finished
CROWDED_MS = (500, 3_000)  # wait if there was no room for a call. Random, to spread the tries.
AWAY_SECONDS = 1.0  # until the next try while the journal is away

_IDLE_SECONDS = 30.0  # time without work until a thread ends
_HOSTS = 1024  # hosts with a remembered class, in one process

_log = logging.getLogger(__name__)

# Classes of receivers.
PROVEN = "proven"
NEW = "new"
SLOW = "slow"


class Deliveries:
    """The webhook jobs of a process. The first job opens the pool of threads."""

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
        """Hand a match with due webhooks over to the pool."""
        if self._pool is None:
            self._pool = self._open_pool()
        self._pool.take(Timer(HOOK, match_id, 0, claimed_until))

    def close(self) -> None:
        """Close the pool if it was opened."""
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
    """A queued match.

    until: end of the retries (time.monotonic). None before the first failure of the journal.
    """

    timer: Timer
    until: float | None


class Pool:
    """The threads that make calls, and the counters of calls under way."""

    def __init__(
        self,
        ctx: Context,
        caller: WebhookClient,
        note: Callable[[str], None] = lambda _outcome: None,
    ) -> None:
        """Let `caller` make the calls that are due in the journal of a context.

        note: counts a call as "received" or "failed". May raise RedisError.
        """
        self._ctx = ctx
        self._caller = caller
        self._note = note
        self._closing = threading.Event()
        # Guards the queue and the threads. Notified when a match is queued.
        self._changed = threading.Condition()
        self._queue: deque[_QueuedMatch] = deque()
        self._match_count = 0
        self._idle = 0
        self._threads: set[threading.Thread] = set()
        # Guards the next two fields.
        self._lock = threading.Lock()
        self._under_way: Counter[str] = Counter()
        self._seen_hosts: OrderedDict[str, str] = OrderedDict()  # classes of called hosts

    def take(self, timer: Timer, *, until: float | None = None) -> None:
        """Queue a match for a thread. Do nothing if the pool is closing, full or has no thread.

        until: end of the retries (time.monotonic). None before the first failure of the journal.
        """
        with self._changed:
            if self._closing.is_set() or self._match_count >= MOST_MATCHES:
                return
            needs_thread = self._idle <= len(self._queue) and len(self._threads) < THREADS
            if needs_thread and not self._start_thread() and not self._threads:
                _log.warning(
                    "webhook calls postponed to the end of the lease: no thread",
                    extra={"match": timer.match},
                )
                return
            self._match_count += 1
            self._queue.append(_QueuedMatch(timer, until))
            self._changed.notify()

    def close(self) -> None:
        """Wait for the calls under way, then cut them. Drop queued matches.

        Other processes get the dropped matches after their leases. Closing takes at most
        STOP_SECONDS plus CUT_SECONDS, even if a thread hangs.
        """
        with self._changed:
            self._closing.set()
            self._queue.clear()
            self._changed.notify_all()
        self._join(STOP_SECONDS)
        self._caller.cut()
        self._join(CUT_SECONDS)

    # ---- the threads -----------------------------------------------------------------------------

    def _start_thread(self) -> bool:
        """Start a thread. Return False if the system gives none."""
        thread = threading.Thread(target=self._run, name="webhook", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            return False
        self._threads.add(thread)
        return True

    def _run(self) -> None:
        """See to queued matches until the queue stays empty for a while."""
        try:
            while match := self._next():
                try:
                    self._work(match)
                finally:
                    with self._changed:
                        self._match_count -= 1
        finally:
            with self._changed:
                self._threads.discard(threading.current_thread())

    def _next(self) -> _QueuedMatch | None:
        """Return the next queued match, None if this thread must end."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._queue or self._closing.is_set(), _IDLE_SECONDS)
            self._idle -= 1
            if self._queue:
                return self._queue.popleft()
            self._threads.discard(threading.current_thread())
            return None

    def _join(self, seconds: float) -> None:
        """Wait for all threads, but no longer than `seconds`."""
        ends = time.monotonic() + seconds
        for thread in list(self._threads):
            thread.join(max(0.0, ends - time.monotonic()))

    def _work(self, match: _QueuedMatch) -> None:
        """See to a match. While the journal is away, put it at the end of the queue."""
        if self.see_to(match.timer):
            return
        until = match.until
        if until is None:
            _log.warning(
                "webhook calls postponed: journal unavailable", extra={"match": match.timer.match}
            )
            until = time.monotonic() + timers.LEASE_MS / 1000
        if time.monotonic() < until and not self._closing.wait(AWAY_SECONDS):
            self.take(match.timer, until=until)

    # ---- one match -------------------------------------------------------------------------------

    def see_to(self, timer: Timer) -> bool:
        """Make the due calls of a match, and settle its timer.

        Return False if the journal was away.
        """
        try:
            had_room = self._make_all(timer.match)

            others, wait_ms = webhooks.calls(self._ctx, timer.match)
            if others:
                wait_ms = 0 if had_room else random.randint(*CROWDED_MS)
            is_settled = self._ctx.journal.timers.settle(timer, wait_ms)
            # Another look at the match may have delayed the timer because of a call that is over
            # now.
            if wait_ms == 0 and not is_settled:
                self._ctx.journal.timers.ring(HOOK, timer.match)
        except JournalUnavailable:
            return False
        except JournalError as error:
            details = {"match": timer.match, "error": type(error).__name__}
            _log.warning(
                "webhook calls postponed to the end of the lease: journal error", extra=details
            )
        except Exception:  # noqa: BLE001 - one match must not stop the others
            _log.exception("webhook calls failed", extra={"match": timer.match})
        return True

    def _make_all(self, match_id: str) -> bool:
        """Make the due calls. Return True if there was room for each call that was tried.

        Once the calls have taken PROVEN_MS in all, the remaining calls are left to the next look.
        That look comes at once if there was room. So one match does not occupy a thread for long,
        and its lease does not end meanwhile.
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
        """Make a call, unless another process makes it. Return False if there is no room for it."""
        url = call.webhook.url
        host = urlsplit(url).hostname or url
        receiver_class = self._class_of(call, host)
        domain = f"{receiver_class} {registered_domain(host)}"

        with self._hold(self._limits(receiver_class, domain)) as places:
            if places is None:
                return False
            try:
                resolution = self._caller.find(url, is_proven=receiver_class == PROVEN)
            except Overloaded:
                return False
            if resolution.failure is not None:
                self._carry_out(call, host, lambda _call: resolution.failure)
                return True

            network = f"{receiver_class} {network_of(resolution.address)}"
            with self._hold({network: EACH_AT_ONCE} if network != domain else {}) as more_places:
                if more_places is None:
                    return False
                may_go_on = partial(self._become_slow, places)
                self._carry_out(
                    call, host, lambda current: self._caller.call(current, resolution, may_go_on)
                )
                return True

    def _carry_out(
        self, call: Call, host: str, answer_of: Callable[[Call], CallResult | None]
    ) -> None:
        """Make a call and store its result, unless another process has begun it."""
        current = webhooks.begin(self._ctx, call)
        answer = None if current is None else answer_of(current)
        if current is None or answer is None:
            return

        # The class of the host depends on the time of the answer, since an error status says
        # nothing about other receivers there.
        is_fast = answer.status and answer.took_ms <= PROVEN_MS
        self._remember(host, PROVEN if is_fast else SLOW)
        webhooks.end(self._ctx, current, answer)
        with suppress(RedisError):  # only the count is lost
            self._note("received" if 200 <= answer.status < 300 else "failed")

    # ---- room ------------------------------------------------------------------------------------

    def _class_of(self, call: Call, host: str) -> str:
        """Return the class of a receiver. A new receiver has the class of its host, or NEW."""
        if call.before.is_proven:
            return PROVEN
        if not call.before.is_new:
            return SLOW
        with self._lock:
            return self._seen_hosts.get(host, NEW)

    def _remember(self, host: str, receiver_class: str) -> None:
        """Store the class of a host. Beyond _HOSTS, drop the host called longest ago."""
        with self._lock:
            self._seen_hosts[host] = receiver_class
            self._seen_hosts.move_to_end(host)
            if len(self._seen_hosts) > _HOSTS:
                self._seen_hosts.popitem(last=False)

    def _limits(self, receiver_class: str, domain: str) -> dict[str, int]:
        """Return the counters that a call must fit in, each with its limit."""
        with self._lock:
            has_reserve = receiver_class == PROVEN and not self._under_way[domain]
        limits = {"all": AT_ONCE if has_reserve else AT_ONCE - RESERVE, domain: EACH_AT_ONCE}
        if receiver_class != PROVEN:
            limits["not proven"] = UNPROVEN_AT_ONCE
        if receiver_class == SLOW:
            limits["slow"] = SLOW_AT_ONCE
        return limits

    @contextmanager
    def _hold(self, limits: Mapping[str, int]) -> Iterator[set[str] | None]:
        """Take a place in each counter, and free it at the end. Yield the names of the counters.

        Yield None if a counter is full.   limits: limits of the counters, by their names.
        """
        places: set[str] = set()
        has_room = self._add(places, limits)
        try:
            yield places if has_room else None
        finally:
            with self._lock:
                self._under_way -= Counter(places)

    def _become_slow(self, places: set[str]) -> bool:
        """Also count a call as a call to a slow receiver. Return False if there is no room."""
        of_slow_ones = {"not proven": UNPROVEN_AT_ONCE, "slow": SLOW_AT_ONCE}
        return self._add(
            places, {name: of_slow_ones[name] for name in of_slow_ones.keys() - places}
        )

    def _add(self, places: set[str], limits: Mapping[str, int]) -> bool:
        """Take further places for a call. Return False if there is no room."""
        with self._lock:
            has_room = all(self._under_way[name] < most for name, most in limits.items())
            if has_room:
                self._under_way.update(limits.keys())
                places.update(limits)
            return has_room
