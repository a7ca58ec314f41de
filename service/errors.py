"""What the service refuses. The HTTP side turns each into one kind of problem; so does the command line.

ServiceError
  NotFound        no such match, or none that the caller may know of
  Unauthorized    a token is needed, or the one given is no token of this match
  Forbidden       the token is right, but not for this
  Invalid         the request cannot be read; `problems` name each place
  Stale           the match has moved on from the version that the caller expects
  KeyConflict     the idempotency key was used for something else
  Busy            the match moves on too fast for a move without an expected version
(domain.errors.RuleBroken and service.journal.port.JournalUnavailable pass through as they are.)
"""

from dataclasses import dataclass


class ServiceError(Exception):
    """The root of all that the use cases refuse."""


class NotFound(ServiceError):
    """There is no such thing, or none that the caller may know of."""


class Unauthorized(ServiceError):
    """A token is needed, or the one given is no token of this match."""


class Forbidden(ServiceError):
    """The token is right, but not for this."""


@dataclass(frozen=True, slots=True)
class Place:
    """One thing wrong with a request: `pointer` is an RFC 6901 JSON pointer into the body (or a parameter's name)."""

    pointer: str
    detail: str


class Invalid(ServiceError):
    """The request cannot be read; `places` name what is wrong where."""

    def __init__(self, *places: Place) -> None:
        super().__init__("; ".join(f"{place.pointer or 'the body'}: {place.detail}" for place in places))
        self.places = places


class Stale(ServiceError):
    """The match is at `version`, not where the caller expects it."""

    def __init__(self, expected: int, version: int) -> None:
        super().__init__(f"the match is at version {version}, not {expected}")
        self.expected = expected
        self.version = version


class KeyConflict(ServiceError):
    """The idempotency key was used before for another request."""


class Busy(ServiceError):
    """The match moved on again and again while the move was made."""


def pointer(path: tuple[str | int, ...]) -> str:
    """Return a path as a JSON pointer (RFC 6901)."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
