"""What a match is, its state, its history and its receipts, as each caller may see them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from service.errors import NotFound
from service.keys.tokens import Caller
from service.ledger.codec import put_back
from service.ledger.commit import Json, StoredCommit, milliseconds, parse_commit, parse_object
from service.ledger.record import Accepted
from service.ledger.replay import Loaded, outcome
from service.matches import seats
from service.matches.context import Context
from service.matches.repository import advance, at_version, entry_of, from_one_stream, pieces

# §§§ service.matches.views


IMPORTED = "imported"  # the field of the sidecar that tells when and by whom a match was imported


def document(loaded: Loaded, names: Mapping[int, str]) -> Json:
    """Return what a match is: game, seats with their names, status, version, who must act."""
    match = loaded.match
    return {
        "id": loaded.id,
        "game": match.game.key,
        "rules": match.rules,
        "options": dict(match.options),
        "visibility": match.visibility,
        "advice": match.advice,
        "status": match.status.name,
        "version": loaded.version,
        "hash": loaded.hash,
        "created": loaded.created,
        "updated": loaded.time,
        "waiting_for": waiting_for(loaded),
        "seats": seats.seat_holders(match, names),
        "commitment": match.commitment,
        "outcome": outcome(loaded),
    }


def imported_in(sidecar: Mapping[str, str]) -> Json | None:
    """Return when (`at`) and by whom (`by`) a match was imported, None if it was played here."""
    note = sidecar.get(IMPORTED)
    return None if note is None else parse_object(note.encode())


def waiting_for(loaded: Loaded) -> Json:
    """Return whom the match waits for: the house, or seats, and which of them are bots'."""
    status = loaded.match.status
    return {
        "house": status.worker == "house",
        "seats": list(status.seats),
        "bots": list(status.bots),
    }


def view(loaded: Loaded, caller: Caller) -> Json:
    """Return the state as the caller may see it; it is None before the match has started.

    `known` stands beside it, because commits hold digests of the public `state`.
    """
    match = loaded.match
    has_started = match.state is not None
    state = match.game.view(match.state, caller.seat) if has_started else None
    known = match.game.known(match.state) if has_started else None
    return {
        "match": loaded.id,
        "game": match.game.key,
        "version": loaded.version,
        "time": loaded.time,
        "hash": loaded.hash,
        "status": match.status.name,
        "waiting_for": waiting_for(loaded),
        "seat": caller.seat,
        "state": state,
        "known": known,
    }


def state_at(ctx: Context, loaded: Loaded, version: int | None) -> Loaded:
    """Return the match as it was at a version (None: as it is); raises NotFound."""
    if version is None or version == loaded.version:
        return loaded

    check_version(loaded, version)
    return at_version(ctx, loaded.id, version)


def check_version(loaded: Loaded, version: int) -> None:
    """Raise NotFound for a version that the match does not have."""
    if not 1 <= version <= loaded.version:
        raise NotFound(f"match {loaded.id} has the versions 1 to {loaded.version}, not {version}")


def commits(ctx: Context, loaded: Loaded, caller: Caller, after: int, limit: int) -> list[Json]:
    """Return commits after a version, oldest first, as the caller may see them."""
    entries = ctx.journal.events.read(loaded.id, after, limit)
    return [shown(parse_commit(entry), caller) for entry in entries]


def shown(entry: StoredCommit, caller: Caller) -> Json:
    """Return a commit for reading, with the caller's own secrets in it and nobody else's."""
    commit = entry["commit"]
    command, events = put_back(entry, audiences(caller))
    return {
        "match": commit["match"],
        "version": commit["version"],
        "time": commit["time"],
        "actor": commit["actor"],
        "command": command,
        "events": events,
        "hash": entry["hash"],
        "prev": commit["prev"],
    }


def audiences(caller: Caller) -> Sequence[str]:
    """Return the audiences whose secret parts a caller may see."""
    return [caller.name] if caller.seat is not None else []


def receipt(ctx: Context, entry: StoredCommit) -> Json | None:
    """Return the receipt of a commit, None where nobody signs."""
    return ctx.signer.sign(Accepted.of(entry)) if ctx.signer else None


def head_receipt(ctx: Context, loaded: Loaded) -> Json | None:
    """Return the receipt of a match's last commit, None where nobody signs."""
    last = Accepted(
        match=loaded.id,
        version=loaded.version,
        hash=loaded.hash,
        time=loaded.time,
    )
    return ctx.signer.sign(last) if ctx.signer else None


