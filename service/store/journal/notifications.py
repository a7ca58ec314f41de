"""Notifications: wake the followers of a match in this process when the match gets a commit.

append.lua publishes each new version on the channel of its match. A message may be lost with a
connection, so it means no more than "look at the journal". Followers look again after every
subscription, and now and then without any notification.

    Redis -- message --> listener thread -- tick --> channel -- release --> followers

Threads: one listener for each master with partitions, started by the first follower. In a cluster
one more thread looks for masters. Followers are threads of requests. Any number of them may follow,
wait and leave at the same time.

A channel exists while it has followers. `note_change` notes for the listeners that a channel got
its first follower or lost its last one. At the next nudge or poll the listeners subscribe or
unsubscribe. The first follower nudges.

A follower waits in three steps. It reads `ticks`, looks at the journal, and waits for more ticks
than it has read. So a commit between its look and its wait ends the wait at once. A tick calls all
waiting followers and releases a few of them. Each released follower releases the next one by
`query` or `release_next`.

A connection breaks, and messages are lost:

1. `_listen` logs the first error, pauses and opens a new connection without subscriptions.
2. The reply to its first subscription, to the control channel, starts `_update_subscriptions`. This
   function subscribes to all channels with followers on this server.
3. The reply to each subscription ticks its channel. The followers of the channel look, and find the
   commits of the lost messages.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from redis.exceptions import RedisClusterException, RedisError

from service.store.journal.keys import Keys
from service.store.journal.redis.topology import Servers, open_servers

_log = logging.getLogger(__name__)

T = TypeVar("T")

# Number of followers of a match that a tick releases at once. Each of them then releases the next.
# If 200 threads go on at the same time, they spend as long on taking the interpreter from each
# other as on their work.
_AT_ONCE = 4

_PAUSE_SECONDS = 0.5  # between a broken connection and a new one
_POLL_SECONDS = 2.5
_ALL_SECONDS = 2.5  # least time from one check of all channels to the next
_LOOK_SECONDS = 5.0  # between two looks at the masters of a cluster

_FAILURES = (RedisError, RedisClusterException)


class Notifications:
    """The subscriber of this process. Its threads start with the first follower.

    stopped: True once the process is about to end. Followers then leave.
    """

    def __init__(self, url: str, partitions: int = 256) -> None:
        servers = open_servers(url)
        self._keys = Keys(partitions, sharded=servers.is_cluster)
        self._listeners = Listeners(
            servers, self._keys.probe, self._followed, self._is_followed, self._notify
        )
        self._lock = threading.Lock()
        self._channels: dict[str, Channel] = {}
        self.stopped = False

    @contextmanager
    def follow(self, match_id: str) -> Iterator["Channel"]:
        """Follow a match from now on. The follower must look up earlier commits itself."""
        with self._following([match_id]) as by_match:
            yield by_match[match_id]

    @contextmanager
    def follow_many(self, matches: Iterable[str]) -> Iterator["Channels"]:
        """Follow several matches from now on, as one follower."""
        with self._following(matches) as by_match:
            yield Channels(by_match)

    def stop(self) -> None:
        """Notify all followers, so that they leave. Later followers leave at once."""
        with self._lock:
            self.stopped = True
            channels = list(self._channels.values())

        self._listeners.stop()
        for channel in channels:
            channel.tick()

    @contextmanager
    def _following(self, matches: Iterable[str]) -> Iterator[Mapping[str, "Channel"]]:
        """Follow the channels of matches. Nudge the listeners once for all new channels.

        Without a match nothing is nudged, so no thread starts.
        """
        by_match: dict[str, Channel] = {}
        any_is_new = False
        try:
            for match in matches:
                by_match[match], is_first = self._join(self._keys.channel(match))
                any_is_new = any_is_new or is_first

            if any_is_new or (by_match and not self._listeners.have_begun):
                self._listeners.nudge()
            yield by_match
        finally:
            for match, channel in by_match.items():
                self._leave(self._keys.channel(match), channel)

    def _join(self, name: str) -> tuple["Channel", bool]:
        """Return the channel of a name, and True if this follower is its first."""
        with self._lock:
            channel = self._channels.setdefault(name, Channel())
            channel.followers += 1
            is_first = channel.followers == 1
        if is_first:
            self._listeners.note_change(name)
        return channel, is_first

    def _leave(self, name: str, channel: "Channel") -> None:
        with self._lock:
            channel.followers -= 1
            is_last = channel.followers == 0
            if is_last:
                self._channels.pop(name, None)
        if is_last:
            self._listeners.note_change(name)

    def _followed(self) -> set[str]:
        """Return the names of all channels that have followers."""
        with self._lock:
            return set(self._channels)

    def _is_followed(self, name: str) -> bool:
        """Return True if a channel has followers."""
        with self._lock:
            return name in self._channels

    def _notify(self, name: str) -> None:
        """Notify the followers of a channel."""
        with self._lock:
            channel = self._channels.get(name)
        if channel is not None:
            channel.tick()


class Waiter:
    """One wait of a follower, until a release or a timeout."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def wait(self, seconds: float) -> bool:
        """Wait for the release, at most this long. Return True if it came."""
        return self._lock.acquire(timeout=seconds)

    def release(self) -> None:
        """Let the follower go on, or not wait at all."""
        self._lock.release()


