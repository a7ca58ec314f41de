"""Jobs as workers read them: a job is checked, and nothing named in it is imported or called.

A job of RQ names its function by a dotted path. So anyone with write access to the queues' Redis
could have any function called. A worker calls the function of its queue instead.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from rq.exceptions import NoSuchJobError
from rq.job import Job
from rq.serializers import JSONSerializer

from service.record.commit import is_match_id
from service.store.jobs.seal import Seal, code_in
from service.store.jobs.table import FAILURE_TTL, FORMER_HOUSE, HOUSE, QUEUES

_log = logging.getLogger(__name__)

LONGEST_ID = 80  # logged characters of a job's id
_HIGHEST = 2**53 - 1  # greatest number among a job's arguments
_SHORTEST_TIMEOUT = min(kind.timeout for kind in QUEUES.values())

# No other fields of a job are read. So a job has no callbacks, webhooks, retries or dependents, and
# its limits are those of the service.
_FIELDS = (b"data", b"origin", b"status", b"meta", b"created_at")


class AllowedJob(Job):
    """A job with the function of its queue. The job's data in Redis cannot change the function.

    do: the function of the queue, set by the worker.
    """

    do: Callable[..., None]
    _refusal = ""

    def restore(self, raw_data: Mapping[bytes, bytes]) -> Any:
        """Read the job. Raises NoSuchJobError for an unreadable job."""
        try:
            super().restore({name: raw_data[name] for name in _FIELDS if name in raw_data})
            if self.origin == FORMER_HOUSE:
                self.origin = HOUSE
            self._refusal = _refusal_of(self.origin, self.data)
        except NoSuchJobError:
            raise
        except Exception as error:  # noqa: BLE001 - anything may be written in Redis
            short_id = self.id[:LONGEST_ID]
            details = {"job": short_id, "error": type(error).__name__}
            _log.warning("a job cannot be read", extra=details)
            raise NoSuchJobError(f"the job {short_id} cannot be read") from None

        kind = QUEUES.get(self.origin)
        self.timeout = _SHORTEST_TIMEOUT if kind is None else kind.timeout
        self.result_ttl = 0
        self.failure_ttl = FAILURE_TTL

    def refusal(self, queue: str, seal: Seal) -> str:
        """Return the reason to refuse the job, "" if a worker of the queue may do it."""
        if self._refusal:
            return self._refusal
        if self.origin != queue:
            return "it belongs to another queue"

        code = code_in(self.meta)
        if code is None:
            is_ours = not QUEUES[queue].is_coded and len(self.args) == 1
        else:
            is_ours = seal.is_code(code, queue, self.id, self.args)
        return "" if is_ours else "it was not made by this service"

    @property
    def func(self) -> Any:
        """The function of the job's queue. The function named by the job is ignored."""
        return self.do


def _refusal_of(queue: str, data: bytes) -> str:
    """Return the reason to refuse a job's data, "" if the service could have written them."""
    try:
        call = JSONSerializer.loads(data)  # type: ignore[no-untyped-call]
        function, instance, arguments, keywords = call
    except (ValueError, TypeError):
        return "its data are not a call in JSON"

    kind = QUEUES.get(queue)
    if kind is None or function != kind.function:
        return "its function does not belong to the queue"
    if instance is not None or keywords != {}:
        return "it has an instance or keyword arguments"
    if not _are_allowed(arguments):
        return "its arguments are not a match and numbers"
    return ""


def _are_allowed(arguments: Any) -> bool:
    """Return True if the arguments are a match id and perhaps numbers, such as a version."""
    if not isinstance(arguments, list) or not arguments:
        return False

    match_id, *numbers = arguments
    # `isinstance` would accept a bool, which is no number here.
    are_numbers = all(type(number) is int and 0 <= number <= _HIGHEST for number in numbers)
    return isinstance(match_id, str) and is_match_id(match_id) and are_numbers
