"""The jobs that a worker may do: calls of its queue's own function for one match.

A job names its function by a dotted path, so anyone who can write to the queues' Redis could have
any function called. So nothing of a job is imported or called before the job was checked.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from rq.exceptions import NoSuchJobError
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import import_attribute

from service.jobs.queues import (
    ADVICE,
    AUDITS,
    BOTS,
    EXHIBITIONS,
    FAILURE_TTL,
    FORMER_HOUSE,
    FUNCTIONS,
    HOUSE,
    TIMEOUTS,
)
from service.ledger.commit import is_match_id

_log = logging.getLogger(__name__)

LONGEST_ID = 80  # characters of a job's id that are logged
_HIGHEST_VERSION = 2**53 - 1
_HIGHEST_SEAT = 15
_SHORTEST_TIMEOUT = min(TIMEOUTS.values())

# The function that does the jobs of each queue, by its dotted path.
_DONE_BY = {
    HOUSE: "workers.jobs.act",
    BOTS: "workers.bots.play",
    EXHIBITIONS: "workers.bots.play",
    AUDITS: "workers.jobs.audit",
    ADVICE: "workers.jobs.advise",
}

# Fields of a job that would have more called than its function.
_MORE_CALLS = (
    "success_callback_name",
    "failure_callback_name",
    "stopped_callback_name",
    "webhooks",
)


class AllowedJob(Job):
    """A job that calls nothing but the function of its queue, whatever Redis says of it.

    refusal: why it may not be done, "" if it may.
    """

    refusal = ""

    def restore(self, raw_data: Mapping[bytes, bytes]) -> Any:
        """Read the job; raises NoSuchJobError for one that cannot be read."""
        try:
            super().restore(raw_data)
            if self.origin == FORMER_HOUSE:
                self.origin = HOUSE
            self.refusal = refusal(self.origin, self.data) or _refused_calls(raw_data)
        except NoSuchJobError:
            raise
        except Exception as error:  # noqa: BLE001 - anything may be written there
            short_id = self.id[:LONGEST_ID]
            details = {"job": short_id, "error": type(error).__name__}
            _log.warning("a job cannot be read", extra=details)
            raise NoSuchJobError(f"the job {short_id} cannot be read") from None

        self._forbid_more_calls()
        self._set_limits()

    def _forbid_more_calls(self) -> None:
        self._success_callback_name = None
        self._failure_callback_name = None
        self._stopped_callback_name = None
        self.webhooks = []

    def _set_limits(self) -> None:
        """Decide how long the job may take, and that it is tried once, whatever it says itself."""
        self.timeout = TIMEOUTS.get(self.origin, _SHORTEST_TIMEOUT)
        self.result_ttl = 0
        self.failure_ttl = FAILURE_TTL
        self.retries_left = None
        self.retry_intervals = None
        self.repeats_left = None

    @property
    def func(self) -> Any:
        """The function of the job's queue; raises PermissionError for a job that is refused."""
        if self.refusal:
            raise PermissionError(self.refusal)
        return function_of(self.origin)


def function_of(queue: str) -> Callable[..., None]:
    """Return the function that does the jobs of a queue; it is imported at the first call."""
    function: Callable[..., None] = import_attribute(_DONE_BY[queue])
    return function


def refusal(queue: str, data: bytes) -> str:
    """Return why a job's data are not what the service puts into a queue, "" if they are."""
    try:
        call = JSONSerializer.loads(data)  # type: ignore[no-untyped-call]
        function, instance, arguments, keywords = call
    except (ValueError, TypeError):
        return "its data are not a call in JSON"

    if function != FUNCTIONS.get(queue):
        return "its function is not the one of the queue"
    if instance is not None or keywords != {}:
        return "it has an instance or keyword arguments"
    if not _are_allowed(queue, arguments):
        return "its arguments are not those of the queue"
    return ""


def _refused_calls(raw_data: Mapping[bytes, bytes]) -> str:
    """Return a refusal if the job would have more called than its function, "" if not."""
    for name in _MORE_CALLS:
        if raw_data.get(name.encode()):
            return f"it has {name}"
    return ""


def _are_allowed(queue: str, arguments: Any) -> bool:
    """Return whether the arguments are a match, and what else the queue's jobs are about."""
    checks = (_is_match, *_MORE_ARGUMENTS.get(queue, ()))
    if not isinstance(arguments, list) or len(arguments) != len(checks):
        return False
    return all(check(argument) for check, argument in zip(checks, arguments, strict=True))


def _is_match(value: Any) -> bool:
    return isinstance(value, str) and is_match_id(value)


def _is_version(value: Any) -> bool:
    # A bool is an int to `isinstance`, but no version.
    return type(value) is int and 1 <= value <= _HIGHEST_VERSION


def _is_seat(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _HIGHEST_SEAT


# What the jobs of a queue are about beside a match.
_MORE_ARGUMENTS: Mapping[str, tuple[Callable[[Any], bool], ...]] = {
    AUDITS: (_is_version,),
    ADVICE: (_is_version, _is_seat),
}
