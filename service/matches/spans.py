"""The states of a match at every version of a span, as each caller may see them."""

from collections.abc import Iterator

from service.keys.tokens import Caller
from service.ledger.canonical import Json
from service.ledger.replay import Loaded
from service.matches import reading
from service.matches.desk import Desk
from service.matches.loading import advance, at_version, from_one_stream, pieces
from service.matches.moments import Span


def rest(loaded: Loaded, after: int) -> Span:
    """Return all versions after one; there may be none."""
    return Span(min(after, loaded.version), loaded.version, closed=False)


def of(loaded: Loaded, after: int, limit: int) -> Span:
    """Return the versions after one, so many at most; there may be none."""
    until = min(after + limit, loaded.version)
    is_full = after + limit <= loaded.version
    return Span(min(after, until), until, closed=is_full)


def states(desk: Desk, loaded: Loaded, caller: Caller, span: Span) -> list[Json]:
    """Return the state at each version of a span; every commit is folded once.

    Raises NotFound or MatchDeleted if the match goes away meanwhile.
    """
    return from_one_stream(
        desk,
        read=lambda: list(each(desk, loaded, caller, span)),
    )


def each(desk: Desk, loaded: Loaded, caller: Caller, span: Span) -> Iterator[Json]:
    """Yield the same one by one; raises OtherStream, too, if the match becomes another one."""
    for then in _versions(desk, loaded.id, span):
        yield reading.view(then, caller)


def _versions(desk: Desk, match_id: str, span: Span) -> Iterator[Loaded]:
    """Yield a match at each version of a span."""
    then: Loaded | None = None
    if 0 < span.after < span.until:
        then = at_version(desk, match_id, span.after)

    for entries in pieces(desk, match_id, span.after, span.until):
        for entry in entries:
            then = advance(then, [entry])
            assert then is not None
            yield then
