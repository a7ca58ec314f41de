"""Snapshots: a match's state stored beside its stream; only ever an optimisation."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from domain import wire
from domain.errors import BadMessage
from domain.games import RULES
from domain.match.state import Match
from service.journal.errors import JournalUnavailable
from service.ledger.canonical import canonical, digest, parse_object
from service.ledger.replay import Loaded
from service.matches.desk import Desk
from service.matches.shelf import is_in_journal


def write_snapshot(desk: Desk, loaded: Loaded) -> None:
    """Store a match's state; a journal that does not take it has every commit all the same."""
    match = loaded.match
    state = None if match.state is None else wire.dump(match.state)
    snapshot = {
        "shape": _shape(match.rules),
        "rules": match.rules,
        "version": loaded.version,
        "created": loaded.created,
        "time": loaded.time,
        "hash": loaded.hash,
        "match": wire.dump(replace(match, state=None)),
        "state": state,
    }

    with suppress(JournalUnavailable):
        desk.journal.put_snapshot(loaded.id, canonical(snapshot))


def read_snapshot(desk: Desk, match_id: str) -> Loaded | None:
    """Return the stored state of a match.

    None if there is none, or if it is of other rules, of another shape, unreadable or ahead of the
    journal.
    """
    stored = desk.journal.snapshot(match_id)
    if stored is None:
        return None
    try:
        loaded = _restored(match_id, parse_object(stored))
        is_usable = loaded is not None and is_in_journal(desk.journal, loaded)
    except (ValueError, KeyError, TypeError, BadMessage):
        return None

    return loaded if is_usable else None


def _restored(match_id: str, snapshot: dict[str, Any]) -> Loaded | None:
    """Return a match as a snapshot holds it, None if its state has another shape today."""
    rules = snapshot["rules"]
    if snapshot["shape"] != _shape(rules):
        return None

    state = snapshot["state"]
    if state is not None:
        state = wire.load(RULES[rules].state, state)
    return Loaded(
        id=match_id,
        version=snapshot["version"],
        created=snapshot["created"],
        time=snapshot["time"],
        hash=snapshot["hash"],
        match=replace(wire.load(Match, snapshot["match"]), state=state),
    )


def _shape(rules: str) -> str:
    """Return a digest of the types that a snapshot's match and state are made of."""
    return digest([wire.fingerprint(Match), wire.fingerprint(RULES[rules].state)])
