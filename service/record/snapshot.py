"""Snapshots: the state of a match as JSON values.

A snapshot is read only by a program whose types of match, terms and state have the same shape.
"""

from dataclasses import replace

from domain import wire
from domain.games import RULES
from domain.match.match_rules import read_match_rules
from domain.match.state import Match
from domain.match.terms import TERMS
from service.record.commit import Json, digest
from service.record.replay import Loaded


def snapshot_of(loaded: Loaded) -> Json | None:
    """Return the snapshot of a match, None if the state of a term cannot be stored now."""
    match = loaded.match
    terms = {term.name: term.without_state() for term in match.terms}
    if None in terms.values():
        return None

    return {
        "shape": shape_of(match.rules),
        "rules": match.rules,
        "version": loaded.version,
        "created": loaded.created,
        "time": loaded.time,
        "hash": loaded.hash,
        "match": wire.dump(replace(match, state=None, terms=())),
        "terms": {name: wire.dump(term) for name, term in terms.items()},
        "state": None if match.state is None else wire.dump(match.state),
    }


def loaded_from(match_id: str, snapshot: Json) -> Loaded | None:
    """Return the match in a snapshot, None if its state has another shape today.

    Raises RulesUnknown, UnknownMatchRules.
    """
    rules = snapshot["rules"]
    if snapshot["shape"] != shape_of(rules):
        return None

    state = snapshot["state"]
    if state is not None:
        state = wire.load(RULES[rules].state, state)
    stored = snapshot["terms"]
    terms = tuple(
        wire.load(kind, stored[kind.name]).with_state(state)
        for kind in TERMS
        if kind.name in stored
    )
    match = wire.load(Match, snapshot["match"])
    read_match_rules(match.match_rules.number)  # a later release may have stored the snapshot
    return Loaded(
        id=match_id,
        version=snapshot["version"],
        created=snapshot["created"],
        time=snapshot["time"],
        hash=snapshot["hash"],
        match=replace(match, state=state, terms=terms),
    )


def shape_of(rules: str) -> str:
    """Return a digest of the types of a snapshot's match, terms and state. Raises RulesUnknown."""
    kinds: list[type] = [Match, *TERMS, RULES[rules].state]
    return digest([wire.fingerprint(kind) for kind in kinds])
