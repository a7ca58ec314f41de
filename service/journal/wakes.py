"""News of commits: one subscriber thread in each process wakes whoever follows a match.

Redis publishes each new version of a match on a channel of its own. A wake-up may be lost with a connection, so it only
ever means "look": followers look again after every subscription, and now and then without any.
"""

import logging
import secrets
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from redis import Redis
from redis.exceptions import RedisError

from service.journal.keys import wake_channel

T = TypeVar("T")

_log = logging.getLogger(__name__)
_PAUSE_SECONDS = 0.5
_POLL_SECONDS = 5.0


class Channel:
    """What is heard of one match: `ticks` grows with every sign of news."""

    def __init__(self) -> None:
        self.ticks = 0
        self.followers = 0
        self._heard = threading.Condition()
        self._asking = threading.Lock()
        self._answers: dict[Hashable, tuple[int, Any]] = {}

    def tick(self) -> None:
        """Wake every follower."""
        with self._heard:
            self.ticks += 1
            self._heard.notify_all()

    def wait(self, seen: int, seconds: float) -> bool:
        """Wait until there is news beyond the ticks seen; return whether there is."""
        with self._heard:
            return self._heard.wait_for(lambda: self.ticks > seen, seconds)

    def ask(self, question: Hashable, seen: int, answer: Callable[[], T]) -> T:
        """Return an answer that is as fresh as the ticks seen: among many followers one finds it out for all."""
        with self._asking:
            held = self._answers.get(question)
            if held is not None and held[0] >= seen:
                found: T = held[1]
                return found
            self._answers = {key: old for key, old in self._answers.items() if old[0] >= seen}
            found = answer()
            self._answers[question] = (seen, found)
            return found


class Wakes:
    """The subscriber of this process; its thread starts with the first follower.

    stopped: the process is about to end, and whoever follows a match is to leave.
    """

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(
            url, protocol=2, socket_connect_timeout=2, socket_timeout=_POLL_SECONDS
        )
        self._control = f"giornale:watch:{secrets.token_hex(8)}"
        self._lock = threading.Lock()
        self._channels: dict[str, Channel] = {}
        self.stopped = False
        self._thread: threading.Thread | None = None

    @contextmanager
    def follow(self, match: str) -> Iterator[Channel]:
        """Follow a match: what was committed before is for the follower to look up."""
        with self._lock:
            channel = self._channels.setdefault(wake_channel(match), Channel())
            channel.followers += 1
            first = channel.followers == 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._listen, name="wakes", daemon=True)
                self._thread.start()
        if first:
            self._nudge()
        try:
            yield channel
        finally:
            self._leave(match, channel)

    def stop(self) -> None:
        """Wake all who follow a match, so that they leave; whoever comes later leaves at once."""
        with self._lock:
            self.stopped = True
            channels = list(self._channels.values())
        for channel in channels:
            channel.tick()

    def _leave(self, match: str, channel: Channel) -> None:
        with self._lock:
            channel.followers -= 1
            if channel.followers == 0:
                self._channels.pop(wake_channel(match), None)

    def _nudge(self) -> None:
        """Let the subscriber see what is to be followed; it looks by itself before long if this is lost."""
        try:
            self._redis.publish(self._control, "")
        except RedisError:
            _log.warning("news of commits may come late")

    def _listen(self) -> None:
        pause = threading.Event()
        while True:
            try:
                with self._redis.pubsub() as pubsub:  # type: ignore[no-untyped-call]
                    pubsub.subscribe(self._control)
                    while True:
                        self._hear(pubsub)
            except RedisError as error:
                _log.warning("no news of commits", extra={"error": type(error).__name__})
                pause.wait(_PAUSE_SECONDS)

    def _hear(self, pubsub: Any) -> None:
        """Take one message: news of a match, the word that it is subscribed to, or a nudge."""
        message = pubsub.get_message(timeout=_POLL_SECONDS / 2)
        name = message["channel"].decode() if message else self._control
        if name == self._control:
            self._settle(pubsub)
        elif message["type"] in ("message", "subscribe"):
            with self._lock:
                channel = self._channels.get(name)
            if channel is not None:
                channel.tick()

    def _settle(self, pubsub: Any) -> None:
        """Subscribe to what is followed and to nothing else."""
        with self._lock:
            wanted = {*self._channels, self._control}
        held = {name.decode() for name in pubsub.channels}
        if wanted - held:
            pubsub.subscribe(*(wanted - held))
        if held - wanted:
            pubsub.unsubscribe(*(held - wanted))
