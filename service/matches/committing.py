"""How an act becomes a commit: decided, written, appended; then whoever must act next is woken."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any

from domain.games import RULES
from domain.match import play
from service import metrics, tracing
from service.journal.errors import ChainBroken, Conflict
from service.journal.values import Appended, Entry, Head
from service.ledger import writing
from service.ledger.canonical import canonical
from service.ledger.commit import StoredCommit
from service.ledger.replay import Loaded
from service.ledger.times import milliseconds, timestamp
from service.matches import seating
from service.matches.desk import Desk


@dataclass(frozen=True, slots=True)
class Act:
    """A command of an actor, and what its commit changes and depends on.

    sidecar: fields of the sidecar to set together with the commit (None: to delete).
    command_id: under which the commit is remembered, "" for none.
    mark: tells a repeat of the request from another one with the same command id.
    holds: a field of the sidecar and what it must still hold; ("", ""): none.
    thought: what a bot has thought of it, as `service.matches.weighing` keeps it; b"": nothing.
    meanwhile: given the commit as it will be stored, while the journal's answer is awaited; see
        `Entry`.
    """

    actor: str
    command: Any
    sidecar: Mapping[str, str | None] = field(default_factory=dict)
    command_id: str = ""
    mark: str = ""
    holds: tuple[str, str] = ("", "")
    thought: bytes = b""
    meanwhile: Callable[[StoredCommit], object] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """An act that the rules allow, the events that it causes, and the match after them.

    after: its `hash` is that of the commit before, "" before the first: the new one is not written.
    """

    act: Act
    events: Sequence[Any]
    after: Loaded


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit as it was stored, and the match after it.

    earlier_version: what an earlier act of the same command id has made. Then nothing was written
    now, and the other fields mean nothing.
    """

    after: Loaded
    entry: StoredCommit
    earlier_version: int | None = None


def commit(desk: Desk, loaded: Loaded, act: Act) -> Committed:
    """Decide an act, append its commit and wake whom the match then waits for.

    Raises RuleBroken, and Conflict, KeyReused or JournalUnavailable as the journal does.
    """
    return append(desk, decide(desk, loaded, act))


def decide(desk: Desk, loaded: Loaded, act: Act) -> Decision:
    """Return what the rules make of an act; raises RuleBroken."""
    version = loaded.version + 1
    with tracing.span("decide", loaded.id, version):
        chance = loaded.match.draws(version)
        match, events = play.decide(loaded.match, act.command, chance)

    # A clock that was set back does not let time run backwards.
    now = max(desk.clock(), milliseconds(loaded.time))
    after = Loaded(
        id=loaded.id,
        version=version,
        created=loaded.created,
        time=timestamp(now),
        hash=loaded.hash,
        match=match,
    )

    if match.seats != loaded.match.seats:
        act = replace(act, sidecar={**act.sidecar, **seating.kept(match)})
    return Decision(act, events, after)


def append(desk: Desk, decision: Decision) -> Committed:
    """Append what was decided, and wake whom the match then waits for.

    Raises Conflict, KeyReused or JournalUnavailable as the journal does.
    """
    act = decision.act
    before_hash = decision.after.hash
    written = _written(decision)
    entry = written.stored
    after = replace(decision.after, hash=entry["hash"])
    head = head_of(after)

    appended = _append_entry(
        desk,
        Entry(
            match=after.id,
            expected=after.version - 1,
            prev=before_hash,
            commit_bytes=written.commit_bytes,
            head=head,
            command_id=act.command_id,
            fingerprint=act.mark,
            sidecar=act.sidecar,
            holds=act.holds,
            thought=act.thought,
            meanwhile=partial(act.meanwhile, entry) if act.meanwhile else None,
        ),
    )
    if appended.repeated:
        return Committed(after, entry, earlier_version=appended.version)

    desk.shelf.put(after)
    if head.work:
        desk.wake(after.id, after.version, head.work)
    return Committed(after, entry)


def _written(decision: Decision) -> writing.Written:
    after = decision.after
    new_commit = writing.NewCommit(
        match=after.id,
        version=after.version,
        time=after.time,
        actor=decision.act.actor,
        command=decision.act.command,
        events=decision.events,
        prev=after.hash,
        view=writing.view_digest(after.match),
    )
    return writing.write(new_commit, after.match.key)


def _append_entry(desk: Desk, entry: Entry) -> Appended:
    """Append an entry; forget a remembered match that turns out to be no part of its stream."""
    version = entry.head.version
    try:
        with tracing.span("append", entry.match, version):
            start = perf_counter()
            appended = desk.journal.append(entry)
            metrics.APPENDS.observe(perf_counter() - start)
            return appended
    except Conflict as error:
        metrics.CONFLICTS.inc()
        is_ahead = error.version < entry.expected
        if is_ahead:
            desk.shelf.drop(entry.match)
        raise
    except ChainBroken:
        desk.shelf.drop(entry.match)
        raise Conflict(entry.expected) from None


def head_of(loaded: Loaded) -> Head:
    """Return what is kept of a match beside its stream."""
    match = loaded.match
    standing = loaded.standing
    return Head(
        version=loaded.version,
        hash=loaded.hash,
        status=standing.status,
        work=standing.errand,
        waiting=standing.seats,
        game=RULES[match.rules].key,
        visibility=match.visibility,
        created=milliseconds(loaded.created),
        updated=milliseconds(loaded.time),
    )


def fingerprint(request: Any, key: bytes = b"") -> str:
    """Return what tells a repeated request from another with the same idempotency key.

    It is kept for ever. key: the server's secret where the request holds a name, which could else
    be guessed from it.
    """
    return hmac.digest(key, canonical(request), "sha256").hex()[:32]