class Channel:
    """The notifications of one match.

    ticks: grows with every notification.
    followers: number of followers in this process.

    After its wait a follower must call `query` or `release_next`. Both release the next follower.
    """

    # A process may have 10,000 channels. Slots halve their memory.
    __slots__ = (
        "_answers",
        "_called",
        "_lock",
        "_new_waiter",
        "_querying",
        "_waiting",
        "followers",
        "ticks",
    )

    def __init__(self, new_waiter: Callable[[], Waiter] = Waiter) -> None:
        self.ticks = 0
        self.followers = 0
        self._new_waiter = new_waiter
        self._lock = threading.Lock()
        # The waiting followers, and those called by a tick but not released yet, the next first.
        self._waiting: dict[Waiter, None] = {}
        self._called: dict[Waiter, None] = {}
        self._querying = threading.Lock()
        self._answers: dict[Hashable, tuple[int, Any]] = {}

    def tick(self) -> None:
        """Let every waiting follower go on, a few at a time."""
        with self._lock:
            self.ticks += 1
            self._called |= self._waiting
            self._waiting.clear()

        for _ in range(_AT_ONCE):
            self.release_next()

    def wait(self, ticks: int, seconds: float) -> bool:
        """Wait for more ticks than `ticks`. Return True if there are more."""
        waiter = self._new_waiter()
        if not self.watch(waiter, ticks):
            return True

        if not waiter.wait(seconds):
            self.unwatch(waiter)
        return self.ticks > ticks

    def watch(self, waiter: Waiter, ticks: int) -> bool:
        """Have the next tick release a waiter.

        Return False if there are more ticks than `ticks`. In that case the waiter is not watched.
        """
        with self._lock:
            if self.ticks > ticks:
                return False
            self._waiting[waiter] = None
            return True

    def unwatch(self, waiter: Waiter) -> None:
        """Take a waiter off the channel, so that nothing releases it."""
        with self._lock:
            self._waiting.pop(waiter, None)
            self._called.pop(waiter, None)

    def release_next(self) -> None:
        """Let one called follower go on, if any is left."""
        with self._lock:
            if self._called:
                waiter = next(iter(self._called))
                del self._called[waiter]
                waiter.release()

    def query(self, question: Hashable, ticks: int, answer: Callable[[], T]) -> T:
        """Return an answer at least as fresh as `ticks`.

        Of many followers with the same question, one works out the answer for all. At the end the
        next follower is released.
        """
        try:
            # Most followers find the answer here, without the lock: no answer is ever changed.
            entry = self._answers.get(question)
            if entry is None or entry[0] < ticks:
                with self._querying:
                    entry = self._answer(question, ticks, answer)
        finally:
            self.release_next()

        fresh: T = entry[1]
        return fresh

    def _answer(self, question: Hashable, ticks: int, answer: Callable[[], T]) -> tuple[int, Any]:
        """Return an answer with the ticks of its freshness. One follower at a time runs this."""
        earlier = self._answers.get(question)
        if earlier is not None and earlier[0] >= ticks:
            return earlier

        fresh = (ticks, answer())
        # Drop older answers. Without notifications `ticks` stays the same while questions change.
        # So store only the latest answers, one for each follower: a follower asks one at a time.
        answers = {other: one for other, one in self._answers.items() if one[0] >= ticks}
        answers[question] = fresh
        latest = list(answers.items())[-max(1, self.followers) :]
        self._answers = dict(latest)
        return fresh


class SharedWaiter(Waiter):
    """The waits of one follower of several matches. It may be released any number of times."""

    def __init__(self) -> None:
        self._released = threading.Event()

    def wait(self, seconds: float) -> bool:
        """Wait for a release since the last wait, at most this long. Return True if one came."""
        was_released = self._released.wait(seconds)
        self._released.clear()
        return was_released

    def release(self) -> None:
        """Let the follower go on, or not wait at all."""
        self._released.set()


