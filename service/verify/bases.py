"""Bases: a fork's record is held against the record of the match that it goes on from (M21)."""

import re
from collections.abc import Sequence
from typing import Any

from domain import wire
from domain.match.messages import Forked
from service.ledger.codec import decode_events
from service.ledger.commit import MATCH_ID, Content, Json, StoredCommit, canonical, rules_of
from service.ledger.replay import apply, stamp_of
from service.verify.report import END, Report, Wrong

MOST_FORKS = 16  # of forks of forks, so many bases are checked one after another

_MATCH = re.compile(MATCH_ID)
_DIGEST = re.compile("[0-9a-f]{64}")
_MEMBERS = {"match", "version", "hash", "state"}


def named_by(first: Content) -> Json | None:
    """Return the base that a first commit names, None if it opens no fork.

    Command and event must name the same one, in the form of a base. Raises Wrong.
    """
    in_command: Json | None = first["command"].get("base")
    forks = [event for event in first["events"] if event.get("type") == Forked.tag]
    if in_command is None and not forks:
        return None

    is_second = len(forks) == 1 and first["events"][1:2] == forks
    if not is_second or not _is_base(in_command) or forks[0].get("base") != in_command:
        detail = "command and event do not name the same base, with a version, hash and state (M21)"
        raise Wrong(1, "bad_base", detail)
    return in_command


def _is_base(value: object) -> bool:
    """Return whether a value names a version of a match, and holds a state."""
    if not isinstance(value, dict) or value.keys() != _MEMBERS:
        return False
    texts = ((value["match"], _MATCH), (value["hash"], _DIGEST))
    return (
        all(isinstance(text, str) and form.fullmatch(text) for text, form in texts)
        and type(value["version"]) is int
        and value["version"] > 0
        and isinstance(value["state"], dict)
    )


def not_at_hand(named: Json) -> str:
    """Return what a fork's record leaves open without that of its base."""
    match, version = named["match"], named["version"]
    return f"the base: only the record of match {match} can tell what version {version} of it was"


def compare(
    first: Content, named: Json, base: Report, commits: Sequence[StoredCommit]
) -> list[str]:
    """Hold the base that a fork's first commit names against that match; return what is left open.

    base: the report on it.   commits: its commits, every secret part in its place that is at hand.
    Raises Wrong where it is another one.
    """
    version = named["version"]
    if base.wrong is not None:
        detail = f"the record of its base, match {named['match']}, is wrong: {base.wrong}"
        raise Wrong(1, "base_wrong", detail)
    if len(commits) < version:
        if base.ended:
            raise _differs(named, f"it has {len(commits)} versions only")
        return [not_at_hand(named)]

    if commits[version - 1]["hash"] != named["hash"]:
        raise _differs(named, "that commit has another hash")
    _compare_openings(first, named, commits[0]["commit"])
    if base.folded < version:
        return [not_at_hand(named)]

    state = _state(commits[:version])
    if state is None or canonical(wire.dump(state)) != canonical(_rewritten(named, type(state))):
        raise _differs(named, "the state of the game was another one then")
    reasons = [reason for reason in base.unchecked if reason != END]
    return [f"the base, match {named['match']}: {reason}" for reason in reasons]


def _compare_openings(first: Content, named: Json, base_first: Content) -> None:
    """Check that a fork has the rules, the options and the number of seats of its base."""
    opening, base_opening = first["events"][0], base_first["events"][0]
    for member in ("game", "rules", "options"):
        if canonical(opening[member]) != canonical(base_opening[member]):
            raise _differs(named, f"it has other {member}" if member != "game" else "another game")
    if len(opening["seats"]) != len(base_opening["seats"]):
        raise _differs(named, "it has another number of seats")
    if base_opening["visibility"] == "private" and opening["visibility"] != "private":
        raise _differs(named, "it is private, and its fork is not")


def _state(commits: Sequence[StoredCommit]) -> Any:
    """Return the state of the game after some commits, None before the start."""
    match = None
    rules = rules_of(commits[0])
    for stored in commits:
        match = apply(match, decode_events([stored], rules), stamp_of(stored["commit"]))
    return None if match is None else match.state


def _rewritten(named: Json, state_class: type) -> Json:
    """Return the state that a fork embeds as it would be embedded today."""
    return wire.dump(wire.load(state_class, named["state"]))


def _differs(named: Json, how: str) -> Wrong:
    detail = f"match {named['match']} was not so at version {named['version']}: {how} (M21)"
    return Wrong(1, "base_differs", detail)