# §§§ service.matches.views
# Moments of a match's past, and spans of commits between two of them.
#
# A moment is told as a version or as a time; times are milliseconds since the epoch.


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in the past of a match: right after a version, or at a time. One of the two is None.

    time: milliseconds since the epoch.
    """

    version: int | None = None
    time: int | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """The commits after version `after` up to version `until`, that one included.

    closed: nothing will ever be added to it, because a commit after it exists or it ends at a
        given version.
    start: the version before all that was asked for; `after` has come so far from there.
    """

    after: int
    until: int
    closed: bool
    start: int = 0


def version_of(ctx: Context, loaded: Loaded, moment: Moment) -> int:
    """Return the version that a match had at a moment.

    Raises NotFound for a moment before its opening, and for a version after its head.
    """
    if moment.time is not None:
        if moment.time < milliseconds(loaded.created):
            raise NotFound(f"match {loaded.id} was opened only at {loaded.created}")
        return _version_at(ctx, loaded, moment.time)

    version = moment.version or 0
    check_version(loaded, version)
    return version


def is_past(loaded: Loaded, moment: Moment, version: int) -> bool:
    """Return whether a moment will always have this version.

    A time has it for good once a later commit exists.
    """
    return moment.version is not None or version < loaded.version


def span(
    ctx: Context, loaded: Loaded, after: int, first: Moment | None, last: Moment | None
) -> Span:
    """Return the commits after a version that were made from one moment to another.

    Both moments are included; None: the opening, the present. Moments outside of the match's life
    are no error: nothing was made there.
    """
    start = 0 if first is None else _last_before(ctx, loaded, first)
    after = max(after, start)

    if last is None:
        return Span(after, loaded.version, closed=False, start=start)

    if last.version is not None:
        until = min(last.version, loaded.version)
        return Span(after, until, closed=last.version <= loaded.version, start=start)

    until = _version_at(ctx, loaded, last.time or 0)
    return Span(after, until, closed=until < loaded.version, start=start)


def _last_before(ctx: Context, loaded: Loaded, first: Moment) -> int:
    """Return the last version made before a moment, 0 if there is none."""
    if first.version is not None:
        return first.version - 1
    return _version_at(ctx, loaded, (first.time or 0) - 1)


def _version_at(ctx: Context, loaded: Loaded, time: int) -> int:
    """Return the last version made at or before a time, 0 if there is none."""
    if time < milliseconds(loaded.created):
        return 0
    if time >= milliseconds(loaded.time):
        return loaded.version

    # The times of commits never decrease, so the version is found by halving.
    made_by_then = 1
    made_later = loaded.version
    while made_later - made_by_then > 1:
        middle = (made_by_then + made_later) // 2
        if _time_of(ctx, loaded, middle) <= time:
            made_by_then = middle
        else:
            made_later = middle
    return made_by_then


def _time_of(ctx: Context, loaded: Loaded, version: int) -> int:
    """Return when a version was made."""
    return milliseconds(entry_of(ctx, loaded.id, version)["commit"]["time"])


# §§§ service.matches.views
# The states of a match at every version of a span, as each caller may see them.


def rest(loaded: Loaded, after: int) -> Span:
    """Return all versions after one; there may be none."""
    return Span(min(after, loaded.version), loaded.version, closed=False)


def of(loaded: Loaded, after: int, limit: int) -> Span:
    """Return the versions after one, so many at most; there may be none."""
    until = min(after + limit, loaded.version)
    is_full = after + limit <= loaded.version
    return Span(min(after, until), until, closed=is_full)


def states(ctx: Context, loaded: Loaded, caller: Caller, span: Span) -> list[Json]:
    """Return the state at each version of a span; every commit is folded once.

    Raises NotFound or MatchDeleted if the match goes away meanwhile.
    """
    return from_one_stream(
        ctx,
        read=lambda: list(each(ctx, loaded, caller, span)),
    )


def each(ctx: Context, loaded: Loaded, caller: Caller, span: Span) -> Iterator[Json]:
    """Yield the same one by one; raises OtherStream, too, if the match becomes another one."""
    for then in _versions(ctx, loaded.id, span):
        yield view(then, caller)


def _versions(ctx: Context, match_id: str, span: Span) -> Iterator[Loaded]:
    """Yield a match at each version of a span."""
    then: Loaded | None = None
    if 0 < span.after < span.until:
        then = at_version(ctx, match_id, span.after)

    for entries in pieces(ctx, match_id, span.after, span.until):
        for entry in entries:
            then = advance(then, [entry])
            assert then is not None
            yield then
