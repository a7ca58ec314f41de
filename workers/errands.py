"""What a worker does at all: its queue's own function for one match, and nothing else that stands in the queue.

Whoever can write to the queues' Redis could otherwise have any function called, since a job names its function by a
dotted path. So nothing of a job is imported, called or asked for before it has been found right.
"""

import logging
from collections.abc import Mapping
from typing import Any

from rq.exceptions import NoSuchJobError
from rq.job import Job
from rq.serializers import JSONSerializer

from service.jobs.queues import AUDITS, FAILURE_TTL, FUNCTIONS, TIMEOUT
from service.ledger.ids import is_match_id

_log = logging.getLogger(__name__)
_CALLS_MORE = (
    "success_callback_name",
    "failure_callback_name",
    "stopped_callback_name",
    "webhooks",
)


class Errand(Job):
    """A job that calls nothing but the function of its queue, whatever Redis says of it."""

    refusal = ""

    def restore(self, raw_data: Mapping[bytes, bytes]) -> Any:
        """Read the job. What cannot be read is as if it were not there; `refusal` says why it may not be done."""
        try:
            super().restore(raw_data)
            more_calls = [name for name in _CALLS_MORE if raw_data.get(name.encode())]
            self.refusal = refusal(self.origin, self.data)
            if more_calls and not self.refusal:
                self.refusal = f"it has {more_calls[0]}"
        except NoSuchJobError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever was written there
            _log.warning(
                "a job cannot be read", extra={"job": self.id[:80], "error": type(error).__name__}
            )
            raise NoSuchJobError(f"the job {self.id[:80]} cannot be read") from None

        self._success_callback_name = self._failure_callback_name = self._stopped_callback_name = (
            None
        )
        self.webhooks = []
        self.timeout = TIMEOUT
        self.result_ttl = 0
        self.failure_ttl = FAILURE_TTL
        self.retries_left = min(self.retries_left or 0, 1)
        self.retry_intervals = None
        self.repeats_left = None

    @property
    def func(self) -> Any:
        """The function of the job's queue; raises PermissionError for a job that is refused."""
        if self.refusal:
            raise PermissionError(self.refusal)
        return super().func


def refusal(queue: str, data: bytes) -> str:
    """Return why the data of a job in a queue are not what the service puts there, "" if they are."""
    try:
        function, instance, arguments, keywords = JSONSerializer.loads(data)  # type: ignore[no-untyped-call]
    except (ValueError, TypeError):
        return "its data are not a call in JSON"
    if function != FUNCTIONS.get(queue):
        return "its function is not the one of the queue"
    if instance is not None or keywords != {}:
        return "it has an instance or keyword arguments"
    return "" if _are_right(queue, arguments) else "its arguments are not those of the queue"


def _are_right(queue: str, arguments: Any) -> bool:
    """Return whether the arguments are a match, and for an audit its version."""
    if not isinstance(arguments, list) or len(arguments) != (2 if queue == AUDITS else 1):
        return False
    match, *version = arguments
    is_match = isinstance(match, str) and is_match_id(match)
    return is_match and all(type(number) is int and 1 <= number < 2**53 for number in version)
