"""How a decision becomes a commit: seed, view digest, head, append, wake."""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.match.play import decide
from domain.match.state import actors, errand, status
from domain.wire import HOUSE
from service import metrics, tracing
from service.journal.port import Appended, ChainBroken, Conflict, Entry, Head
from service.ledger import writing
from service.ledger.canonical import canonical
from service.ledger.draws import draws, view_digest
from service.ledger.replay import Loaded
from service.ledger.times import milliseconds, timestamp
from service.matches import seating
from service.matches.desk import Desk


def commit(
    desk: Desk, loaded: Loaded, actor: str, command: Any, *,
    command_id: str = "", fingerprint: str = "", aside: Mapping[str, str | None] | None = None,
    holds: tuple[str, str] = ("", ""),
) -> tuple[Loaded, Appended, writing.Written]:  # fmt: skip
    """Decide a command and append the commit; return the match after it.

    Raises RuleBroken, and Conflict, KeyReused or JournalUnavailable as the journal does. When the command
    id was known, `Appended.repeated` is true, nothing was written and the other parts mean nothing.
    """
    version = loaded.version + 1
    with tracing.span("decide", loaded.id, version):
        after, events = decide(loaded.match, command, draws(loaded.match, version))
    now = timestamp(max(desk.clock(), milliseconds(loaded.time)))
    target = Loaded(loaded.id, version, loaded.created, now, loaded.hash, after)
    changed = seating.kept(after) if after.seats != loaded.match.seats else {}
    beside = {**(aside or {}), **changed}
    return append(desk, target, actor, command, events, command_id, fingerprint, beside, holds)


def append(
    desk: Desk, decided: Loaded, actor: str, command: Any, events: Sequence[Any],
    command_id: str, fingerprint: str, aside: Mapping[str, str | None], holds: tuple[str, str] = ("", ""),
) -> tuple[Loaded, Appended, writing.Written]:  # fmt: skip
    """Append what was decided (its hash still the predecessor's) and wake whom the match then waits for."""
    new = writing.NewCommit(
        match=decided.id,
        version=decided.version,
        time=decided.time,
        actor=actor,
        command=command,
        events=events,
        prev=decided.hash,
        view=view_digest(decided.match),
    )
    written = writing.write(new, decided.match.key)
    after = replace(decided, hash=written.stored["hash"])
    head = head_of(after)
    entry = Entry(
        after.id,
        after.version - 1,
        decided.hash,
        written.commit_bytes,
        head,
        command_id,
        fingerprint,
        aside,
        holds,
    )
    appended = _appended(desk, entry)
    if not appended.repeated:
        desk.shelf.put(after)
        if head.work:
            desk.wake(after.id, after.version, head.work)
    return after, appended, written


def _appended(desk: Desk, entry: Entry) -> Appended:
    """Append; a match kept here that is ahead of its stream, or of another stream, is forgotten and read anew."""
    try:
        with (
            metrics.timed(metrics.APPENDS),
            tracing.span("append", entry.match, entry.head.version),
        ):
            return desk.journal.append(entry)
    except Conflict as error:
        metrics.CONFLICTS.inc()
        if error.version < entry.expected:
            desk.shelf.drop(entry.match)
        raise
    except ChainBroken:
        desk.shelf.drop(entry.match)
        raise Conflict(entry.expected) from None


def head_of(loaded: Loaded) -> Head:
    """Return what is kept of a match beside its stream."""
    match = loaded.match
    waiting = tuple(seat for seat in actors(match) if seat != HOUSE)
    return Head(
        loaded.version, loaded.hash, status(match), errand(match), waiting, match.game.key, match.visibility,
        milliseconds(loaded.created), milliseconds(loaded.time),
    )  # fmt: skip


def fingerprint(request: Any, key: bytes = b"") -> str:
    """Return what tells a repeated request from another with the same key.

    It is kept for ever. `key`: the server's secret where the request holds a name, which could else be guessed from it.
    """
    return hmac.digest(key, canonical(request), "sha256").hex()[:32]
