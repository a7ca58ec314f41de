"""The replay test: a new decision of stored matches by the rules of this program.

An upgrade may break a running match: its commits cannot be read, its commands cause other events,
or the next player has no legal move. So every commit is decided again, as in an audit, and the
match at its head is compared with the values stored beside its commits.

    recorded                          compared with
    events, hidden fields             the events of the command, decided again with the same seeds
    view digest                       the public view after the commit
    snapshot, if it has our shape     the state at its version
    head: status, actors              the status after the last commit
    outcome                           points and ranks after the last commit

Nothing recorded tells the legal moves at the head. So each is played on a copy of the match: the
rules must list at least one move for each actor, and must not refuse a listed move.

The result is "same", "different", "partly" (the same as far as secret parts allow), "unknown" (the
rules are not installed) or "damaged" (the commits are not as they were written). A difference has
the first different version. If the command causes other events, it also has the JSON Patch from the
recorded state to the state of today.

The base of a fork is compared in the match of the base alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace

import orjson

from domain import wire
from domain.chance import FastChance
from domain.errors import RuleBroken
from domain.game import AnyGame, State, decide
from domain.match.state import Match, Status
from domain.seats import HOUSE
from service.base import answers
from service.base.json_patch import changes
from service.record.codec import decode_events
from service.record.commit import Json, StoredCommit, canonical, parse_object
from service.record.replay import Loaded, apply, outcome, stamp_of
from service.record.snapshot import shape_of, snapshot_of
from service.record.verify import redecide
from service.record.verify.audit import RecordAudit, verify_record, verify_stored
from service.record.verify.files import record_in
from service.record.verify.report import END, STUMBLES, Wrong

# Codes of faults that other rules, or other readers of events, explain.
_OF_RULES = frozenset(
    (
        "command_differs",
        "events_differ",
        "not_allowed",
        "not_decided",
        "not_opened",
        "not_played",
        "secrets_differ",
        "unreadable",
        "view_differs",
    )
)
_ABOUT_BASE = "the base: "
_RESULTS = ("points", "ranks")  # what an outcome has in each release


@dataclass(frozen=True, slots=True)
class StoredBeside:
    """The values stored beside the commits of a match.

    hash, status: of its head. `awaiting` of the status is "house", "bots" or "".
    outcome, snapshot: as JSON. None: nothing to compare with.
    """

    hash: str
    status: Status
    outcome: str | None = None
    snapshot: bytes | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference of a match.

    changes: the JSON Patch from the recorded state to the state of today. Empty if the state was
        not recorded, or today has none.
    """

    version: int
    code: str
    detail: str
    changes: Sequence[answers.Change] = ()


