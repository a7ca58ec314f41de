"""What the bundled server says of itself: ready, or how far it has loaded its files."""

from dataclasses import dataclass
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as Unanswered
from redis.retry import Retry

# So long an answer is waited for on one connection. A server that loads turns to its connections
# only between so many commands, which may take seconds; a new connection would wait once more.
_ANSWER_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the server.

    loading: whether it still loads; then all commands for data are refused.
    loaded_bytes: how much of its files it has loaded.   percent: the same, of all.
    seconds_left: its own estimate.
    """

    loading: bool = False
    loaded_bytes: int = 0
    percent: float = 0.0
    seconds_left: int = 0

    @property
    def progress(self) -> str:
        """How far it has loaded, for a person."""
        return f"loading, {self.percent:.0f} %, about {self.seconds_left} s to go"


class Starting:
    """Whether a server that starts still gets on: it answers, and loads more and more.

    Loading takes as long as it takes. clock: any seconds.   patience: how many of them a server
    may be silent, or load nothing more.
    """

    def __init__(self, clock: float, patience: float) -> None:
        self._patience = patience
        self._advanced_at = clock
        self._loaded_bytes = -1

    def note(self, answer: Answer, clock: float) -> None:
        """Note an answer."""
        if not answer.loading or answer.loaded_bytes != self._loaded_bytes:
            self._advanced_at = clock
        self._loaded_bytes = answer.loaded_bytes

    def is_stuck(self, clock: float) -> bool:
        """Return whether it has not got on for too long."""
        return clock - self._advanced_at > self._patience


def open_client(url: str) -> Redis:
    """Return a client that asks once, and keeps its connection however slow the answer is.

    It does not introduce itself (CLIENT SETINFO): while the server loads, each word waits.
    """
    return Redis.from_url(
        url,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=_ANSWER_SECONDS,
        socket_connect_timeout=_ANSWER_SECONDS,
        protocol=2,
        driver_info=None,
    )


def ask(client: Redis) -> Answer | None:
    """Return what the server says, None if it says nothing."""
    try:
        found: Any = client.info("persistence")
    except (Unreachable, Unanswered) as error:
        return Answer(loading=True) if _is_loading(error) else None
    except RedisError:  # it refuses, so it lives: a long script is at work, for example
        return Answer()

    return Answer(
        loading=found.get("loading") == 1,
        loaded_bytes=int(found.get("loading_loaded_bytes", 0)),
        percent=float(found.get("loading_loaded_perc", 0)),
        seconds_left=int(found.get("loading_eta_seconds", 0)),
    )


def _is_loading(error: RedisError) -> bool:
    """Return whether the server has refused because it loads (BusyLoadingError)."""
    return "loading" in str(error).lower()
