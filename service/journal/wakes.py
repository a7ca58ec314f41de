"""News of commits: each process listens to the servers, and wakes whoever follows a match.

Redis publishes each new version of a match on a channel of its own. A message may be lost with a
connection, so it never means more than "look": followers look again after every subscription, and
now and then without any news.
"""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from service.journal.keys import Keys
from service.journal.redis.listening import Listeners
from service.journal.redis.opening import open_servers

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
