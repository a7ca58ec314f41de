"""Views: a match, its state and its commits, as each caller may see them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import orjson

from service.base import answers
from service.base.errors import NoSuchSeat, NotFound
from service.base.metadata_fields import DEADLINE, IMPORTED, REMATCH, REMATCH_OF
from service.matches import repository
from service.matches.access import Access, check_revealed
from service.matches.context import Context
from service.record.codec import put_back
from service.record.commit import StoredCommit, milliseconds, parse_commits, timestamp
from service.record.replay import Loaded, outcome
from service.record.terms.sides import terms_of
from service.store import seat_holders
from service.store.journal.values import Range
from service.store.keys.signer import Accepted
from service.store.keys.tokens import Caller

# A match at one version.


def document(loaded: Loaded, names: Mapping[int, str]) -> answers.Match:
    """Return the document of a match. names: names of the humans by seat."""
    match = loaded.match
    answer: answers.Match = {
        "match": loaded.id,
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
        "deadline": timestamp(match.next_due) if match.next_due else None,
        "seats": seat_holders.seat_holders(match, names),
        "commitment": match.commitment,
        "outcome": outcome(loaded),
    }
    for side, term in terms_of(match):
        side.document(match, term, answer)
    return answer


def add_import(document: answers.Match, metadata: Mapping[str, str]) -> None:
    """Add time and author of an import to a match's document, if it was imported."""
    stored = metadata.get(IMPORTED)
    if stored is not None:
        note = orjson.loads(stored)
        document["imported"], document["imported_by"] = note["at"], note["by"]


def link_rematches(document: answers.Match, metadata: Mapping[str, str]) -> None:
    """Add the earlier and the next match of a row of rematches to a document, if there are any."""
    if REMATCH in metadata:
        document["rematch"] = metadata[REMATCH]
    if REMATCH_OF in metadata:
        document["rematch_of"] = metadata[REMATCH_OF]


def waiting_for(loaded: Loaded) -> answers.WaitingFor:
    """Return the awaited parties: the house, or seats, and the bots among them."""
    status = loaded.status
    return {
        "house": status.awaiting == "house",
        "seats": list(status.seats),
        "bots": list(status.bots),
    }


def view(loaded: Loaded, caller: Caller) -> answers.State:
    """Return the state in the caller's view. Its member `state` is None before the start.

    `known` is no part of `state`, because commits hold digests of the public `state`.
    """
    match = loaded.match
    game = match.game
    has_started = match.state is not None
    state = game.view(match.state, caller.seat) if has_started else None
    facts = game.known(match.state) if has_started else None
    answer: answers.State = {
        "match": loaded.id,
        "game": game.key,
        "version": loaded.version,
        "time": loaded.time,
        "hash": loaded.hash,
        "status": loaded.status.name,
        "waiting_for": waiting_for(loaded),
        "seat": caller.seat,
        "state": state,
        "known": facts,
    }
    for side, term in terms_of(match):
        side.state(term, answer)
    if (result := outcome(loaded)) is not None:
        answer["outcome"] = result
    return answer


def seen_by(ctx: Context, access: Access, seat: int | None) -> Access:
    """Return access to the match as a seat. None: as the caller.

    Until all secrets are revealed, nobody gets the view of another seat (M9). Raises NoSuchSeat,
    NotRevealed.
    """
    if seat is None or seat == access.caller.seat:
        return access

    count = len(repository.load_head(ctx, access).match.seats)
    if seat >= count:
        raise NoSuchSeat(count)
    check_revealed(
        access,
        f"the view of seat {seat} is secret until the match is revealed. Use the token of that "
        "seat",
    )
    return replace(access, caller=Caller("seat", seat))


def deadline(metadata: Mapping[str, str]) -> str | None:
    """Return the next deadline in the form of lists, None if nobody's time runs.

    metadata: must include the field DEADLINE if the match has one.
    """
    stored = metadata.get(DEADLINE)
    return timestamp(int(stored)) if stored else None


