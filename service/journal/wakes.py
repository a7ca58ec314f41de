"""News of commits: one thread in each process listens, and wakes whoever follows a match.

Redis publishes each new version of a match on a channel of its own. A message may be lost with a
connection, so it never means more than "look": followers look again after every subscription, and
now and then without any news.
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
_CONNECT_SECONDS = 2
_PAUSE_SECONDS = 0.5  # between a connection that broke and the next
_POLL_SECONDS = 5.0


class Channel:
    """What is heard of one match.

    ticks: grows with every sign of news.
    followers: how many follow the match in this process.
    """

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
        """Wait until there are more ticks than those seen; return whether there are."""
        with self._heard:
            return self._heard.wait_for(lambda: self.ticks > seen, seconds)

    def ask(self, question: Hashable, seen: int, answer: Callable[[], T]) -> T:
        """Return an answer that is as fresh as the ticks seen.

        Among many followers with the same question one works the answer out for all.
        """
        with self._asking:
            known = self._answers.get(question)
            if known is not None:
                ticks, shared_answer = known
                if ticks >= seen:
                    fresh: T = shared_answer
                    return fresh

            # Older answers are forgotten here, so that they do not pile up.
            self._answers = {
                other: kept for other, kept in self._answers.items() if kept[0] >= seen
            }
            fresh = answer()
            self._answers[question] = (seen, fresh)
            return fresh


class Wakes:
    """The subscriber of this process; its thread starts with the first follower.

    stopped: the process is about to end, and whoever follows a match is to leave.
    """

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(
            url,
            protocol=2,
            socket_connect_timeout=_CONNECT_SECONDS,
            socket_timeout=_POLL_SECONDS,
        )
        # The thread listens on this channel as well, and is told there of new followers.
        self._control = f"giornale:watch:{secrets.token_hex(8)}"
        self._lock = threading.Lock()
        self._channels: dict[str, Channel] = {}
        self._thread: threading.Thread | None = None
        self.stopped = False

    @contextmanager
    def follow(self, match_id: str) -> Iterator[Channel]:
        """Follow a match; the follower looks up for itself what was committed before."""
        channel, is_first = self._join(match_id)
        if is_first:
            self._nudge()

        try:
            yield channel
        finally:
            self._leave(match_id, channel)

    def stop(self) -> None:
        """Wake all who follow a match, so that they leave; whoever comes later leaves at once."""
        with self._lock:
            self.stopped = True
            channels = list(self._channels.values())

        for channel in channels:
            channel.tick()

    def _join(self, match_id: str) -> tuple[Channel, bool]:
        """Return the channel of a match, and whether this follower is the first there."""
        with self._lock:
            channel = self._channels.setdefault(wake_channel(match_id), Channel())
            channel.followers += 1

            if self._thread is None:
                self._thread = threading.Thread(target=self._listen, name="wakes", daemon=True)
                self._thread.start()
            return channel, channel.followers == 1

    def _leave(self, match_id: str, channel: Channel) -> None:
        with self._lock:
            channel.followers -= 1
            if channel.followers == 0:
                self._channels.pop(wake_channel(match_id), None)

    def _nudge(self) -> None:
        """Let the thread see what is to be followed; without a nudge it looks before long."""
        try:
            self._redis.publish(self._control, "")
        except RedisError:
            _log.warning("news of commits may come late")

    def _listen(self) -> None:
        """Take messages for ever, over a new connection whenever one breaks."""
        pause = threading.Event()
        while True:
            try:
                with self._redis.pubsub() as pubsub:  # type: ignore[no-untyped-call]
                    pubsub.subscribe(self._control)
                    while True:
                        self._take_message(pubsub)
            except RedisError as error:
                _log.warning("no news of commits", extra={"error": type(error).__name__})
                pause.wait(_PAUSE_SECONDS)

    def _take_message(self, pubsub: Any) -> None:
        """Take one message: news of a match, the word that it is subscribed to, or a nudge."""
        message = pubsub.get_message(timeout=_POLL_SECONDS / 2)
        name = message["channel"].decode() if message else self._control

        if name == self._control:
            self._subscribe_anew(pubsub)
        elif message["type"] in ("message", "subscribe"):
            with self._lock:
                channel = self._channels.get(name)
            if channel is not None:
                channel.tick()

    def _subscribe_anew(self, pubsub: Any) -> None:
        """Subscribe to what is followed and to nothing else."""
        with self._lock:
            wanted = {*self._channels, self._control}

        subscribed = {name.decode() for name in pubsub.channels}
        missing = wanted - subscribed
        if missing:
            pubsub.subscribe(*missing)

        superfluous = subscribed - wanted
        if superfluous:
            pubsub.unsubscribe(*superfluous)