class Channels:
    """The notifications of several matches, for one follower."""

    def __init__(
        self, by_match: Mapping[str, Channel], new_waiter: Callable[[], Waiter] = SharedWaiter
    ) -> None:
        self._by_match = by_match
        self._seen = {match: channel.ticks for match, channel in by_match.items()}
        self._waiter = new_waiter()

    def wait(self, seconds: float) -> list[str]:
        """Return the matches notified since the last call. Wait for one, at most this long.

        The caller must look at each of these matches again.
        """
        watched = []
        for match, channel in self._by_match.items():
            if not channel.watch(self._waiter, self._seen[match]):
                break
            watched.append(channel)
        else:
            self._waiter.wait(seconds)

        for channel in watched:
            channel.unwatch(self._waiter)
        return self._notified()

    def _notified(self) -> list[str]:
        """Return the matches with new ticks. Release the next follower of each."""
        notified = []
        for match, channel in self._by_match.items():
            ticks = channel.ticks
            if ticks > self._seen[match]:
                self._seen[match] = ticks
                notified.append(match)
                channel.release_next()
        return notified


class Moved(RedisError):
    """A channel is no longer published by this server."""


class Subscriptions:
    """The subscriptions of one connection to a server.

    A nudge checks only the changed channels: a process may have 10,000 channels, and the first
    follower of each nudges. Now and then all channels are checked, since a cluster may have moved
    some.

    names: subscribed channels.
    changed: channels that got a first follower or lost the last one since the last check.
    next_look: time of the next check of all channels (time.monotonic).
    """

    def __init__(self, pubsub: Any, server: str) -> None:
        self.pubsub = pubsub
        self.server = server
        self.names: set[str] = set()
        self.changed: set[str] = set()
        self.next_look = 0.0