def load_at(ctx: Context, access: Access, version: int) -> Loaded:
    """Return the match at a version. Raises NotFound, MatchDeleted."""
    check_version(access, version)
    if version == access.version:
        return repository.load_head(ctx, access)
    return repository.load_version(ctx, access.match, version)


def check_version(access: Access, version: int) -> None:
    """Raise NotFound for a version that the match does not have."""
    last = access.version
    if not 1 <= version <= last:
        raise NotFound(f"match {access.match} has the versions 1 to {last}, not {version}")


# Commits of a match, and their receipts.


def commits(ctx: Context, access: Access, after: int, limit: int) -> list[answers.Commit]:
    """Return commits after a version, oldest first, in the caller's view."""
    entries = parse_commits(ctx.journal.events.read(access.match, after, limit))
    rules = repository.rules_of(ctx, access.match, entries)
    return [shown(entry, rules, access.caller) for entry in entries]


def shown(entry: StoredCommit, rules: str, caller: Caller) -> answers.Commit:
    """Return a commit for reading, with the caller's own secrets in it and no others.

    rules: of the match. The answer names the rules, because two games may use one type for
        different messages.
    """
    commit = entry["commit"]
    audiences = caller.audiences
    command, events = put_back(entry, audiences)
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
    for audience in audiences:
        if "signature" in entry["secrets"].get(audience, ()):
            answer["signature"] = entry["secrets"][audience]["signature"]["hex"]
    return answer


def receipt(ctx: Context, entry: StoredCommit) -> answers.Receipt | None:
    """Return the receipt of a commit, None without a signer."""
    return ctx.signer.sign(Accepted.of(entry)) if ctx.signer else None


def head_receipt(ctx: Context, loaded: Loaded) -> answers.Receipt | None:
    """Return the receipt of a match's last commit, None without a signer."""
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
    """A point in the history of a match: a version, or a time. One of the two fields is None.

    time: milliseconds since the epoch.
    """

    version: int | None = None
    time: int | None = None


def version_of(ctx: Context, access: Access, position: Position) -> int:
    """Return the version of a match at a position.

    Raises NotFound for a time before the opening, and for a version that the match does not have.
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
    """Return True if later commits cannot change the version at a position.

    For a time this is so once the match has a commit after the version.
    """
    return position.version is not None or version < access.version


def range_of(
    ctx: Context, access: Access, after: int, first: Position | None, last: Position | None
) -> Range:
    """Return the commits after a version, from one position to another.

    The commits at both positions are included. first=None: from the opening on. last=None: up to
    the head. Positions before the opening or after the head are no error.
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
    """Return the range of all versions after a version. The range may be empty."""
    return Range(min(after, access.version), access.version, closed=False)


def page_range(access: Access, after: int, limit: int) -> Range:
    """Return the range of at most `limit` versions after a version. The range may be empty."""
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

    # The times of commits never decrease, so a binary search finds the version.
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
    """Return the time of a version, in milliseconds since the epoch."""
    return milliseconds(repository.read_commit(ctx, access.match, version)["commit"]["time"])


# The states at every version of a range.


def states(ctx: Context, access: Access, span: Range) -> list[answers.State]:
    """Return the state at each version of a range, each folded from the state before.

    Raises NotFound or MatchDeleted if the match goes away meanwhile.
    """
    return repository.from_one_stream(
        ctx,
        read=lambda: list(each_state(ctx, access, span)),
    )


def each_state(ctx: Context, access: Access, span: Range) -> Iterator[answers.State]:
    """Yield the state at each version of a range. Raises the errors of `states`, and OtherStream.

    OtherStream: the journal was replaced while the match was read.
    """
    for loaded in versions(ctx, access.match, span):
        yield view(loaded, access.caller)


def versions(ctx: Context, match_id: str, span: Range) -> Iterator[Loaded]:
    """Yield a match at each version of a range."""
    loaded: Loaded | None = None
    if 0 < span.after < span.until:
        loaded = repository.load_version(ctx, match_id, span.after)

    for entries in repository.pieces(ctx, match_id, span.after, span.until):
        for entry in entries:
            loaded = repository.replay_next(loaded, [entry])
            assert loaded is not None
            yield loaded
