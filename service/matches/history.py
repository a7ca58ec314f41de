"""The history of a match in pages: commits of a span, of one actor, or with one type of event."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from domain.match import messages
from service.errors import Invalid, Place
from service.keys.tokens import Caller
from service.ledger.canonical import Json
from service.ledger.commit import Content, parse_commits
from service.ledger.replay import Loaded
from service.matches import reading
from service.matches.desk import Desk
from service.matches.loading import pieces
from service.matches.moments import Span

LOOKED_AT = 2000  # commits looked at for one page of a filtered history, at most


@dataclass(frozen=True, slots=True)
class Filter:
    """Which commits are wanted: those of an actor, and those with an event of a type; None: all."""

    actor: str | None = None
    type: str | None = None

    def __bool__(self) -> bool:
        return self.actor is not None or self.type is not None

    def wants(self, commit: Content) -> bool:
        """Return whether a commit's content is wanted."""
        if self.actor is not None and commit["actor"] != self.actor:
            return False
        return self.type is None or any(event["type"] == self.type for event in commit["events"])


@dataclass(frozen=True, slots=True)
class Selection:
    """Commits of a history: those of a span that a filter wants."""

    span: Span
    wanted: Filter


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a page of a history goes.

    last: up to which version the history was looked at.
    fixed: the page will never hold anything else.
    more: the history may go on after it.
    """

    last: int
    fixed: bool
    more: bool

    @classmethod
    def of(cls, span: Span, last: int, *, is_full: bool, head: int) -> Self:
        """Return how far a page of a span goes that was looked at up to `last`.

        is_full: it holds as much as it may. head: the version of the match.
        """
        at_end = last >= span.until
        fixed = is_full or not at_end or span.closed
        return cls(
            last=last if fixed else head,
            fixed=fixed,
            more=not at_end or (is_full and not span.closed),
        )


@dataclass(frozen=True, slots=True)
class Page:
    """Some commits, oldest first, and how far they go."""

    commits: list[Json]
    reach: Reach


def check_type(loaded: Loaded, kind: str | None) -> None:
    """Raise Invalid for a type of event that the match's rules do not know."""
    known = [*messages.EVENTS, *loaded.match.game.events]
    if kind is not None and kind not in known:
        raise Invalid(Place.in_query("type", f"must be one of {', '.join(known)}"))


def page(desk: Desk, loaded: Loaded, caller: Caller, selection: Selection, limit: int) -> Page:
    """Return the first commits selected, at most `limit`, as the caller may see them.

    A page of a filtered history ends after LOOKED_AT commits: it may be short and yet have more
    after it.
    """
    span = selection.span
    reach = LOOKED_AT if selection.wanted else limit
    near = Span(span.after, min(span.until, span.after + reach), closed=True)

    found = []
    last = span.after
    for version, commit in _shown(desk, loaded, caller, Selection(near, selection.wanted)):
        last = version
        if commit is not None:
            found.append(commit)
        if len(found) == limit:
            break

    is_full = len(found) == limit
    return Page(found, Reach.of(span, last, is_full=is_full, head=loaded.version))


def lines(desk: Desk, loaded: Loaded, caller: Caller, selection: Selection) -> Iterator[Json]:
    """Yield all commits selected, as the caller may see them."""
    for _, commit in _shown(desk, loaded, caller, selection):
        if commit is not None:
            yield commit


def _shown(
    desk: Desk, loaded: Loaded, caller: Caller, selection: Selection
) -> Iterator[tuple[int, Json | None]]:
    """Yield each version of a span with its commit as the caller may see it.

    The commit is None where it is not wanted.
    """
    span = selection.span
    for entries in pieces(desk, loaded.id, span.after, span.until):
        for entry in parse_commits(entries):
            is_wanted = selection.wanted.wants(entry["commit"])
            shown = reading.shown(entry, caller) if is_wanted else None
            yield entry["commit"]["version"], shown
