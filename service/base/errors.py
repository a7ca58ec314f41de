"""The refusals of the service. `service.api` turns each into a problem document.

ServiceError
  NotFound          no such thing, or none that the caller may know of
  NoSuchSeat        the match has fewer seats
  MatchDeleted      the operator has deleted the match
  Unauthorized      a token is needed, or the one given is no token of this match
  Forbidden         the token is right, but not for this
  FeatureOff        the operator of the server has not switched it on
  Malformed         the body is no JSON at all
  UnsupportedMedia  the body has a media type, or a coding, that is not accepted
  Invalid           the request has mistakes. `places` lists them
  VersionNeeded     a seat with a key must name the version that it expects
  SignatureWrong    a commit or a proof is not signed by the right key, or must not be signed
  NotRevealed       secret until the match has ended and the house has revealed its secrets
  Stale             the match has moved on from the version that the caller expects
  KeyConflict       the idempotency key was used for another request, or its answer is outdated
  InProgress        the first request with this idempotency key has no answer yet
  AnotherLog        the caller's position in the feed is one of another log
  TooMany           too many requests or long answers. A retry may succeed in `after` seconds
  Overloaded        the server cannot do this work now
  BodyTooSlow       the body of the request came too slowly
  Busy              the match has changed in each of several tries
  BadRecord         a record for import does not verify, or may not be imported
  RecordRulesUnknown  the rules of a record for import are unknown here
  AlreadyThere      another match has the ID of the record, or the operator has deleted the match

Illegal is a domain.errors.RuleBroken with the match's version, and no ServiceError. Use cases also
let the errors of service.store.journal.errors through, such as JournalUnavailable.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from domain.errors import RuleBroken

MOST_PLACES = 20  # reported mistakes of one request
MOST_ECHOED = 40  # characters of a stranger's name or value in an error

_ELLIPSIS = "\u2026"


class ServiceError(Exception):
    """The root of all refusals by use cases."""


class NotFound(ServiceError):
    """There is no such thing, or none that the caller may know of."""


class NoSuchSeat(NotFound):
    """The match has fewer seats. `seats`: their number."""

    def __init__(self, seats: int) -> None:
        super().__init__(f"the match has the seats 0 to {seats - 1}")


class MatchDeleted(ServiceError):
    """The operator has deleted the match. `at`: the time, in RFC 3339."""

    def __init__(self, match_id: str, at: str) -> None:
        super().__init__(f"match {match_id} was deleted at {at}. Its ID is not used again")
        self.at = at


class Unauthorized(ServiceError):
    """A token is needed, or the given token is no token of this match."""


class Forbidden(ServiceError):
    """The token is right, but not for this."""


class FeatureOff(ServiceError):
    """The operator of the server has not switched the feature on."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in a request: in its body, or in a parameter.

    pointer: a JSON pointer into the body (RFC 6901), "" for the whole body.
    parameter: the name of a query parameter or header, "" for a place in the body.
    """

    pointer: str
    detail: str
    parameter: str = ""

    @property
    def name(self) -> str:
        """The place of the mistake, for people: the parameter, the pointer, or the body."""
        place = self.parameter or self.pointer
        return f"`{place}`" if place else "the body"

    @classmethod
    def in_parameter(cls, name: str, detail: str) -> Self:
        """Return a mistake in a query parameter or header."""
        return cls("", detail, parameter=name)


def refused(role: str, detail: str) -> Unauthorized | Forbidden:
    """Return the refusal for a caller of a role. The public may try again with a token."""
    return Unauthorized(detail) if role == "public" else Forbidden(detail)


class Invalid(ServiceError):
    """The request has mistakes.

    places: the mistakes, at most MOST_PLACES.   more: number of other mistakes.
    """

    def __init__(self, *places: Mistake, more: int = 0) -> None:
        self.places = places[:MOST_PLACES]
        unnamed = len(places) - len(self.places)
        self.more = more + unnamed

        sentences = [f"{place.name}: {place.detail}" for place in self.places]
        if self.more:
            sentences.append(f"and {self.more} more")
        super().__init__("; ".join(sentences))


class Malformed(ServiceError):
    """The body is no JSON."""


class UnsupportedMedia(ServiceError):
    """The body has a media type that is not accepted, or a coding such as gzip.

    header: name of the header for the accepted forms.   header_value: value of the header.
    """

    def __init__(self, detail: str, header: str, header_value: str) -> None:
        super().__init__(detail)
        self.header = header
        self.header_value = header_value


class Stale(ServiceError):
    """The match is at `version`, not at the version and hash that the caller expects.

    since: the first commits after the expected version, as the caller may see them.
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

    rules: the rulebook of the broken rule: the key of the game, or "match".
    """

    def __init__(self, broken: RuleBroken, version: int, game: str) -> None:
        super().__init__(broken.code, broken.rule, broken.detail)
        self.version = version
        self.rules = broken.rulebook or game


class NotRevealed(ServiceError):
    """The answer is secret until the house has revealed the match's secrets (M9)."""


