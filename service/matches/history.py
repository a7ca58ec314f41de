"""History: pages of commits, filtered or not, and the diff between two versions.

Commits are read in their stored form. Only a diff loads states.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self

from domain.games import RULES
from domain.match import messages
from service.base import answers
from service.base.errors import Invalid, Mistake
from service.base.json_patch import changes
from service.matches import views
from service.matches.access import Access
from service.matches.context import Context
from service.matches.repository import pieces, rules_of
from service.record.commit import Content, parse_commits
from service.store.journal.values import Range

LOOKED_AT = 2000  # most commits read for one page of a filtered history


@dataclass(frozen=True, slots=True)
class CommitFilter:
    """A filter of commits: by an actor, with an event of a type, or both. None: any."""

    actor: str | None = None
    type: str | None = None

    def __bool__(self) -> bool:
        return self.actor is not None or self.type is not None

    def wants(self, commit: Content) -> bool:
        """Return True if a commit's content passes the filter."""
        if self.actor is not None and commit["actor"] != self.actor:
            return False
        return self.type is None or any(event["type"] == self.type for event in commit["events"])


@dataclass(frozen=True, slots=True)
class Selection:
    """Commits of a history: those of a range that pass a filter."""

    range: Range
    commit_filter: CommitFilter


@dataclass(frozen=True, slots=True)
class PageExtent:
    """The extent of a page of a history.

    last: the last version read.
    fixed: True if the content of the page will never change.
    more: True if a next page may have commits.
    """

    last: int
    fixed: bool
    more: bool

    @classmethod
    def of(cls, span: Range, last: int, *, is_full: bool, head: int) -> Self:
        """Return the extent of a page of a range, read up to `last`.

        is_full: True if the page holds as much as it may. head: the version of the match.
        """
        at_end = last >= span.until
        fixed = is_full or not at_end or span.closed
        return cls(
            last=last if fixed else head,
            fixed=fixed,
            more=not at_end or (is_full and not span.closed),
        )


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Some commits, oldest first, and the extent of their page."""

    commits: list[answers.Commit]
    extent: PageExtent

    @property
    def last_hash(self) -> str | None:
        """The hash of the last version read, None if its commit is not on the page."""
        if self.commits and self.commits[-1]["version"] == self.extent.last:
            last: str = self.commits[-1]["hash"]
            return last
        return None


def check_type(ctx: Context, access: Access, kind: str | None) -> None:
    """Raise Invalid for a type of event that the match's rules do not have."""
    if kind is None:
        return

    types = [*messages.EVENTS, *RULES[rules_of(ctx, access.match)].events]
    if kind not in types:
        raise Invalid(Mistake.in_parameter("type", f"must be one of {', '.join(types)}"))


def page(ctx: Context, access: Access, selection: Selection, limit: int) -> HistoryPage:
    """Return the first commits selected, at most `limit`, in the caller's view.

    A page of a filtered history ends after LOOKED_AT commits. So a page may have fewer than `limit`
    commits although more follow.
    """
    span = selection.range
    most = LOOKED_AT if selection.commit_filter else limit
    near = Range(span.after, min(span.until, span.after + most), closed=True)

    commits = []
    last = span.after
    for version, commit in _read_commits(ctx, access, Selection(near, selection.commit_filter)):
        last = version
        if commit is not None:
            commits.append(commit)
        if len(commits) == limit:
            break

    is_full = len(commits) == limit
    return HistoryPage(commits, PageExtent.of(span, last, is_full=is_full, head=access.version))


def lines(ctx: Context, access: Access, selection: Selection) -> Iterator[answers.Commit]:
    """Yield all commits selected, in the caller's view."""
    for _, commit in _read_commits(ctx, access, selection):
        if commit is not None:
            yield commit


def _read_commits(
    ctx: Context, access: Access, selection: Selection
) -> Iterator[tuple[int, answers.Commit | None]]:
    """Yield each version of a range with its commit in the caller's view.

    The commit is None if the filter leaves it out.
    """
    span = selection.range
    rules = ""
    for entries in pieces(ctx, access.match, span.after, span.until):
        commits = parse_commits(entries)
        rules = rules or rules_of(ctx, access.match, commits)
        for entry in commits:
            is_wanted = selection.commit_filter.wants(entry["commit"])
            answer = views.shown(entry, rules, access.caller) if is_wanted else None
            yield entry["commit"]["version"], answer


# The diff between two versions: the commits in between, and the changes of the view.


class VersionPair(NamedTuple):
    """Two versions to compare. The start may be the later one."""

    start: int
    end: int


def between(ctx: Context, access: Access, pair: VersionPair, limit: int) -> answers.Diff:
    """Return the changes from one version to another in the caller's view, with no story yet.

    limit: most commits in the diff.
    """
    old = _state(ctx, access, pair.start)
    new = _state(ctx, access, pair.end)

    listed = listed_between(pair, limit)
    number = listed.until - listed.after
    commits = views.commits(ctx, access, listed.after, number) if number else []

    return {
        "match": access.match,
        "from": pair.start,
        "to": pair.end,
        "commits": commits,
        "story": [],
        "changes": list(changes(old, new)),
    }


def listed_between(pair: VersionPair, limit: int) -> Range:
    """Return the commits between two versions that a diff lists, at most `limit`."""
    earlier = min(pair)
    until = min(max(pair), earlier + limit)
    return Range(earlier, until, closed=True)


def _state(ctx: Context, access: Access, version: int) -> answers.View:
    """Return the state at a version in the caller's view, {} if there was none."""
    loaded = views.load_at(ctx, access, version)
    return views.view(loaded, access.caller)["state"] or {}
