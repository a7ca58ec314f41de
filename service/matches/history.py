"""History: pages of commits, filtered or not, and the diff between two versions.

Commits are read as they are stored; only a diff loads states.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self

from domain.games import RULES
from domain.match import messages
from service.base import answers
from service.base.errors import Invalid, Mistake, pointer
from service.matches import views
from service.matches.access import Access
from service.matches.context import Context
from service.matches.repository import pieces, rules_of
from service.matches.views import Range
from service.record.commit import Content, parse_commits

LOOKED_AT = 2000  # commits looked at for one page of a filtered history, at most


@dataclass(frozen=True, slots=True)
class CommitFilter:
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
    """Commits of a history: those of a range that a filter wants."""

    range: Range
    wanted: CommitFilter


@dataclass(frozen=True, slots=True)
class PageExtent:
    """How far a page of a history goes.

    last: up to which version the history was looked at.
    fixed: the page will never hold anything else.
    more: the history may go on after it.
    """

    last: int
    fixed: bool
    more: bool

    @classmethod
    def of(cls, wanted: Range, last: int, *, is_full: bool, head: int) -> Self:
        """Return how far a page of a range goes that was looked at up to `last`.

        is_full: it holds as much as it may. head: the version of the match.
        """
        at_end = last >= wanted.until
        fixed = is_full or not at_end or wanted.closed
        return cls(
            last=last if fixed else head,
            fixed=fixed,
            more=not at_end or (is_full and not wanted.closed),
        )


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Some commits, oldest first, and how far they go."""

    commits: list[answers.Commit]
    extent: PageExtent

    @property
    def last_hash(self) -> str | None:
        """The hash of the commit that the page goes up to, None if that is not on it."""
        if self.commits and self.commits[-1]["version"] == self.extent.last:
            last: str = self.commits[-1]["hash"]
            return last
        return None


def check_type(ctx: Context, access: Access, kind: str | None) -> None:
    """Raise Invalid for a type of event that the match's rules do not know."""
    if kind is None:
        return

    known = [*messages.EVENTS, *RULES[rules_of(ctx, access.match)].events]
    if kind not in known:
        raise Invalid(Mistake.in_query("type", f"must be one of {', '.join(known)}"))


def page(ctx: Context, access: Access, selection: Selection, limit: int) -> HistoryPage:
    """Return the first commits selected, at most `limit`, as the caller may see them.

    A page of a filtered history ends after LOOKED_AT commits: it may be short and yet have more
    after it.
    """
    wanted = selection.range
    most = LOOKED_AT if selection.wanted else limit
    near = Range(wanted.after, min(wanted.until, wanted.after + most), closed=True)

    found = []
    last = wanted.after
    for version, commit in _shown(ctx, access, Selection(near, selection.wanted)):
        last = version
        if commit is not None:
            found.append(commit)
        if len(found) == limit:
            break

    is_full = len(found) == limit
    return HistoryPage(found, PageExtent.of(wanted, last, is_full=is_full, head=access.version))


def lines(ctx: Context, access: Access, selection: Selection) -> Iterator[answers.Commit]:
    """Yield all commits selected, as the caller may see them."""
    for _, commit in _shown(ctx, access, selection):
        if commit is not None:
            yield commit


def _shown(
    ctx: Context, access: Access, selection: Selection
) -> Iterator[tuple[int, answers.Commit | None]]:
    """Yield each version of a range with its commit as the caller may see it.

    The commit is None where it is not wanted.
    """
    wanted = selection.range
    rules = ""
    for entries in pieces(ctx, access.match, wanted.after, wanted.until):
        commits = parse_commits(entries)
        rules = rules or rules_of(ctx, access.match, commits)
        for entry in commits:
            is_wanted = selection.wanted.wants(entry["commit"])
            shown = views.shown(entry, rules, access.caller) if is_wanted else None
            yield entry["commit"]["version"], shown


# The diff between two versions: the commits in between, and the changes of the view. These are a
# JSON Patch (RFC 6902); its members `was` say what is replaced or removed.


Path = tuple[str | int, ...]


class VersionPair(NamedTuple):
    """The two versions that are compared; the start may be the later one."""

    start: int
    end: int


def between(ctx: Context, access: Access, pair: VersionPair, limit: int) -> answers.Diff:
    """Return what changed from one version to another, as the caller may see it; no story yet.

    limit: at most so many of the commits in between are part of it.
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
    """Return the commits between two versions that a diff lists, at most so many."""
    earlier = min(pair)
    until = min(max(pair), earlier + limit)
    return Range(earlier, until, closed=True)


def _state(ctx: Context, access: Access, version: int) -> answers.View:
    """Return the state at a version as the caller may see it, {} where there was none."""
    loaded = views.load_at(ctx, access, version)
    return views.view(loaded, access.caller)["state"] or {}


def changes(old: object, new: object, path: Path = ()) -> Iterator[answers.Change]:
    """Yield the operations that make `new` of `old`, in order."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _changes_of_object(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _changes_of_list(old, new, path)
    elif old != new or type(old) is not type(new):
        yield {"op": "replace", "path": pointer(path), "value": new, "was": old}


def _changes_of_object(
    old: dict[str, object], new: dict[str, object], path: Path
) -> Iterator[answers.Change]:
    for name, value in old.items():
        if name not in new:
            yield _removal((*path, name), value)

    for name, value in new.items():
        if name in old:
            yield from changes(old[name], value, (*path, name))
        else:
            yield _addition((*path, name), value)


def _changes_of_list(old: list[object], new: list[object], path: Path) -> Iterator[answers.Change]:
    """Yield the changes place by place.

    What is surplus is removed from the end, so that every path is right when its turn comes.
    """
    for place, (before, after) in enumerate(zip(old, new, strict=False)):
        yield from changes(before, after, (*path, place))

    surplus = range(len(new), len(old))
    for place in reversed(surplus):
        yield _removal((*path, place), old[place])

    missing = range(len(old), len(new))
    for place in missing:
        yield _addition((*path, place), new[place])


def _removal(path: Path, value: object) -> answers.Change:
    return {"op": "remove", "path": pointer(path), "was": value}


def _addition(path: Path, value: object) -> answers.Change:
    return {"op": "add", "path": pointer(path), "value": value}