class Listeners:
    """The threads of one process that listen to servers, started at the first nudge.

    There is one thread for each master with partitions. In a cluster only the node of a match's
    slot publishes the match's messages (sharded pub/sub). So another thread looks for the masters
    now and then.

    everywhere: a key of each partition. The threads listen to the servers of these keys.
    followed: returns the channels to listen to.
    is_followed: returns True for such a channel.
    notify: called with the channel of each message, and of each new subscription.
    """

    def __init__(
        self,
        servers: Servers,
        everywhere: Sequence[str],
        followed: Callable[[], set[str]],
        is_followed: Callable[[str], bool],
        notify: Callable[[str], None],
    ) -> None:
        self._servers = servers
        self._everywhere = everywhere
        self._followed = followed
        self._is_followed = is_followed
        self._notify = notify

        # Each listener subscribes to this channel, too. A message there tells of changed followers.
        self._control = f"giornale:watch:{secrets.token_hex(8)}"
        self._lock = threading.Lock()
        self._threads: dict[str, threading.Thread] = {}
        self._away: set[str] = set()  # servers that do not answer
        self._connections: dict[str, Subscriptions] = {}  # by server
        self._look_now = threading.Event()
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Let the threads end, each after its next message or pause."""
        self._stopping.set()
        self._look_now.set()

    @property
    def have_begun(self) -> bool:
        """True if a thread listens, or tries to."""
        return bool(self._threads)

    def note_change(self, name: str) -> None:
        """Note that a channel got its first follower, or lost its last one."""
        with self._lock:
            for subscriptions in self._connections.values():
                subscriptions.changed.add(name)

    def nudge(self) -> None:
        """Have the threads update their subscriptions now, not only at their next poll."""
        try:
            if self._begin():
                return
            self._servers.client.publish(self._control, "")
        except (*_FAILURES, RuntimeError):  # RuntimeError: the system gives no more threads
            _log.warning("notifications of commits may be late")

    def _begin(self) -> bool:
        """Start to listen, unless a thread does. Return True if it was started."""
        with self._lock:
            if self._threads:
                return False
            first = self._oversee if self._servers.is_cluster else self._listen
            self._start("", first)
            return True

    def _start(self, server: str, run: Callable[[str], None]) -> None:
        """Start a thread for a server. Raises RuntimeError if the system gives none."""

        def run_to_the_end() -> None:
            try:
                run(server)
            finally:
                with self._lock:
                    del self._threads[server]
                    self._away.discard(server)

        thread = threading.Thread(target=run_to_the_end, name="notifications", daemon=True)
        thread.start()
        # The caller holds the lock, so the thread cannot delete the entry before it is made.
        self._threads[server] = thread

    def _oversee(self, _name: str) -> None:
        """Keep a thread for each master of a cluster, until the stop."""
        while not self._stopping.is_set():
            self._look_now.clear()
            try:
                self._servers.refresh()
                shares = self._servers.shares(self._everywhere)
                self._note_back("")
            except _FAILURES as error:
                self._note_away("", error)
                shares = []

            with self._lock, suppress(RuntimeError):  # the next look tries again
                for share in shares:
                    if share.server not in self._threads:
                        self._start(share.server, self._listen)
            self._look_now.wait(_LOOK_SECONDS)

    def _listen(self, server: str) -> None:
        """Take a server's messages while it holds partitions. Reconnect after errors."""
        while not self._stopping.is_set():
            try:
                if not self._holds_partitions(server):
                    break
                with self._connected(server) as subscriptions:
                    subscriptions.pubsub.subscribe(self._control)
                    self._take_message(subscriptions)
                    self._note_back(server)
                    while not self._stopping.is_set():
                        self._take_message(subscriptions)
            except _FAILURES as error:
                if not isinstance(error, Moved):
                    self._note_away(server, error)
                self._look_now.set()
                self._stopping.wait(_PAUSE_SECONDS)

    @contextmanager
    def _connected(self, server: str) -> Iterator[Subscriptions]:
        """Yield the subscriptions of a new connection, empty at first."""
        with self._servers.listener(server) as client, client.pubsub() as pubsub:
            subscriptions = Subscriptions(pubsub, server)
            with self._lock:
                self._connections[server] = subscriptions
            try:
                yield subscriptions
            finally:
                with self._lock:
                    del self._connections[server]

    def _note_away(self, server: str, error: Exception) -> None:
        """Log that a server does not answer, unless some server was away already.

        Nothing is logged once the process is about to end: servers may end before its threads.
        """
        if self._stopping.is_set():
            return

        with self._lock:
            is_first = not self._away
            self._away.add(server)
        if is_first:
            _log.warning("commit notifications stopped", extra={"error": type(error).__name__})

    def _note_back(self, server: str) -> None:
        """Log that all servers answer again, if they did not."""
        with self._lock:
            is_last = self._away == {server}
            self._away.discard(server)
        if is_last:
            _log.info("commit notifications resumed")

    def _holds_partitions(self, server: str) -> bool:
        return any(share.server == server for share in self._servers.shares(self._everywhere))

    def _take_message(self, subscriptions: Subscriptions) -> None:
        """Take one message: of a match, of a subscription, or a nudge. A timeout counts as a nudge.

        Raises Moved if the server has dropped the subscription to a followed channel.
        """
        message = subscriptions.pubsub.get_message(timeout=_POLL_SECONDS)
        name = message["channel"].decode() if message else self._control

        if name == self._control:
            self._update_subscriptions(subscriptions)
        elif message["type"] in ("message", "subscribe", "smessage", "ssubscribe"):
            self._notify(name)
        elif message["type"] == "sunsubscribe" and self._is_followed(name):
            raise Moved

    def _update_subscriptions(self, subscriptions: Subscriptions) -> None:
        """Subscribe to the followed channels on this server, and to no others."""
        now = time.monotonic()
        with self._lock:
            changed = subscriptions.changed
            subscriptions.changed = set()

        if now >= subscriptions.next_look:
            subscriptions.next_look = now + _ALL_SECONDS
            followed = self._followed()
            changed = followed | subscriptions.names
        else:
            followed = {name for name in changed if self._is_followed(name)}

        pubsub, names = subscriptions.pubsub, subscriptions.names
        here = self._on_server(followed, subscriptions.server)
        missing = here - names
        superfluous = (changed & names) - here
        names |= missing
        names -= superfluous
        if not self._servers.is_cluster:
            if missing:
                pubsub.subscribe(*missing)
            if superfluous:
                pubsub.unsubscribe(*superfluous)
            return

        # One subscription takes channels of one slot only.
        for name in missing:
            pubsub.ssubscribe(name)
        for name in superfluous:
            pubsub.sunsubscribe(name)

    def _on_server(self, names: set[str], server: str) -> set[str]:
        """Return the channels, among some, that lie on a server."""
        if not self._servers.is_cluster:
            return names
        shares = self._servers.shares(sorted(names))
        return {name for share in shares if share.server == server for name in share.keys}
