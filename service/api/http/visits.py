"""A visit: what the service notes of one request, in the request's WSGI environment.

It is there before Flask has seen the request, and whoever needs it finds it by the environment.
"""

import random
import re
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from service.api.http.rate_limits import Allowance

_VISIT = "giornale.visit"  # key of the WSGI environment
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# An id only has to be another one than the others. To ask the system for secret bytes lets another
# thread go on: a short request takes 5 % longer so.
_ID_BITS = 64

Headers = list[tuple[str, str]]


@dataclass(slots=True)
class Visit:
    """What is noted of a request.

    request_id: the caller's own, if that is one, or else a random one.
    began: when the service took the request up, of `perf_counter`.
    address: the client's, None before somebody has asked for it.
    counted: whether the request was counted, or refused to be.
    allowance: what is left of the tighter limit, None if the request was not counted.
    raised: the error that the express way has met; Flask answers it.
    """

    request_id: str
    began: float = field(default_factory=perf_counter)
    address: str | None = None
    counted: bool = False
    allowance: Allowance | None = None
    raised: Exception | None = None


def visit_of(environ: dict[str, Any]) -> Visit:
    """Return the visit of a request; it begins with the first call."""
    known: Visit | None = environ.get(_VISIT)
    if known is not None:
        return known

    given_id = environ.get("HTTP_X_REQUEST_ID", "")
    if not given_id or not _REQUEST_ID.fullmatch(given_id):
        given_id = f"{random.getrandbits(_ID_BITS):0{_ID_BITS // 4}x}"
    visit = Visit(given_id)
    environ[_VISIT] = visit
    return visit


def allowance_headers(visit: Visit) -> Headers:
    """Return what the answer tells of the limit: nothing if the request was not counted.

    The headers RateLimit-Policy and RateLimit are those of draft-ietf-httpapi-ratelimit-headers.
    """
    allowance = visit.allowance
    if allowance is None:
        return []

    name = allowance.name
    left = max(0, allowance.left)
    return [
        ("RateLimit-Policy", f'"{name}";q={allowance.limit};w={allowance.window}'),
        ("RateLimit", f'"{name}";r={left};t={allowance.resets}'),
    ]
