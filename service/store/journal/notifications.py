"""Notifications: each process listens to the servers, and those who follow a match are notified.

Redis publishes each new version of a match on the match's channel. A message may be lost with a
connection, so it never means more than "look": followers look again after every subscription, and
now and then without any notification.
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

# Of the followers of a match so many go on at once, and each lets the next one go on. 200 threads
# that do so at the same time spend as long on taking the interpreter from each other as on their
# work.
_AT_ONCE = 4

_PAUSE_SECONDS = 0.5  # between a connection that broke and the next
_POLL_SECONDS = 2.5
_ALL_SECONDS = 2.5  # at least, from one comparison of all channels to the next
_LOOK_SECONDS = 5.0  # between two looks at which masters a cluster has

_FAILURES = (RedisError, RedisClusterException)


class Notifications:
    """The subscriber of this process; its threads start with the first follower.

    stopped: the process is about to end, and followers are to leave.
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
        """Follow a match; the follower looks up for itself what was committed before."""
        with self._following([match_id]) as by_match:
            yield by_match[match_id]

    @contextmanager
    def follow_many(self, matches: Iterable[str]) -> Iterator["Channels"]:
        """Follow several matches as one follower, as `follow` does each of them."""
        with self._following(matches) as by_match:
            yield Channels(by_match)

    def stop(self) -> None:
        """Notify all followers, so that they leave; those who come later leave at once."""
        with self._lock:
            self.stopped = True
            channels = list(self._channels.values())

        self._listeners.stop()
        for channel in channels:
            channel.tick()

    @contextmanager
    def _following(self, matches: Iterable[str]) -> Iterator[Mapping[str, "Channel"]]:
        """Follow the channels of matches; the threads are nudged once for all that are new."""
        by_match: dict[str, Channel] = {}
        any_is_new = False
        try:
            for match in matches:
                by_match[match], is_first = self._join(self._keys.channel(match))
                any_is_new = any_is_new or is_first

            if any_is_new or not self._listeners.have_begun:
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
        """Notify those who follow a channel."""
        with self._lock:
            channel = self._channels.get(name)
        if channel is not None:
            channel.tick()


class Waiter:
    """A wait of one follower, for one release."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def wait(self, seconds: float) -> bool:
        """Wait for the release, so long at most. Return True if it came."""
        return self._lock.acquire(timeout=seconds)

    def release(self) -> None:
        """Let the follower go on, or not wait at all."""
        self._lock.release()


class Channel:
    """The notifications of one match.

    ticks: grows with every notification.
    followers: how many follow the match in this process.

    A follower that has waited must `query`, or else `release_next`: others wait for that.
    """

    # A process may have 10,000 of them. Without a dictionary each takes half the memory.
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
        # All who wait; and those who are to go on, the first one next.
        self._waiting: dict[Waiter, None] = {}
        self._called: dict[Waiter, None] = {}
        self._querying = threading.Lock()
        self._answers: dict[Hashable, tuple[int, Any]] = {}

    def tick(self) -> None:
        """Let every follower go on, a few at a time."""
        with self._lock:
            self.ticks += 1
            self._called |= self._waiting
            self._waiting.clear()

        for _ in range(_AT_ONCE):
            self.release_next()

    def wait(self, seen: int, seconds: float) -> bool:
        """Wait for more ticks than those seen. Return True if there are more."""
        waiter = self._new_waiter()
        if not self.watch(waiter, seen):
            return True

        if not waiter.wait(seconds):
            self.unwatch(waiter)
        return self.ticks > seen

    def watch(self, waiter: Waiter, seen: int) -> bool:
        """Have a waiter released by the next tick; return False if there are more than those seen.

        Then the waiter is not watched for.
        """
        with self._lock:
            if self.ticks > seen:
                return False
            self._waiting[waiter] = None
            return True

    def unwatch(self, waiter: Waiter) -> None:
        """Release a waiter no more."""
        with self._lock:
            self._waiting.pop(waiter, None)
            self._called.pop(waiter, None)

    def release_next(self) -> None:
        """Let one of those who were called go on, if any is left."""
        with self._lock:
            if self._called:
                waiter = next(iter(self._called))
                del self._called[waiter]
                waiter.release()

    def query(self, question: Hashable, seen: int, answer: Callable[[], T]) -> T:
        """Return an answer that is as fresh as the ticks seen.

        Among many followers with the same question one works the answer out for all. The next one
        goes on when it is there.
        """
        try:
            # Most find it here, without the lock: answers are replaced and never changed.
            known = self._answers.get(question)
            if known is None or known[0] < seen:
                with self._querying:
                    known = self._answer(question, seen, answer)
        finally:
            self.release_next()

        fresh: T = known[1]
        return fresh

    def _answer(self, question: Hashable, seen: int, answer: Callable[[], T]) -> tuple[int, Any]:
        """Return an answer and the ticks that it is as fresh as; only one follower is in here."""
        known = self._answers.get(question)
        if known is not None and known[0] >= seen:
            return known

        fresh = (seen, answer())
        # Older answers are forgotten here, so that they do not pile up. Without notifications
        # questions change all the same, but no follower asks more than one at a time.
        answers = {other: kept for other, kept in self._answers.items() if kept[0] >= seen}
        answers[question] = fresh
        latest = list(answers.items())[-max(1, self.followers) :]
        self._answers = dict(latest)
        return fresh


class SharedWaiter(Waiter):
    """The waits of one follower of several matches. Many may release it, many times."""

    def __init__(self) -> None:
        self._released = threading.Event()

    def wait(self, seconds: float) -> bool:
        """Wait for a release since the last wait, so long at most. Return True if one came."""
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
        """Follow the channels of these matches."""
        self._by_match = by_match
        self._seen = {match: channel.ticks for match, channel in by_match.items()}
        self._waiter = new_waiter()

    def wait(self, seconds: float) -> list[str]:
        """Return the matches that were notified since the last call; wait for one, so long at most.

        Each is to be looked at anew.
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
        """Return the matches with new ticks, and let other followers of these go on."""
        notified = []
        for match, channel in self._by_match.items():
            ticks = channel.ticks
            if ticks > self._seen[match]:
                self._seen[match] = ticks
                notified.append(match)
                channel.release_next()
        return notified