@dataclass(slots=True)
class ReplayResult:
    """The result of the test of one match.

    result: "same", "different", "partly", "unknown" or "damaged".
    notes: reasons why the result is only "partly", "unknown" or "damaged".
    """

    match: str
    rules: str
    commits: int
    result: str = "same"
    difference: Difference | None = None
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> Json:
        """Return the result as JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ReplayTask:
    """A match to test.

    lines: its commits, or the lines of its record if `beside` is None.
    file: the file of a record that is read by the test itself, "" for others.
    damage: the reason if its commits cannot be read, "" for others.
    """

    match: str
    lines: Sequence[bytes] = ()
    beside: StoredBeside | None = None
    file: str = ""
    damage: str = ""


def replay(task: ReplayTask) -> ReplayResult:
    """Test one match. Raises Unreadable if its file cannot be read."""
    if task.damage:
        return ReplayResult(task.match, "", 0, "damaged", notes=[task.damage])
    if task.beside is not None:
        result = replay_stored(task.lines, task.beside)
    else:
        result = replay_record(record_in(task.file) if task.file else task.lines)
    result.match = result.match or task.match
    return result


def replay_stored(many_commit_bytes: Iterable[bytes], beside: StoredBeside) -> ReplayResult:
    """Test a match of a journal or a backup, with all its secrets."""
    snapshot = _SnapshotTest(beside.snapshot)
    audit = verify_stored(many_commit_bytes, visit=snapshot.visit)
    result = _result_of(audit)
    if audit.report.wrong is None and audit.report.hash != beside.hash:
        result.result = "damaged"
        result.notes = ["its commits do not lead to its head"]
    differences = [result.difference, snapshot.difference]
    if audit.loaded is not None:
        differences += [_compare_beside(audit.loaded, beside), _try_moves(audit.loaded)]
    return _with_first(result, differences)


def replay_record(lines: Iterable[bytes]) -> ReplayResult:
    """Test the match of a record."""
    audit = verify_record(lines)
    result = _result_of(audit)
    differences = [result.difference]
    if audit.loaded is not None:
        differences.append(_try_moves(audit.loaded))
    return _with_first(result, differences)


def _result_of(audit: RecordAudit) -> ReplayResult:
    report = audit.report
    result = ReplayResult(report.match, report.rules, report.commits)
    if report.wrong is not None:
        if report.wrong.commit and report.wrong.code in _OF_RULES:
            result.difference = _difference(audit, report.wrong)
        else:
            result.result = "damaged"
            result.notes.append(str(report.wrong))
    elif audit.unknown_rules:
        result.result = "unknown"
        result.notes.append(f"{audit.unknown_rules} is not installed")
    else:
        result.notes += [
            note for note in report.unchecked if note != END and not note.startswith(_ABOUT_BASE)
        ]
        if result.notes:
            result.result = "partly"
    return result


def _with_first(result: ReplayResult, differences: Sequence[Difference | None]) -> ReplayResult:
    """Return the result with the earliest difference, if there is one and nothing is damaged."""
    present = [difference for difference in differences if difference is not None]
    if present and result.result != "damaged":
        result.difference = min(present, key=lambda difference: difference.version)
        result.result = "different"
    return result


def _difference(audit: RecordAudit, wrong: Wrong) -> Difference:
    """Return the difference behind a fault, with the changes of the state."""
    try:
        patch = _changed_state(audit.unsealed or audit.commits, wrong.commit, audit.report.rules)
    except (Wrong, *STUMBLES):
        patch = []  # today's rules have no state to compare
    return Difference(wrong.commit, wrong.code, wrong.detail, patch)


def _changed_state(
    commits: Sequence[StoredCommit], version: int, rules: str
) -> list[answers.Change]:
    """Return the changes from the recorded state of a version to the state of today.

    Raises Wrong, RuleBroken or another error of STUMBLES if today has no such state.
    """
    before: Match | None = None
    for stored in commits[: version - 1]:
        before = _recorded(before, stored, rules)

    stored = commits[version - 1]
    events = redecide.decided_again(before, stored, rules)
    stamp = stamp_of(stored["commit"])
    today = apply(before.copy() if before else None, list(events), stamp)
    recorded = _recorded(before, stored, rules)
    return list(changes(_values(recorded), _values(today)))


def _recorded(before: Match | None, stored: StoredCommit, rules: str) -> Match:
    """Return the match after the recorded events of a commit. `before` is changed."""
    return apply(before, decode_events([stored], rules), stamp_of(stored["commit"]))


def _values(match: Match) -> Json:
    """Return the state of the game, of the match and of its terms as JSON values."""
    return {
        "match": wire.dump(replace(match, state=None, terms=())),
        "terms": {term.name: wire.dump(term) for term in match.terms},
        "state": None if match.state is None else wire.dump(match.state),
    }


# ---- values stored beside the commits ------------------------------------------------------------


class _SnapshotTest:
    """Compares a snapshot with the match at its version. `difference` is None if they are equal.

    A snapshot of another shape is passed over: the service does not read it either.
    """

    def __init__(self, snapshot: bytes | None) -> None:
        self.difference: Difference | None = None
        self._stored: Json = {}
        if snapshot is not None:
            with suppress(*STUMBLES):  # unreadable: the service does not read it either
                stored = parse_object(snapshot)
                if stored["shape"] == shape_of(stored["rules"]):
                    self._stored = stored

    def visit(self, version: int, match: Match) -> None:
        """Compare the match at the version of the snapshot."""
        stored = self._stored
        if version != stored.get("version"):
            return
        loaded = Loaded(
            id="",
            version=version,
            created=stored["created"],
            time=stored["time"],
            hash=stored["hash"],
            match=match,
        )
        today = snapshot_of(loaded)
        if today is None or canonical(today) == canonical(stored):
            return
        detail = "the stored snapshot has another state"
        self.difference = Difference(
            version,
            "snapshot_differs",
            detail,
            list(changes(stored, parse_object(canonical(today)))),
        )


def _compare_beside(loaded: Loaded, beside: StoredBeside) -> Difference | None:
    """Compare the status and the outcome of a match with those stored beside its commits."""
    status = loaded.status
    today = Status(status.name, status.seats, awaiting=status.worker)
    if today != beside.status:
        detail = (
            f"its head says {_described(beside.status)}, and these rules say {_described(today)}"
        )
        return Difference(loaded.version, "status_differs", detail)

    if beside.outcome is not None:
        stored = orjson.loads(beside.outcome)
        end: Mapping[str, object] = outcome(loaded) or {}
        before, after = ({name: one.get(name) for name in _RESULTS} for one in (stored, end))
        if before != after:
            patch = list(changes(before, after))
            return Difference(loaded.version, "outcome_differs", "it has another outcome", patch)
    return None


def _described(status: Status) -> str:
    actors = status.worker or ", ".join(f"seat:{seat}" for seat in status.seats) or "nobody"
    return f"{status.name}, next {actors}"


# ---- legal moves at the head ---------------------------------------------------------------------


def _try_moves(loaded: Loaded) -> Difference | None:
    """Play each legal move of each actor on a copy of a running match."""
    match = loaded.match
    if loaded.status.name != "running" or match.state is None:
        return None
    try:
        for actor in match.game.actors(match.state):
            detail = _fault_of_moves(match.game, match.state, actor)
            if detail:
                return Difference(loaded.version, "moves_differ", detail)
    except STUMBLES as error:
        detail = f"the legal moves cannot be listed ({type(error).__name__})"
        return Difference(loaded.version, "moves_differ", detail)
    return None


def _fault_of_moves(game: AnyGame, state: State, actor: int) -> str:
    """Return the fault of the legal moves of an actor, "" if there is none."""
    who = "the house" if actor == HOUSE else f"seat:{actor}"
    moves = game.legal_moves(state, actor)
    if not moves and (actor == HOUSE or not game.unlisted(state, actor)):
        return f"{who} must act and has no legal move"
    for move in moves:
        try:
            decide(game, state, move, FastChance(0))
        except RuleBroken as error:
            return f"the move {move.tag} of {who} is listed and refused ({error.rule} {error.code})"
    return ""
