"""The play of a record: commits are folded, commands decided again with their own seeds (M10).

If secret parts of a commit are missing, the fold stops, because the state after the commit is not
known. If only the match's own secret is missing, commands without draws are still decided. For a
command with draws, everything but the draws is compared. In an ended record nothing may be missing:
the revelation has laid everything open (M9). A fork is compared with the play of its base (M21).
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from domain import wire
from domain.chance import Chance, FastChance
from domain.errors import BadMessage, BadOption, RuleBroken
from domain.games import RULES
from domain.match import play
from domain.match.messages import MatchOpened, Open
from domain.match.state import Match, Stamp
from domain.match.terms.clock import is_possible
from domain.match.terms.take_back import OPTIONS
from domain.wire import Message
from service.record import codec
from service.record.commit import Commit, Content, Json, StoredCommit, canonical
from service.record.replay import apply, stamp_of
from service.record.verify.report import (
    END,
    STUMBLES,
    AuditReport,
    Progress,
    Visit,
    Wrong,
    no_visit,
)

MOST_FORKS = 16  # bases checked one after another in a chain of forks

_LACKING = "it cannot be decided again, although the match's secrets are revealed at its end (M9)"


class _Drew(Exception):
    """A command has drawn, and its seed is secret."""


class _Unseeded:
    """The chance of a match with an unknown secret."""

    def below(self, n: int) -> int:  # noqa: ARG002 - a Chance
        """Raise _Drew, since the draw cannot be known."""
        raise _Drew


def redecide(
    commits: Sequence[StoredCommit],
    report: AuditReport,
    progress: Progress,
    visit: Visit = no_visit,
) -> Match | None:
    """Return the match after all commits that could be folded. Raises Wrong at the first fault."""
    match: Match | None = None
    for number, stored in enumerate(commits, 1):
        after = _play_commit(match, number, stored, report)
        if after is None:
            if report.ended:
                raise Wrong(number, "not_decided", _LACKING)
            report.unchecked.append(
                f"commits {number} to {len(commits)} are not folded: secret parts of commit "
                f"{number} are missing here"
            )
            break
        match = after
        visit(number, match)
        progress(number, len(commits))

    _note_undecided(report)
    if match is not None:
        _note_other_view(report, match)
    return match


def _play_commit(
    match: Match | None, number: int, stored: StoredCommit, report: AuditReport
) -> Match | None:
    """Return the result of `_step`. Errors in STUMBLES are the commit's fault. Raises Wrong."""
    try:
        return _step(match, stored, report)
    except Wrong:
        raise
    except STUMBLES as error:
        detail = f"the game cannot play it ({type(error).__name__})"
        raise Wrong(number, "not_played", detail) from None


def _step(match: Match | None, stored: StoredCommit, report: AuditReport) -> Match | None:
    """Return the match after a right commit, None if the fold lacks secret parts. Raises Wrong."""
    if match is None:
        commit = _read_first(stored, report.rules)
    else:
        commit = _read_later(stored, report.rules, match)
    if not _can_be_folded(stored, commit):
        return None

    decided = _check_decision(match, stored, commit)
    if report.ended and not decided:
        raise Wrong(commit.version, "not_decided", _LACKING)
    report.decided += decided

    match = apply(match, list(commit.events), stamp_of(stored["commit"]))
    report.folded += 1
    _check_view(match, commit)
    return match


def _note_undecided(report: AuditReport) -> None:
    """Note the number of commits with unchecked draws."""
    undecided = report.folded - report.decided
    if undecided:
        report.unchecked.append(
            f"{undecided} commits draw by a secret that is not revealed yet: everything in them "
            "but the draws was decided again"
        )


def _note_other_view(report: AuditReport, match: Match) -> None:
    """Note that view digests were not compared, if they are of another version of the view."""
    if match.views != match.game.view_version:
        report.unchecked.append(
            f"view digests: they are of view version {match.views}, not {match.game.view_version}"
        )


