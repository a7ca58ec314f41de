"""The play of a record: every commit is folded, every command decided again with its seed worked out anew (M10).

Where secret parts are missing the fold stops, because the state after them is not known. Where only the match's own
secret is missing, commands that draw nothing are still decided; of those that draw all is compared but the draws. In an
ended record neither may happen: its revelation has laid everything open (M9).
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from domain import wire
from domain.chance import Chance, Light
from domain.errors import BadMessage, RuleBroken
from domain.match import play
from domain.match.messages import (
    Abort,
    EraseName,
    Join,
    MatchOpened,
    Open,
    Replace,
    ReplaceToken,
    Restore,
    RevokeToken,
    Start,
)
from domain.match.state import Match
from domain.seats import HOUSE_ACTOR, INVITATION, OWNER, PUBLIC, SEAT_ACTOR, seat_actor, seat_of
from service.ledger.canonical import Json, canonical
from service.ledger.commit import Commit, StoredCommit
from service.ledger.decoding import decode, decode_for_decision
from service.ledger.draws import draws, view_digest
from service.ledger.replay import apply
from service.ledger.secrets import Split, salt, split
from service.ledger.upcasting import UPCASTERS
from service.verify.opening import check_opening, check_seat
from service.verify.report import Report, Wrong

Progress = Callable[[int, int], None]
JOINERS = re.compile("|".join((OWNER, PUBLIC, INVITATION, SEAT_ACTOR)))
OWNERS = (Open, Start, Abort, Replace, Restore)


_LACKING = "it cannot be decided again, although the match's secrets are revealed at its end (M9)"


class _Drew(Exception):
    """A command drew while its seed is secret."""


class _Unseeded:
    """The chance of a match whose secret is not known."""

    def below(self, n: int) -> int:  # noqa: ARG002 - a Chance
        """Stop the decision: what would be drawn cannot be known."""
        raise _Drew


def refold(entries: Sequence[StoredCommit], report: Report, progress: Progress) -> Match | None:
    """Return the match after all commits that could be folded; raises Wrong at the first fault."""
    match: Match | None = None
    for number, entry in enumerate(entries, 1):
        try:
            after = _step(match, entry, report)
        except Wrong:
            raise
        except Exception as error:  # noqa: BLE001 - a forged commit may lead a game's code anywhere
            raise Wrong(
                number, "not_played", f"the game cannot play it ({type(error).__name__})"
            ) from None
        if after is None:
            if report.ended:
                raise Wrong(number, "not_decided", _LACKING)
            report.unchecked.append(
                f"commits {number} to {len(entries)} are not folded: commit {number} has secret parts that are not here"
            )
            break
        match = after
        progress(number, len(entries))
    _note_undecided(report, match)
    return match


def _step(match: Match | None, entry: StoredCommit, report: Report) -> Match | None:
    """Return the match after a commit that is right; None if it lacks what a fold needs."""
    commit = _first(entry, report.rules) if match is None else _later(entry, report.rules, match)
    if not _whole(entry, commit):
        return None
    decided = _decided_again(match, entry, commit)
    if report.ended and not decided:
        raise Wrong(commit.version, "not_decided", _LACKING)
    report.decided += decided
    match = apply(match, list(commit.events))
    report.folded += 1
    _check_view(match, commit)
    return match


def _note_undecided(report: Report, match: Match | None) -> None:
    if report.decided < report.folded:
        report.unchecked.append(
            f"{report.folded - report.decided} commits draw by a secret that is not revealed yet: all in them was "
            "decided again but the draws"
        )
    if match is not None and match.views != match.game.view_version:
        report.unchecked.append(
            f"view digests: they are of view version {match.views}, not {match.game.view_version}"
        )


def _first(entry: StoredCommit, rules: str) -> Commit:
    commit = _read(entry, rules, decode)
    if not isinstance(commit.command, Open) or not isinstance(commit.events[0], MatchOpened):
        raise Wrong(1, "unreadable", "the first commit must open the match")
    check_opening(commit.events[0])
    return commit


def _later(entry: StoredCommit, rules: str, match: Match) -> Commit:
    """Read a commit: its events strictly only if they may be folded without having been decided again."""
    commit = _read(entry, rules, decode if match.secret is None else decode_for_decision)
    if any(isinstance(message, Open | MatchOpened) for message in (commit.command, *commit.events)):
        raise Wrong(commit.version, "unreadable", "only the first commit opens the match")
    return commit


def _read(entry: StoredCommit, rules: str, decode: Callable[[StoredCommit, str], Commit]) -> Commit:
    try:
        commit = decode(entry, rules)
    except BadMessage as error:
        raise Wrong(
            entry["commit"]["version"], "unreadable", f"its messages cannot be read: {error}"
        ) from None
    except (LookupError, TypeError, ValueError, AttributeError):
        raise Wrong(
            entry["commit"]["version"], "unreadable", "its messages cannot be read"
        ) from None
    if not commit.events:
        raise Wrong(commit.version, "unreadable", "it has no events")
    return commit


def _whole(entry: StoredCommit, commit: Commit) -> bool:
    """Whether nothing secret is missing but what a fold does not need: the match's own secret."""
    if entry["commit"]["secrets"].keys() == entry["secrets"].keys():
        return True
    missing = entry["commit"]["secrets"].keys() - entry["secrets"].keys()
    if commit.version == 1 and missing <= {"house"}:
        return not any(_lacks_house_fields(event) for event in commit.events[1:])
    return not missing


