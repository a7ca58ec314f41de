"""News of commits: each process listens to the servers, and wakes whoever follows a match.

Redis publishes each new version of a match on a channel of its own. A message may be lost with a
connection, so it never means more than "look": followers look again after every subscription, and
now and then without any news.
"""

import logging
import secrets
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from redis.exceptions import RedisClusterException, RedisError

from service.journal.keys import Keys
from service.journal.redis.servers import Servers, open_servers

# §§§ service.journal.notifications
# Threads that listen to what servers publish: one for each master that holds a journal.
#
# In a cluster a match's channel lies in its slot, and only the node that holds the slot publishes
# there (sharded pub/sub). Another thread looks now and then which masters there are.


_log = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.5  # between a connection that broke and the next
_POLL_SECONDS = 2.5
_LOOK_SECONDS = 5.0  # a cluster is looked at so often

_FAILURES = (RedisError, RedisClusterException)


class Moved(RedisError):
    """A channel is no longer this server's to publish."""


class Listeners:
    """The threads of one process, started at the first nudge.

    everywhere: a key of each partition; the servers that hold them are listened to.
    followed: tells the channels to listen to.
    heard: told of the channel of each message, and of each channel that was subscribed to.
    """

    def __init__(
        self,
        servers: Servers,
        everywhere: Sequence[str],
        followed: Callable[[], set[str]],
        heard: Callable[[str], None],
    ) -> None:
        self._servers = servers
        self._everywhere = everywhere
        self._followed = followed
        self._heard = heard

        # Every thread listens on this channel as well, and is told there of new followers.
        self._control = f"giornale:watch:{secrets.token_hex(8)}"
        self._lock = threading.Lock()
        self._threads: dict[str, threading.Thread] = {}
        self._away: set[str] = set()  # servers that do not answer
        self._look_now = threading.Event()
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Let the threads end, each after its next message or pause."""
        self._stopping.set()
        self._look_now.set()

    def nudge(self) -> None:
        """Let the threads see what is to be followed; without a nudge they look before long."""
        if self._begin():
            return

        try:
            self._servers.client.publish(self._control, "")
        except _FAILURES:
            _log.warning("news of commits may come late")

    def _begin(self) -> bool:
        """Start to listen, unless that was done before; return whether it was done now."""
        with self._lock:
            if self._threads:
                return False
            first = self._oversee if self._servers.is_cluster else self._listen
            self._start("", first)
            return True

    def _start(self, server: str, run: Callable[[str], None]) -> None:
        thread = threading.Thread(target=run, args=[server], name="wakes", daemon=True)
        self._threads[server] = thread
        thread.start()

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

            with self._lock:
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
                with self._servers.listener(server) as client, client.pubsub() as pubsub:
                    pubsub.subscribe(self._control)
                    self._take_message(pubsub, server)
                    self._note_back(server)
                    while not self._stopping.is_set():
                        self._take_message(pubsub, server)
            except _FAILURES as error:
                if not isinstance(error, Moved):
                    self._note_away(server, error)
                self._look_now.set()
                self._stopping.wait(_PAUSE_SECONDS)

        with self._lock:
            del self._threads[server]
            self._away.discard(server)

    def _note_away(self, server: str, error: Exception) -> None:
        """Log that a server does not answer: once, however often it is tried and by how many."""
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

    def _take_message(self, pubsub: Any, server: str) -> None:
        """Take one message: news of a match, the word that it is subscribed to, or a nudge.

        Raises Moved if a channel that is followed was taken from the server.
        """
        message = pubsub.get_message(timeout=_POLL_SECONDS)
        name = message["channel"].decode() if message else self._control

        if name == self._control:
            self._subscribe_anew(pubsub, server)
        elif message["type"] in ("message", "subscribe", "smessage", "ssubscribe"):
            self._heard(name)
        elif message["type"] == "sunsubscribe" and name in self._followed():
            raise Moved

    def _subscribe_anew(self, pubsub: Any, server: str) -> None:
        """Subscribe to what is followed and lies on this server, and to nothing else."""
        followed = sorted(self._followed())
        shares = self._servers.shares(followed)
        wanted = {name for share in shares if share.server == server for name in share.keys}

        if not self._servers.is_cluster:
            _subscribe(pubsub.channels, wanted | {self._control}, pubsub)
            return

        subscribed = {name.decode() for name in pubsub.shard_channels}
        # One subscription takes channels of one slot only.
        for name in wanted - subscribed:
            pubsub.ssubscribe(name)
        for name in subscribed - wanted:
            pubsub.sunsubscribe(name)


def _subscribe(channels: dict[bytes, Any], wanted: set[str], pubsub: Any) -> None:
    """Subscribe to the channels wanted and to no others."""
    subscribed = {name.decode() for name in channels}
    missing = wanted - subscribed
    if missing:
        pubsub.subscribe(*missing)

    superfluous = subscribed - wanted
    if superfluous:
        pubsub.unsubscribe(*superfluous)


# §§§ service.journal.notifications


T = TypeVar("T")

# Of the followers of a match so many wake at once, and each wakes the next. If 200 threads wake at
# the same time, they spend as long on taking the interpreter from each other as on their work.
_AT_ONCE = 4


class Turn:
    """What one follower waits for, once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def wait(self, seconds: float) -> bool:
        """Wait for the turn, so long at most; return whether it has come."""
        return self._lock.acquire(timeout=seconds)

    def come(self) -> None:
        """Wake the follower, or let it not wait at all."""
        self._lock.release()