def _read_first(stored: StoredCommit, rules: str) -> Commit:
    commit = _read(stored, rules, codec.decode)
    opening = commit.events[0]
    if not isinstance(commit.command, Open) or not isinstance(opening, MatchOpened):
        raise Wrong(1, "unreadable", "the first commit must open the match")
    _check_opening(opening)
    return commit


def _check_opening(event: MatchOpened) -> None:
    """Check the members of an opening against the game and the match rules. Raises Wrong."""
    game = RULES[event.rules]
    if event.game != game.key or len(event.seats) not in game.seats:
        raise _not_opened("the rules are not the game's, or take another number of seats")

    try:
        options = game.read_options(event.options)
    except BadOption as error:
        raise _not_opened(f"the game does not take its options: {error}") from None
    if canonical(options) != canonical(event.options):
        raise _not_opened("its options are not in canonical form")
    if event.visibility not in ("public", "private"):
        raise _not_opened("a match is either public or private")
    if event.advice not in (None, True):
        raise _not_opened("a match without advice does not say so (M14)")
    if event.clock is not None and not is_possible(event.clock, event.seats):
        raise _not_opened("no match of such seats has such a clock (M15)")
    if event.joint_entropy not in (None, True):
        raise _not_opened("a match without joint entropy does not say so (M19)")
    if event.take_back not in (None, *OPTIONS):
        raise _not_opened("it does not state its take-back rule (M17)")


def _not_opened(detail: str) -> Wrong:
    return Wrong(1, "not_opened", detail)


def _read_later(stored: StoredCommit, rules: str, match: Match) -> Commit:
    """Return a commit after the first.

    If the match's secret is missing, events may be folded without a new decision of their draws.
    Then they are read strictly. Raises Wrong.
    """
    may_be_trusted = match.secret is not None
    commit = _read(stored, rules, codec.decode_for_decision if may_be_trusted else codec.decode)

    messages = (commit.command, *commit.events)
    if any(isinstance(message, Open | MatchOpened) for message in messages):
        raise Wrong(commit.version, "unreadable", "only the first commit opens the match")
    return commit