def _lacks_house_fields(event: Any) -> bool:
    cls: Any = type(event)
    return any(
        audience == "house" and getattr(event, name) is None
        for name, audience in wire.secret_fields(cls)
    )


def _decided_again(match: Match | None, entry: StoredCommit, commit: Commit) -> bool:
    """Check that the command causes these events and no others; return False if it draws by an unknown secret.

    Then the draws are taken over from the events, and all but them is compared.
    """
    before = match or apply(None, list(commit.events[:1]))
    seeded = before.secret is not None
    draws_known = True
    try:
        try:
            events = _caused(
                match, commit.command, draws(before, commit.version) if seeded else _Unseeded()
            )
        except _Drew:
            draws_known = False
            events = _caused(match, commit.command, Light(0), commit.events)
    except RuleBroken as error:
        detail = f"the rules refuse its command ({error.rule} {error.code})"
        raise Wrong(commit.version, "not_allowed", detail) from None
    _check_actor(commit)
    _check_holder(commit)
    _check_events(entry, commit, events)
    if seeded:
        _check_salts(entry, commit, before.key)
    return draws_known


def _caused(
    match: Match | None, command: Any, chance: Chance, recorded: Sequence[Any] | None = None
) -> Sequence[Any]:
    """Return the events that a command causes (match None: the command opens it); raises RuleBroken."""
    if match is None:
        return play.open_match(command, chance, recorded)[1]
    return play.decide(match, command, chance, recorded)[1]


def _check_actor(commit: Commit) -> None:
    """A command of a seat is the seat's, one of no seat the house's, but the owner's are the owner's (M4, M6-M9).

    Tokens and names are changed by the owner or by the seat named (M13).
    """
    if isinstance(commit.command, ReplaceToken | RevokeToken | EraseName):
        _check_keeper(commit)
        return
    seat = getattr(commit.command, "seat", None)
    if isinstance(commit.command, OWNERS):
        actor = OWNER
    else:
        actor = HOUSE_ACTOR if seat is None else seat_actor(seat)
    joins = isinstance(commit.command, Join) and JOINERS.fullmatch(commit.actor)
    if commit.actor != actor and not joins:
        raise Wrong(
            commit.version, "actor_wrong", "its command is not one that its actor could give"
        )


def _check_keeper(commit: Commit) -> None:
    """The owner or the seat named changes tokens and names; a seat's token is replaced by the seat alone (M13)."""
    command = commit.command
    named = seat_actor(command.seat) if isinstance(command, EraseName) else command.holder
    names_a_seat = seat_of(named) is not None
    may_be_owner = not (isinstance(command, ReplaceToken) and names_a_seat)
    allowed = (may_be_owner and commit.actor == OWNER) or (names_a_seat and commit.actor == named)
    if not allowed:
        raise Wrong(
            commit.version, "actor_wrong", "its command is not one that its actor could give (M13)"
        )


def _check_holder(commit: Commit) -> None:
    """Whoever takes a seat later is checked as one who held it from the beginning (M2, M8)."""
    command = commit.command
    if isinstance(command, Join):
        check_seat(commit.version, "human", name=command.name, entropy=command.entropy)
    elif isinstance(command, Replace):
        check_seat(commit.version, "bot", command.level)


def _check_events(entry: StoredCommit, commit: Commit, events: Sequence[Any]) -> None:
    """Compare what the command causes with what is recorded, byte for byte; upcast events in today's terms."""
    content = entry["commit"]
    if any(event["type"] in UPCASTERS for event in content["events"]):
        caused = _today(commit.command, events)
        recorded = _today(commit.command, commit.events)
    else:
        caused = split(commit.command, events)
        recorded = Split(content["command"], content["events"], entry["secrets"])
    if canonical([caused.command, caused.events]) != canonical([recorded.command, recorded.events]):
        _tell_difference(commit.version, caused, recorded)
    for audience in sorted(caused.parts.keys() | recorded.parts.keys()):
        if _unsalted(caused.parts.get(audience)) != _unsalted(recorded.parts.get(audience)):
            detail = f"its secret part for {audience} is not the one that its command causes"
            raise Wrong(commit.version, "secrets_differ", detail)


def _unsalted(part: Json | None) -> bytes:
    return canonical(part and {**part, "salt": ""})


def _today(command: Any, events: Sequence[Any]) -> Split:
    """Return command and events as they would be written today, nothing hidden."""
    return Split(wire.encode(command), [wire.encode(event) for event in events], {})


def _tell_difference(version: int, caused: Split, recorded: Split) -> NoReturn:
    if canonical(caused.command) != canonical(recorded.command):
        raise Wrong(version, "command_differs", "its command is not written as it would be")
    raise Wrong(version, "events_differ", _difference(caused.events, recorded.events))


def _difference(caused: Sequence[Json], recorded: Sequence[Json]) -> str:
    for index, (one, other) in enumerate(zip(caused, recorded, strict=False)):
        if canonical(one) != canonical(other):
            return f"its event {index} ({other['type']}) is not the one that its command causes"
    return f"its command causes {len(caused)} events, and it has {len(recorded)}"


def _check_salts(entry: StoredCommit, commit: Commit, key: bytes) -> None:
    for audience, part in entry["secrets"].items():
        if part["salt"] != salt(key, commit.version, audience):
            raise Wrong(
                commit.version,
                "salt_wrong",
                f"the salt of the part for {audience} does not follow (M10)",
            )


def _check_view(match: Match, commit: Commit) -> None:
    if match.views == match.game.view_version and view_digest(match) != commit.view:
        raise Wrong(commit.version, "view_differs", "the public view after it has another digest")