class VersionNeeded(ServiceError):
    """A commit that must be signed comes without an expected version (M18)."""


class SignatureWrong(ServiceError):
    """A commit or a proof is not signed by the right key, or must not be signed (M18).

    to_sign: the right text to sign, "" for none. It may contain secrets of the seat.
    """

    def __init__(self, detail: str, to_sign: str = "") -> None:
        super().__init__(detail)
        self.to_sign = to_sign


class KeyConflict(ServiceError):
    """The idempotency key was used for another request, or its answer is outdated."""


class InProgress(ServiceError):
    """The first request with this idempotency key has no answer yet."""


class AnotherLog(ServiceError):
    """The caller's position in the feed is one of another log.

    log: ID of the log of this server, "" before its first entry.
    """

    def __init__(self, log: str) -> None:
        name = f"log {log}" if log else "a log without entries"
        super().__init__(f"the feed of this server belongs to {name}. Start at position 0")
        self.log = log


class TooMany(ServiceError):
    """There are too many requests or long answers, of this caller or in all.

    A retry may succeed in `after` seconds.

    kind: "requests" or "streams".
    """

    def __init__(self, kind: str, detail: str, after: int) -> None:
        super().__init__(detail)
        self.kind = kind
        self.after = after


class Overloaded(ServiceError):
    """The server cannot do this work now. A retry may succeed in `after` seconds."""

    def __init__(self, detail: str, after: int = 1) -> None:
        super().__init__(detail)
        self.after = after


class BodyTooSlow(ServiceError):
    """The body of the request came too slowly."""


class Busy(ServiceError):
    """The match has changed in each of several tries to make the commit."""


class BadRecord(ServiceError):
    """The record does not verify, or may not be imported.

    commit: the first bad commit, 0 for the record as a whole.   code: code of the fault.
    """

    def __init__(self, commit: int, code: str, detail: str) -> None:
        message = f"commit {commit}: {detail}" if commit else detail
        super().__init__(message)
        self.commit = commit
        self.code = code


class RecordRulesUnknown(BadRecord):
    """The record may be right. The rules are of another release or of a game not installed here.

    name: the rules, as RulesUnknown names them.
    """

    def __init__(self, name: str) -> None:
        super().__init__(0, "rules_unknown", f"{name} is unknown to this release")
        self.name = name


class AlreadyThere(ServiceError):
    """Another match has the ID of the record, or the operator has deleted the match."""


def echoed(text: str) -> str:
    """Return the beginning of a stranger's text, for use in an error."""
    if len(text) <= MOST_ECHOED:
        return text
    return text[: MOST_ECHOED - 1] + _ELLIPSIS


def pointer(path: tuple[str | int, ...]) -> str:
    """Return a path as a JSON pointer (RFC 6901). Long names are cut."""
    steps = [_escaped(echoed(str(step))) for step in path]
    return "".join(f"/{step}" for step in steps)


def _escaped(step: str) -> str:
    """Return a step of a JSON pointer with ~ and / escaped (RFC 6901, 3)."""
    return step.replace("~", "~0").replace("/", "~1")