class Channel:
    """What is heard of one match.

    ticks: grows with every sign of news.
    followers: how many follow the match in this process.

    Whoever has waited must `ask`, or else `wake_next`, because others wait for that.
    """

    def __init__(self, new_turn: Callable[[], Turn] = Turn) -> None:
        self.ticks = 0
        self.followers = 0
        self._new_turn = new_turn
        self._lock = threading.Lock()
        # The turns of all who wait; and of those who are to wake, the first one next.
        self._waiting: dict[Turn, None] = {}
        self._called: dict[Turn, None] = {}
        self._asking = threading.Lock()
        self._answers: dict[Hashable, tuple[int, Any]] = {}

    def tick(self) -> None:
        """Wake every follower, a few at a time."""
        with self._lock:
            self.ticks += 1
            self._called |= self._waiting
            self._waiting.clear()

        for _ in range(_AT_ONCE):
            self.wake_next()

    def wait(self, seen: int, seconds: float) -> bool:
        """Wait until there are more ticks than those seen; return whether there are."""
        turn = self._new_turn()
        with self._lock:
            if self.ticks > seen:
                return True
            self._waiting[turn] = None

        if not turn.wait(seconds):
            with self._lock:
                self._waiting.pop(turn, None)
                self._called.pop(turn, None)
        return self.ticks > seen

    def wake_next(self) -> None:
        """Wake one of those who were called, if any is left."""
        with self._lock:
            if self._called:
                turn = next(iter(self._called))
                del self._called[turn]
                turn.come()

    def ask(self, question: Hashable, seen: int, answer: Callable[[], T]) -> T:
        """Return an answer that is as fresh as the ticks seen.

        Among many followers with the same question one works the answer out for all. The next one
        wakes when it is there.
        """
        try:
            # Most find it here, without the lock: answers are replaced and never changed.
            known = self._answers.get(question)
            if known is None or known[0] < seen:
                with self._asking:
                    known = self._answer(question, seen, answer)
        finally:
            self.wake_next()

        fresh: T = known[1]
        return fresh

    def _answer(self, question: Hashable, seen: int, answer: Callable[[], T]) -> tuple[int, Any]:
        """Return an answer and the ticks that it is as fresh as; only one follower is in here."""
        known = self._answers.get(question)
        if known is not None and known[0] >= seen:
            return known

        fresh = (seen, answer())
        # Older answers are forgotten here, so that they do not pile up. Without any news questions
        # change all the same, but no follower asks more than one at a time.
        answers = {other: kept for other, kept in self._answers.items() if kept[0] >= seen}
        answers[question] = fresh
        latest = list(answers.items())[-max(1, self.followers) :]
        self._answers = dict(latest)
        return fresh


class Wakes:
    """The subscriber of this process; its threads start with the first follower.

    stopped: the process is about to end, and whoever follows a match is to leave.
    """

    def __init__(self, url: str, partitions: int = 256) -> None:
        servers = open_servers(url)
        self._keys = Keys(partitions, sharded=servers.is_cluster)
        self._listeners = Listeners(servers, self._keys.probe, self._followed, self._heard)
        self._lock = threading.Lock()
        self._channels: dict[str, Channel] = {}
        self.stopped = False

    @contextmanager
    def follow(self, match_id: str) -> Iterator[Channel]:
        """Follow a match; the follower looks up for itself what was committed before."""
        name = self._keys.wake_channel(match_id)
        channel, is_first = self._join(name)
        if is_first:
            self._listeners.nudge()

        try:
            yield channel
        finally:
            self._leave(name, channel)

    def stop(self) -> None:
        """Wake all who follow a match, so that they leave; whoever comes later leaves at once."""
        with self._lock:
            self.stopped = True
            channels = list(self._channels.values())

        self._listeners.stop()
        for channel in channels:
            channel.tick()

    def _join(self, name: str) -> tuple[Channel, bool]:
        """Return the channel of a name, and whether this follower is the first there."""
        with self._lock:
            channel = self._channels.setdefault(name, Channel())
            channel.followers += 1
            return channel, channel.followers == 1

    def _leave(self, name: str, channel: Channel) -> None:
        with self._lock:
            channel.followers -= 1
            if channel.followers == 0:
                self._channels.pop(name, None)

    def _followed(self) -> set[str]:
        """Return the names of all channels that somebody follows."""
        with self._lock:
            return set(self._channels)

    def _heard(self, name: str) -> None:
        """Wake those who follow a channel."""
        with self._lock:
            channel = self._channels.get(name)
        if channel is not None:
            channel.tick()
