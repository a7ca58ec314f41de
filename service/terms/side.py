"""The side of a term in the service: what is stored and shown of it, and how it is asked for.

The domain has the rules of a term. A side has all else, so that openings, commits, documents and
lists loop over sides and name no term.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from domain.match.state import Match, Term
from domain.wire import Message
from service import answers
from service.ledger.commit import Json

TermT = TypeVar("TermT")
ValueT = TypeVar("ValueT")

Plans = Sequence[Mapping[str, str]]  # the seats of an opening, as it was sent


class Deadline(NamedTuple):
    """What the house does about a term once its time is over.

    at: in milliseconds since the epoch, without the time that gaps took.
    """

    command: Message
    at: int


class Side(Generic[TermT, ValueT]):
    """The side of one term. By default it adds nothing.

    kind: the term.   name: its name, in requests too.
    is_rated: False if no match with the term is rated.
    fields: metadata fields that lists read.   news_fields: those that `news` reads.
    has_deadline: True if the field DEADLINE is stored with each commit of a match with the term.
    may_open_seats: True if the house may open seats again before the start.
    limited_deeds: commands that a long match takes no more, with what they do.
    """

    kind: ClassVar[type[Term]]
    name: ClassVar[str]
    is_rated: ClassVar[bool] = True
    fields: ClassVar[tuple[str, ...]] = ()
    news_fields: ClassVar[tuple[str, ...]] = ()
    has_deadline: ClassVar[bool] = False
    may_open_seats: ClassVar[bool] = False
    limited_deeds: ClassVar[Mapping[type, str]] = {}

    # ---- stored beside commits ----

    def stored_fields(self, _term: TermT) -> dict[str, str]:
        """Return metadata fields that are stored with the seats."""
        return {}

    def changed_fields(self, _before: Match | None, _after: Match) -> dict[str, str | None]:
        """Return metadata fields that a commit changes (None: deletes)."""
        return {}

    def rests_until(self, _match: Match, _term: TermT) -> int:
        """Return the time until which the bots of a match rest, 0 if they do not."""
        return 0

    def deadline(self, _match: Match, _term: TermT, _without_gaps: Match) -> Deadline | None:
        """Return the next timeout, None if no time of the term runs.

        _without_gaps: the match as it would be had no time passed in gaps.
        """
        return None

    # ---- shown ----

    def document(self, match: Match, term: TermT, answer: answers.Match) -> None:
        """Add the term to the document of a match."""

    def state(self, term: TermT, answer: answers.State) -> None:
        """Add the term to a state of a match."""

    def summary(self, metadata: Mapping[str, str], answer: answers.MatchSummary) -> None:
        """Add the term to a match in a list."""

    def news(
        self, _metadata: Mapping[str, str], _seat: int | None, _standing: answers.MatchNews
    ) -> Iterable[answers.MatchNews]:
        """Return news for the holder of a seat, from how the match stands."""
        return ()

    # ---- asked for in an opening ----

    def is_request(self, value: object) -> bool:
        """Return True if a member of a request asks for the term."""
        return value not in (None, False)

    def request_for(self, _term: TermT) -> ValueT | None:
        """Return the value that asks for the same term in a rematch, None to ask for none."""
        return None

    def fingerprint(self, value: ValueT) -> object:
        """Return the part of an opening's fingerprint. Its form is stored for ever."""
        raise NotImplementedError

    def bot_levels(self, _value: ValueT) -> dict[str, str]:
        """Return levels of bots by their JSON pointers in the request."""
        return {}

    def open_members(self, _value: ValueT, _plans: Plans, _levels: Sequence[str]) -> Json:
        """Return the members of `open`. Raises Invalid.

        _levels: those of the bots that the game has.
        """
        return {}

    def check_seats_without(self, plans: Plans) -> None:
        """Raise Invalid for members of seats that only matches with the term have."""


AnySide = Side[Any, Any]