def _read(
    stored: StoredCommit, rules: str, decoded: Callable[[StoredCommit, str], Commit]
) -> Commit:
    version = stored["commit"]["version"]
    try:
        commit = decoded(stored, rules)
    except BadMessage as error:
        raise Wrong(version, "unreadable", f"its messages cannot be read: {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError):
        raise Wrong(version, "unreadable", "its messages cannot be read") from None

    if not commit.events:
        raise Wrong(version, "unreadable", "it has no events")
    return commit


def _can_be_folded(stored: StoredCommit, commit: Commit) -> bool:
    """Return True if all secrets for a fold are present.

    A fold does not need the match's own secret.
    """
    missing = stored["commit"]["secrets"].keys() - stored["secrets"].keys()
    if commit.version == 1 and missing == {"house"}:
        return not any(_lacks_house_fields(event) for event in commit.events[1:])
    return not missing


def _lacks_house_fields(event: Message) -> bool:
    event_class = type(event)
    return any(
        audience == "house" and getattr(event, name) is None
        for name, audience in wire.secret_fields(event_class)
    )


def _check_decision(match: Match | None, stored: StoredCommit, commit: Commit) -> bool:
    """Check that the command causes the recorded events and no others. Raises Wrong.

    Return True if the draws of the command were checked, too.
    """
    stamp = stamp_of(stored["commit"])
    before = match or apply(None, list(commit.events[:1]), stamp)
    try:
        events, draws_checked = _decide_again(match, before, commit, stamp)
    except RuleBroken as error:
        detail = f"the rules refuse its command ({error.rule} {error.code})"
        raise Wrong(commit.version, "not_allowed", detail) from None

    check_events(stored, commit, events)
    return draws_checked


def _decide_again(
    match: Match | None, before: Match, commit: Commit, stamp: Stamp
) -> tuple[Sequence[Message], bool]:
    """Return the events that a command causes, and False if their draws are copies.

    If the command draws by an unknown secret, the draws are copied from the recorded events. Raises
    RuleBroken.
    """
    if before.secret is not None:
        chance = before.draws(commit.version, commit.command)
        return _decide(match, commit.command, stamp, chance), True
    try:
        return _decide(match, commit.command, stamp, _Unseeded()), True
    except _Drew:
        return _decide(match, commit.command, stamp, FastChance(0), commit.events), False


def decided_again(match: Match | None, stored: StoredCommit, rules: str) -> Sequence[Message]:
    """Return the events that these rules cause by the command of a commit, with its own seeds.

    match: before the commit, None for the first.   Raises Wrong if the commit cannot be read, and
        RuleBroken if the rules refuse the command.
    """
    commit = _read_first(stored, rules) if match is None else _read_later(stored, rules, match)
    stamp = stamp_of(stored["commit"])
    before = match or apply(None, list(commit.events[:1]), stamp)
    events, _ = _decide_again(match, before, commit, stamp)
    return events


def _decide(
    match: Match | None,
    command: Any,
    stamp: Stamp,
    chance: Chance,
    recorded: Sequence[Message] | None = None,
) -> Sequence[Message]:
    """Return the events that a command causes. `match` is None for the command that opens it.

    Raises RuleBroken.
    """
    if match is None:
        _, events = play.open_match(command, chance, recorded, stamp)
    else:
        _, events = play.decide(match, command, chance, recorded, stamp=stamp)
    return events


def _check_view(match: Match, commit: Commit) -> None:
    if match.views == match.game.view_version and codec.view_digest(match) != commit.view:
        raise Wrong(commit.version, "view_differs", "the public view after it has another digest")


# ---- comparison of caused events with recorded ones ----------------------------------------------


def check_events(stored: StoredCommit, commit: Commit, caused_events: Sequence[Message]) -> None:
    """Check that a commit has the events of its command, with the same hidden fields.

    Old events are compared in today's terms. Raises Wrong.
    """
    content = stored["commit"]
    if _has_old_events(content):
        caused = _open(commit.command, caused_events)
        recorded = _open(commit.command, commit.events)
    else:
        caused = codec.split(commit.command, caused_events)
        recorded = codec.Split(
            command=content["command"],
            events=content["events"],
            parts=stored["secrets"],
        )

    if _public_bytes(caused) != _public_bytes(recorded):
        _raise_difference(commit.version, caused, recorded)
    if caused.parts or recorded.parts:
        _check_parts(commit.version, caused.parts, recorded.parts)


def check_salts(stored: StoredCommit, key: bytes) -> None:
    """Check that the salts of a commit's secret parts follow from the match's key (M10).

    Raises Wrong.
    """
    version = stored["commit"]["version"]
    for audience, part in stored["secrets"].items():
        if part["salt"] != codec.salt(key, version, audience):
            detail = f"the salt of the part for {audience} does not follow (M10)"
            raise Wrong(version, "salt_wrong", detail)


def _has_old_events(content: Content) -> bool:
    return any(event["type"] in codec.UPCASTERS for event in content["events"])


def _open(command: Message, events: Sequence[Message]) -> codec.Split:
    """Return command and events in today's form, nothing hidden."""
    return codec.Split(
        command=wire.encode(command),
        events=[wire.encode(event) for event in events],
        parts={},
    )


def _public_bytes(messages: codec.Split) -> bytes:
    return canonical([messages.command, messages.events])


def _raise_difference(version: int, caused: codec.Split, recorded: codec.Split) -> NoReturn:
    if canonical(caused.command) != canonical(recorded.command):
        raise Wrong(version, "command_differs", "its command is not in canonical form")
    raise Wrong(version, "events_differ", _difference(caused.events, recorded.events))


def _difference(caused: Sequence[Json], recorded: Sequence[Json]) -> str:
    """Return a sentence about the first different event, or else about the numbers of events."""
    for index, (caused_event, recorded_event) in enumerate(zip(caused, recorded, strict=False)):
        if canonical(caused_event) != canonical(recorded_event):
            kind = recorded_event["type"]
            return f"its event {index} ({kind}) does not follow from its command"
    return f"its command causes {len(caused)} events, but it has {len(recorded)}"


def _check_parts(version: int, caused: dict[str, Json], recorded: dict[str, Json]) -> None:
    """Check that the same fields are hidden for the same audiences. Raises Wrong.

    Salts and signatures have checks of their own.
    """
    for audience in sorted(caused.keys() | recorded.keys()):
        if _fields_in(caused.get(audience)) != _fields_in(recorded.get(audience)):
            detail = f"its secret part for {audience} does not follow from its command"
            raise Wrong(version, "secrets_differ", detail)


def _fields_in(part: Json | None) -> bytes | None:
    """Return the canonical bytes of the fields in a secret part, None for no part."""
    if part is None:
        return None
    fields = {place: value for place, value in part.items() if place not in codec.NO_PLACES}
    return canonical(fields)


# ---- the base of a fork (M21) --------------------------------------------------------------------


def not_at_hand(claim: Json) -> str:
    """Describe the unchecked base of a fork."""
    match, version = claim["match"], claim["version"]
    return f"the base: only the record of match {match} can show its version {version}"


def compare_with_base(
    first: Content, claim: Json, base: AuditReport, commits: Sequence[StoredCommit]
) -> list[str]:
    """Compare the base in a fork's first commit with the base match. Return the unchecked points.

    base: report on the base match.   commits: commits of the base match, with every available
        secret part.   Raises Wrong if the match was different.
    """
    version = claim["version"]
    if base.wrong is not None:
        detail = f"the record of its base, match {claim['match']}, is wrong: {base.wrong}"
        raise Wrong(1, "base_wrong", detail)
    if len(commits) < version:
        if base.ended:
            raise _differs(claim, f"it has only {len(commits)} versions")
        return [not_at_hand(claim)]

    if commits[version - 1]["hash"] != claim["hash"]:
        raise _differs(claim, "that commit has another hash")
    _compare_openings(first, claim, commits[0]["commit"])
    if base.folded < version:
        return [not_at_hand(claim)]

    state = _state(commits[:version], base.rules)
    if state is None or canonical(wire.dump(state)) != canonical(_state_today(claim, type(state))):
        raise _differs(claim, "the state of the game was different then")
    reasons = [reason for reason in base.unchecked if reason != END]
    return [f"the base, match {claim['match']}: {reason}" for reason in reasons]


def _compare_openings(first: Content, claim: Json, base_first: Content) -> None:
    """Check that a fork has the game, rules, options and number of seats of its base.

    A private match has only private forks. Raises Wrong.
    """
    opening, base_opening = first["events"][0], base_first["events"][0]
    for member in ("game", "rules", "options"):
        if canonical(opening[member]) != canonical(base_opening[member]):
            raise _differs(claim, f"it has other {member}" if member != "game" else "another game")
    if len(opening["seats"]) != len(base_opening["seats"]):
        raise _differs(claim, "it has another number of seats")
    if base_opening["visibility"] == "private" and opening["visibility"] != "private":
        raise _differs(claim, "it is private, but its fork is not")


def _state(commits: Sequence[StoredCommit], rules: str) -> Any:
    """Return the state of the game after some commits, None before the start."""
    match = None
    for stored in commits:
        match = apply(match, codec.decode_events([stored], rules), stamp_of(stored["commit"]))
    return None if match is None else match.state


def _state_today(claim: Json, state_class: type) -> Json:
    """Return the state in a fork in today's form."""
    return wire.dump(wire.load(state_class, claim["state"]))


def _differs(claim: Json, how: str) -> Wrong:
    detail = f"match {claim['match']} was different at version {claim['version']}: {how} (M21)"
    return Wrong(1, "base_differs", detail)
