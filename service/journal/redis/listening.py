"""Threads that listen to what servers publish: one for each master that holds a journal.

In a cluster a match's channel lies in its slot, and only the node that holds the slot publishes
there (sharded pub/sub). Another thread looks now and then which masters there are.
"""

import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any

from redis.exceptions import RedisClusterException, RedisError

from service.journal.redis.servers import Servers

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
                self._servers.look_anew()
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
