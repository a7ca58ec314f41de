"""The side of a term in the service: its metadata, its part of answers, and its requests.

The domain has the rules of a term. A side has the term's part of the service. Openings, commits,
documents and lists loop over the sides.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from domain.match.state import Match, Term
from domain.wire import Message
from service.base import answers
from service.record.commit import Json

TermT = TypeVar("TermT")
ValueT = TypeVar("ValueT")

Plans = Sequence[Mapping[str, str]]  # seats of an opening, as sent


class Deadline(NamedTuple):
    """The command of the house at a deadline.

    at: time of the deadline in milliseconds since 1970, with gaps cut out.
    """

    command: Message
    at: int


class Side(Generic[TermT, ValueT]):
    """The side of one term. By default a side adds nothing.

    kind: class of the term.   name: name of the term, and of the term's member in requests.
    is_rated: False if no match with the term is rated.
    fields: metadata fields for lists.   news_fields: metadata fields for `news`.
    has_deadline: True if each commit of a match with the term stores the field DEADLINE.
    may_open_seats: True if the house may open seats again before the start.
    limited_deeds: commands refused from LAST_SEAT_CHANGE on, with a phrase for the refusal.
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
        """Return the metadata fields to store with the seats."""
        return {}

    def changed_fields(self, _before: Match | None, _after: Match) -> dict[str, str | None]:
        """Return the metadata fields to change with a commit (None: delete)."""
        return {}

    def rests_until(self, _match: Match, _term: TermT) -> int:
        """Return the end of the rest of a match's bots, 0 without a rest."""
        return 0

    def deadline(self, _match: Match, _term: TermT, _without_gaps: Match) -> Deadline | None:
        """Return the next deadline, None if no time of the term runs.

        _without_gaps: the match, with gaps cut out of the times of its commits.
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
        """Return news for the holder of a token. _standing: members of all news of the match."""
        return ()

    # ---- requests ----

    def is_request(self, value: object) -> bool:
        """Return True if the value of a member requests the term."""
        return value not in (None, False)

    def request_for(self, _term: TermT) -> ValueT | None:
        """Return the value to request the term in a rematch. None: rematches lack the term."""
        return None

    def fingerprint(self, value: ValueT) -> object:
        """Return the term's part of an opening's fingerprint, in a form that never changes."""
        raise NotImplementedError

    def bot_levels(self, _value: ValueT) -> dict[str, str]:
        """Return the levels of bots by JSON pointer into the request."""
        return {}

    def open_members(self, _value: ValueT, _plans: Plans, _levels: Sequence[str]) -> Json:
        """Return the members of `open`. Raises Invalid.

        _levels: levels of the game's bots.
        """
        return {}

    def check_seats_without(self, plans: Plans) -> None:
        """Raise Invalid for members of seats that need the term."""


AnySide = Side[Any, Any]