class Moved(RedisError):
    """A channel is no longer this server's to publish."""


class Subscriptions:
    """The subscriptions of one connection to a server.

    A nudge looks at the channels that changed. All channels are compared now and then, since a
    cluster may have moved some: a process may have 10,000, and each new follower nudges.

    names: channels that are subscribed to.   changed: channels with a first or without a last
    follower since the last look.   next_look: when all are compared (time.monotonic).
    """

    def __init__(self, pubsub: Any, server: str) -> None:
        self.pubsub = pubsub
        self.server = server
        self.names: set[str] = set()
        self.changed: set[str] = set()
        self.next_look = 0.0


class Listeners:
    """The threads of one process that listen to servers, started at the first nudge.

    There is one for each master that holds a journal. In a cluster a match's channel lies in its
    slot, and only the node that holds the slot publishes there (sharded pub/sub); so another thread
    looks now and then which masters there are.

    everywhere: a key of each partition; the servers that hold them are listened to.
    followed: returns the channels to listen to.
    is_followed: returns True for one of these.
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

        # Every thread listens on this channel as well: a message there says that followers changed.
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
        """Note that a channel has its first follower, or none any more."""
        with self._lock:
            for subscriptions in self._connections.values():
                subscriptions.changed.add(name)

    def nudge(self) -> None:
        """Let the threads see what is to be followed; without a nudge they look before long."""
        try:
            if self._begin():
                return
            self._servers.client.publish(self._control, "")
        except (*_FAILURES, RuntimeError):  # RuntimeError: the system gives no more threads
            _log.warning("notifications of commits may come late")

    def _begin(self) -> bool:
        """Start to listen, unless a thread does. Return True if it was started."""
        with self._lock:
            if self._threads:
                return False
            first = self._oversee if self._servers.is_cluster else self._listen
            self._start("", first)
            return True

    def _start(self, server: str, run: Callable[[str], None]) -> None:
        """Start a thread for a server; raises RuntimeError if the system gives none."""

        def run_to_the_end() -> None:
            try:
                run(server)
            finally:
                with self._lock:
                    del self._threads[server]
                    self._away.discard(server)

        thread = threading.Thread(target=run_to_the_end, name="notifications", daemon=True)
        thread.start()
        self._threads[server] = thread  # the lock is held, so it is there before it ends

    def _oversee(self, _name: str) -> None:
        """Have a thread for each master of a cluster, until it is to stop."""
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
        """Take a server's messages while it holds partitions, over new connections as needed."""
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
        """Yield the subscriptions of a new connection, none yet."""
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
        """Log that a server does not answer: once, however often it is tried and by how many.

        A process that is about to end has nothing to say of it: servers may end before its threads.
        """
        if self._stopping.is_set():
            return

        with self._lock:
            is_first = not self._away
            self._away.add(server)
        if is_first:
            _log.warning("no news of commits", extra={"error": type(error).__name__})

    def _note_back(self, server: str) -> None:
        """Log that all servers answer again, if they did not."""
        with self._lock:
            is_last = self._away == {server}
            self._away.discard(server)
        if is_last:
            _log.info("news of commits are back")

    def _holds_partitions(self, server: str) -> bool:
        return any(share.server == server for share in self._servers.shares(self._everywhere))

    def _take_message(self, subscriptions: Subscriptions) -> None:
        """Take one message: of a match, of a subscription that was made, or a nudge.

        Raises Moved if a channel that is followed was taken from the server.
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
        """Subscribe to channels that are followed and lie on this server, and to no others."""
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
        """Return the channels among some that lie on a server."""
        if not self._servers.is_cluster:
            return names
        shares = self._servers.shares(sorted(names))
        return {name for share in shares if share.server == server for name in share.keys}
