"""Views: a match, its state and its commits, as each caller may see them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from service.base import answers
from service.base.errors import NotFound
from service.base.metadata_fields import DEADLINE, IMPORTED, REMATCH, REMATCH_OF
from service.matches import repository, seats
from service.matches.access import Access, check_revealed
from service.matches.context import Context
from service.record.codec import put_back
from service.record.commit import StoredCommit, milliseconds, parse_commits, timestamp
from service.record.replay import Loaded, outcome
from service.record.terms.sides import terms_of
from service.store.keys.signer import Accepted
from service.store.keys.tokens import Caller

# A match at one version.


def document(loaded: Loaded, names: Mapping[int, str]) -> answers.Match:
    """Return what a match is: game, seats with their names, status, version, who must act."""
    match = loaded.match
    shown: answers.Match = {
        "id": loaded.id,
        "game": match.game.key,
        "rules": match.rules,
        "match_rules": match.match_rules.number,
        "options": dict(match.options),
        "visibility": match.visibility,
        "advice": match.advice,
        "status": loaded.status.name,
        "version": loaded.version,
        "hash": loaded.hash,
        "created": loaded.created,
        "updated": loaded.time,
        "waiting_for": waiting_for(loaded),
        "seats": seats.seat_holders(match, names),
        "commitment": match.commitment,
        "outcome": outcome(loaded),
    }
    for side, term in terms_of(match):
        side.document(match, term, shown)
    return shown


def imported_in(metadata: Mapping[str, str]) -> answers.Origin | None:
    """Return when (`at`) and by whom (`by`) a match was imported, None if it was played here."""
    note = metadata.get(IMPORTED)
    if note is None:
        return None
    origin: answers.Origin = orjson.loads(note)
    return origin


def link_rematches(document: answers.Match, metadata: Mapping[str, str]) -> None:
    """Name in a match's document the match before and the match after it, if there are any."""
    if REMATCH in metadata:
        document["rematch"] = metadata[REMATCH]
    if REMATCH_OF in metadata:
        document["rematch_of"] = metadata[REMATCH_OF]


def waiting_for(loaded: Loaded) -> answers.WaitingFor:
    """Return whom the match waits for: the house, or seats, and which of them are bots'."""
    status = loaded.status
    return {
        "house": status.awaiting == "house",
        "seats": list(status.seats),
        "bots": list(status.bots),
    }


def view(loaded: Loaded, caller: Caller) -> answers.State:
    """Return the state as the caller may see it; it is None before the match has started.

    `known` stands beside it, because commits hold digests of the public `state`.
    """
    match = loaded.match
    game = match.game
    has_started = match.state is not None
    state = game.view(match.state, caller.seat) if has_started else None
    known = game.known(match.state) if has_started else None
    shown: answers.State = {
        "match": loaded.id,
        "game": game.key,
        "version": loaded.version,
        "time": loaded.time,
        "hash": loaded.hash,
        "status": loaded.status.name,
        "waiting_for": waiting_for(loaded),
        "seat": caller.seat,
        "state": state,
        "known": known,
    }
    for side, term in terms_of(match):
        side.state(term, shown)
    if (result := outcome(loaded)) is not None:
        shown["outcome"] = result
    return shown


def seen_by(ctx: Context, access: Access, seat: int | None) -> Access:
    """Return the match as a seat may see it; None: as the caller may.

    Until all secrets are revealed nobody looks with the eyes of another seat (M9). Raises Illegal
    then, and NotFound for a seat that the match does not have.
    """
    if seat is None or seat == access.caller.seat:
        return access

    check_revealed(
        access, "What a seat alone may see is open to others once the match is revealed."
    )
    last = len(repository.load_head(ctx, access).match.seats) - 1
    if seat > last:
        raise NotFound(f"match {access.match} has the seats 0 to {last}, not {seat}")
    return replace(access, caller=Caller("seat", seat))


def deadline(metadata: Mapping[str, str]) -> str | None:
    """Return when the first seat's time runs out, as lists show it; None: nobody's time runs.

    metadata: the field DEADLINE at least, if it is there.
    """
    stored = metadata.get(DEADLINE)
    return timestamp(int(stored)) if stored else None


def load_at(ctx: Context, access: Access, version: int) -> Loaded:
    """Return the match as it was at a version; raises NotFound, MatchDeleted."""
    check_version(access, version)
    if version == access.version:
        return repository.load_head(ctx, access)
    return repository.load_version(ctx, access.match, version)


def check_version(access: Access, version: int) -> None:
    """Raise NotFound for a version that the match does not have."""
    last = access.version
    if not 1 <= version <= last:
        raise NotFound(f"match {access.match} has the versions 1 to {last}, not {version}")


# Its commits, and the receipts of them.


def commits(ctx: Context, access: Access, after: int, limit: int) -> list[answers.Commit]:
    """Return commits after a version, oldest first, as the caller may see them."""
    entries = parse_commits(ctx.journal.events.read(access.match, after, limit))
    rules = repository.rules_of(ctx, access.match, entries)
    return [shown(entry, rules, access.caller) for entry in entries]


def shown(entry: StoredCommit, rules: str, caller: Caller) -> answers.Commit:
    """Return a commit for reading, with the caller's own secrets in it and no others.

    rules: the match's. A reader needs them, because games use some types for different messages.
    """
    commit = entry["commit"]
    seen = audiences(caller)
    command, events = put_back(entry, seen)
    answer: answers.Commit = {
        "match": commit["match"],
        "game": repository.game_of(rules),
        "rules": rules,
        "version": commit["version"],
        "time": commit["time"],
        "actor": commit["actor"],
        "command": command,
        "events": events,
        "hash": entry["hash"],
        "prev": commit["prev"],
    }
    if "signature" in commit:
        answer["signature"] = commit["signature"]
    for audience in seen:
        if "signature" in entry["secrets"].get(audience, ()):
            answer["signature"] = entry["secrets"][audience]["signature"]["hex"]
    return answer


