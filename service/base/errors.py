"""What the service refuses. The HTTP side turns each error into one kind of problem.

ServiceError
  NotFound          no such match, or none that the caller may know of
  MatchDeleted      the operator has deleted the match
  Unauthorized      a token is needed, or the one given is no token of this match
  Forbidden         the token is right, but not for this
  Malformed         the body is no JSON at all
  UnsupportedMedia  the body is of a media type, or in a coding, that is not taken
  NotAcceptable     the answer has none of the forms that are asked for
  Invalid           the request cannot be read; `places` name what is wrong where
  VersionNeeded     a seat with a key says at which version its commit is to stand
  SignatureWrong    a commit is not signed by the key of its seat
  Stale             the match has moved on from the version that the caller expects
  KeyConflict       the idempotency key was used for another request
  InProgress        the first request with this idempotency key has no answer yet
  AnotherLog        a position of the feed belongs to another log
  TooMany           the caller asks for more than its share; in `after` seconds there is room
  Overloaded        there is no room for this work now, for any caller
  BodyTooSlow       the body of the request came too slowly
  Busy              the match moves on too fast for a move without an expected version
  BadRecord         a record that is to be imported does not verify
  AlreadyThere      another match of the same id exists

Illegal is a domain.errors.RuleBroken with the match's version. Besides these, use cases let
service.store.journal.errors.JournalUnavailable through.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from domain.errors import RuleBroken

MOST_PLACES = 20  # wrong places of one request that are named
MOST_ECHOED = 40  # characters of a stranger's name or value that an error repeats

_ELLIPSIS = "\u2026"


class ServiceError(Exception):
    """The root of all that the use cases refuse."""


class NotFound(ServiceError):
    """There is no such thing, or none that the caller may know of."""


class MatchDeleted(ServiceError):
    """The operator has deleted the match; `at`: when, in RFC 3339."""

    def __init__(self, match_id: str, at: str) -> None:
        super().__init__(f"match {match_id} was deleted at {at}; its id is not used again")
        self.at = at


class Unauthorized(ServiceError):
    """A token is needed, or the one given is no token of this match."""


class Forbidden(ServiceError):
    """The token is right, but not for this."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that is wrong with a request.

    pointer: a JSON pointer into the body (RFC 6901). Of a parameter what the releases before told
        there: ?name for one of the query, the name of a header.
    parameter: the name of a parameter of the query or of a header, "" for a place in the body.
    """

    pointer: str
    detail: str
    parameter: str = ""

    @classmethod
    def in_query(cls, name: str, detail: str) -> Self:
        """Return what is wrong with a parameter of the query."""
        return cls(f"?{name}", detail, parameter=name)

    @classmethod
    def in_header(cls, name: str, detail: str) -> Self:
        """Return what is wrong with a header."""
        return cls(name, detail, parameter=name)


def refused(role: str, detail: str) -> Unauthorized | Forbidden:
    """Return the refusal for a caller of a role: who has shown no token may come back with one."""
    return Unauthorized(detail) if role == "public" else Forbidden(detail)


class Invalid(ServiceError):
    """The request cannot be read.

    places: what is wrong where, at most MOST_PLACES.   more: how many other places are wrong.
    """

    def __init__(self, *places: Mistake, more: int = 0) -> None:
        self.places = places[:MOST_PLACES]
        unnamed = len(places) - len(self.places)
        self.more = more + unnamed

        sentences = [f"{place.pointer or 'the body'}: {place.detail}" for place in self.places]
        if self.more:
            sentences.append(f"and {self.more} more")
        super().__init__("; ".join(sentences))


class Malformed(ServiceError):
    """The body is no JSON."""


class UnsupportedMedia(ServiceError):
    """The body is of a media type that is not taken, or in a coding such as gzip.

    header: the header that names what is taken instead.   taken: its value.
    """

    def __init__(self, detail: str, header: str, taken: str) -> None:
        super().__init__(detail)
        self.header = header
        self.taken = taken


class NotAcceptable(ServiceError):
    """The answer has none of the forms that are asked for."""


class Stale(ServiceError):
    """The match is at `version`, not at the one that the caller expects.

    since: the commits after the expected version, as the caller may see them.
    """

    def __init__(
        self,
        expected: int,
        version: int,
        since: Sequence[Mapping[str, object]] = (),
    ) -> None:
        super().__init__(f"the match is at version {version}, not {expected}")
        self.expected = expected
        self.version = version
        self.since = since


class Illegal(RuleBroken):
    """A command that the rules do not allow in a match.

    rules: whose rule it is, the key of the game or "match".
    """

    def __init__(self, broken: RuleBroken, version: int, game: str) -> None:
        super().__init__(broken.code, broken.rule, broken.detail)
        self.version = version
        self.rules = broken.rulebook or game


class VersionNeeded(ServiceError):
    """A commit that is to be signed names no version at which it is to stand (M18)."""


class SignatureWrong(ServiceError):
    """A commit is not signed by the key of its seat, or is signed and must not be (M18).

    to_sign: the text that should have been signed, "" for none. It may hold what the seat hides.
    """

    def __init__(self, detail: str, to_sign: str = "") -> None:
        super().__init__(detail)
        self.to_sign = to_sign


class KeyConflict(ServiceError):
    """The idempotency key was used before for another request."""


class InProgress(ServiceError):
    """The first request with this idempotency key has no answer yet."""


class AnotherLog(ServiceError):
    """A position of the feed belongs to another log. `log` is the ID of the log of this server."""

    def __init__(self, log: str) -> None:
        super().__init__(f"the feed of this server is that of log {log}: start at position 0")
        self.log = log


class TooMany(ServiceError):
    """The caller asks for more than its share; `kind` is "requests" or "streams"."""

    def __init__(self, kind: str, detail: str, after: int) -> None:
        super().__init__(detail)
        self.kind = kind
        self.after = after


class Overloaded(ServiceError):
    """There is no room for this work now, for any caller; `after` seconds later there may be."""

    def __init__(self, detail: str, after: int = 1) -> None:
        super().__init__(detail)
        self.after = after


class BodyTooSlow(ServiceError):
    """The body of the request came too slowly."""


class Busy(ServiceError):
    """The match moved on again and again while the move was made."""


class BadRecord(ServiceError):
    """The record does not verify.

    commit: the first bad one, 0 for the record as a whole.   code: what is wrong.
    """

    def __init__(self, commit: int, code: str, detail: str) -> None:
        message = f"commit {commit}: {detail}" if commit else detail
        super().__init__(message)
        self.commit = commit
        self.code = code


class AlreadyThere(ServiceError):
    """Another match of the same id exists."""


def echoed(text: str) -> str:
    """Return the beginning of a stranger's text, which an error may repeat."""
    if len(text) <= MOST_ECHOED:
        return text
    return text[: MOST_ECHOED - 1] + _ELLIPSIS


def pointer(path: tuple[str | int, ...]) -> str:
    """Return a path as a JSON pointer (RFC 6901), of a long name only its beginning."""
    steps = [_escaped(echoed(str(step))) for step in path]
    return "".join(f"/{step}" for step in steps)


def _escaped(step: str) -> str:
    """Return a step of a JSON pointer with ~ and / escaped (RFC 6901, 3)."""
    return step.replace("~", "~0").replace("/", "~1")