def audiences(caller: Caller) -> Sequence[str]:
    """Return the audiences whose secret parts a caller may see."""
    return [caller.name] if caller.seat is not None else []


def receipt(ctx: Context, entry: StoredCommit) -> answers.Receipt | None:
    """Return the receipt of a commit, None where nobody signs."""
    return ctx.signer.sign(Accepted.of(entry)) if ctx.signer else None


def head_receipt(ctx: Context, loaded: Loaded) -> answers.Receipt | None:
    """Return the receipt of a match's last commit, None where nobody signs."""
    last = Accepted(
        match=loaded.id,
        version=loaded.version,
        hash=loaded.hash,
        time=loaded.time,
    )
    return ctx.signer.sign(last) if ctx.signer else None


# Positions in the history of a match, and ranges of commits between two of them.


@dataclass(frozen=True, slots=True)
class Position:
    """A point in the history of a match: right after a version, or at a time. One of them is None.

    time: milliseconds since the epoch.
    """

    version: int | None = None
    time: int | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """The commits after version `after` up to version `until`, that one included.

    closed: nothing will ever be added to it, because a commit after it exists or it ends at a
        given version.
    start: the version before all that was asked for; `after` has come so far from there.
    """

    after: int
    until: int
    closed: bool
    start: int = 0


def version_of(ctx: Context, access: Access, position: Position) -> int:
    """Return the version that a match had at a position.

    Raises NotFound for a position before its opening, and for a version after its head.
    """
    if position.time is not None:
        created = access.head.created
        if position.time < created:
            raise NotFound(f"match {access.match} was opened only at {timestamp(created)}")
        return _version_at(ctx, access, position.time)

    version = position.version or 0
    check_version(access, version)
    return version


def is_past(access: Access, position: Position, version: int) -> bool:
    """Return whether a position will always have this version.

    A time has it for good once a later commit exists.
    """
    return position.version is not None or version < access.version


def range_of(
    ctx: Context, access: Access, after: int, first: Position | None, last: Position | None
) -> Range:
    """Return the commits after a version that were made from one position to another.

    Both positions are included; None: the opening, the present. Positions outside of the match's
    life are no error: nothing was made there.
    """
    start = 0 if first is None else _last_before(ctx, access, first)
    after = max(after, start)

    if last is None:
        until = access.version
        closed = False
    elif last.version is not None:
        until = min(last.version, access.version)
        closed = last.version <= access.version
    else:
        until = _version_at(ctx, access, last.time or 0)
        closed = until < access.version
    return Range(after=after, until=until, closed=closed, start=start)


def range_to_head(access: Access, after: int) -> Range:
    """Return all versions after one; there may be none."""
    return Range(min(after, access.version), access.version, closed=False)


def page_range(access: Access, after: int, limit: int) -> Range:
    """Return the versions after one, so many at most; there may be none."""
    until = min(after + limit, access.version)
    is_full = after + limit <= access.version
    return Range(min(after, until), until, closed=is_full)


def _last_before(ctx: Context, access: Access, first: Position) -> int:
    """Return the last version made before a position, 0 if there is none."""
    if first.version is not None:
        return first.version - 1
    return _version_at(ctx, access, (first.time or 0) - 1)


def _version_at(ctx: Context, access: Access, time: int) -> int:
    """Return the last version made at or before a time, 0 if there is none."""
    if time < access.head.created:
        return 0
    if time >= access.head.updated:
        return access.version

    # The times of commits never decrease, so the version is found by halving.
    made_by_then = 1
    made_later = access.version
    while made_later - made_by_then > 1:
        middle = (made_by_then + made_later) // 2
        if _time_of(ctx, access, middle) <= time:
            made_by_then = middle
        else:
            made_later = middle
    return made_by_then


def _time_of(ctx: Context, access: Access, version: int) -> int:
    """Return when a version was made, in milliseconds since the epoch."""
    return milliseconds(repository.read_commit(ctx, access.match, version)["commit"]["time"])


# The states at every version of a range.


def states(ctx: Context, access: Access, wanted: Range) -> list[answers.State]:
    """Return the state at each version of a range; every commit is folded once.

    Raises NotFound or MatchDeleted if the match goes away meanwhile.
    """
    return repository.from_one_stream(
        ctx,
        read=lambda: list(each_state(ctx, access, wanted)),
    )


def each_state(ctx: Context, access: Access, wanted: Range) -> Iterator[answers.State]:
    """Yield the state at each version of a range; raises what `states` raises, and OtherStream.

    OtherStream means that the match became another one while it was read.
    """
    for loaded in versions(ctx, access.match, wanted):
        yield view(loaded, access.caller)


def versions(ctx: Context, match_id: str, wanted: Range) -> Iterator[Loaded]:
    """Yield a match at each version of a range."""
    loaded: Loaded | None = None
    if 0 < wanted.after < wanted.until:
        loaded = repository.load_version(ctx, match_id, wanted.after)

    for entries in repository.pieces(ctx, match_id, wanted.after, wanted.until):
        for entry in entries:
            loaded = repository.replay_next(loaded, [entry])
            assert loaded is not None
            yield loaded
