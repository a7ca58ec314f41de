"""The checker finds every kind of corruption that is planted, and nothing in a sound journal."""

import ast
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.campaign import chains, checker, findings, history, journal
from tests.campaign.chains import hash_of
from tests.campaign.history import ANSWERED, UNKNOWN, Try
from tests.campaign.journal import StoredJournal, StoredMatch

MATCH = "a" * 26
PARTITION = "p00"
SEATS = [{"kind": "human"}, {"kind": "bot"}]

# Who makes which commit of the match, and what happens in it.
STORY = (
    ("owner", "match_opened"),
    ("seat:0", "moved"),
    ("seat:1", "moved"),
    ("seat:0", "moved"),
    ("house", "game_ended"),
    ("house", "secrets_revealed"),
)
ALLOWED_IMPORTS = {
    "collections",
    "dataclasses",
    "hashlib",
    "itertools",
    "json",
    "pathlib",
    "re",
    "redis",
    "tests",
    "threading",
    "time",
    "typing",
}


@dataclass
class Case:
    """A recorded history and the journal behind it, to be corrupted."""

    tries: list[Try]
    journal: StoredJournal

    @property
    def match(self) -> StoredMatch:
        """The one match."""
        return self.journal.matches[MATCH]

    def commit(self, version: int) -> dict[str, Any]:
        """Return a commit."""
        stored: dict[str, Any] = json.loads(self.match.commits[version - 1][1])
        return stored

    def put(self, version: int, commit: dict[str, Any]) -> None:
        """Put another commit in the place of one."""
        self.match.commits[version - 1] = (f"{version}-0", json.dumps(commit).encode())

    def edit(self, number: int, **changes: Any) -> None:
        """Change what is recorded of a try."""
        self.tries[number] = replace(self.tries[number], **changes)


def content(version: int, prev: str) -> dict[str, Any]:
    """Return the content of a commit of the story."""
    actor, happened = STORY[version - 1]
    event: dict[str, Any] = {"type": happened}
    if version == 1:
        event["seats"] = SEATS
    return {
        "actor": actor,
        "command": {"type": "act"},
        "events": [event],
        "match": MATCH,
        "prev": prev,
        "secrets": {},
        "time": f"2026-01-01T00:00:0{version}.000Z",
        "version": version,
        "view": "",
    }


def sound() -> Case:
    """Return a history and a journal in which everything is right."""
    commits = []
    digest = ""
    for version in range(1, len(STORY) + 1):
        told = content(version, digest)
        digest = hash_of(told)
        stored = {"commit": told, "hash": digest, "secrets": {}}
        commits.append((f"{version}-0", json.dumps(stored).encode()))

    match = StoredMatch(
        partition=PARTITION,
        commits=commits,
        head=f"6|{digest}|finished|||public|5|9|calimala",
        ids={"open": "1:f", "seat:0:k2": "2:f", "seat:0:k4": "4:f"},
    )
    stored_journal = StoredJournal(
        matches={MATCH: match},
        feeds={PARTITION: [f"{MATCH}:{version}" for version in range(1, 7)]},
        listing={
            PARTITION: {
                f":{5:014d}:{MATCH}",
                f"finished:{5:014d}:{MATCH}",
                f"@calimala::{5:014d}:{MATCH}",
                f"@calimala:finished:{5:014d}:{MATCH}",
            }
        },
    )
    case = Case([], stored_journal)
    case.tries = tries_of(case)
    return case


def tries_of(case: Case) -> list[Try]:
    """Return what a client did in the sound match.

    It opened, moved (the first answer was lost), read, was refused, and moved again.
    """

    def told(version: int) -> dict[str, Any]:
        pair = (version, case.commit(version)["hash"])
        return {"outcome": ANSWERED, "version": version, "told": (pair,)}

    def one(number: int, request: int, what: str, key: str, **facts: Any) -> Try:
        actor = "owner" if what == "open" else "seat:0"
        moment: dict[str, Any] = {"sent": float(number), "ended": number + 0.5}
        common: dict[str, Any] = {
            "client": "c",
            "what": what,
            "match": MATCH,
            "actor": actor,
            "key": key,
        }
        return Try(number=number, request=request, **common, **moment, **facts)

    stale = {"outcome": ANSWERED, "status": 412, "problem": "stale-version", "version": 2}
    return [
        one(1, 1, "open", "k1", status=201, **told(1)),
        one(2, 2, "move", "k2", expected=1, outcome=UNKNOWN),
        one(3, 2, "move", "k2", expected=1, status=201, repeated=True, **told(2)),
        one(4, 3, "match", "", status=200, **told(2)),
        one(5, 4, "move", "k3", expected=1, **stale),
        one(6, 5, "move", "k4", expected=3, status=201, **told(4)),
        one(7, 6, "match", "", status=200, **told(6)),
    ]


def lose_the_end(case: Case) -> None:
    """The journal goes back behind an acknowledged commit, and all its keys agree with that."""
    before = case.commit(3)["hash"]
    match = case.match
    match.commits = match.commits[:3]
    match.head = f"3|{before}|finished|||public|5|9|calimala"
    match.ids.pop("seat:0:k4")
    case.journal.feeds[PARTITION] = case.journal.feeds[PARTITION][:3]


def lose_the_match(case: Case) -> None:
    """A whole match is gone."""
    case.journal.matches = {}
    case.journal.feeds = {}
    case.journal.listing = {}


def double_a_move(case: Case) -> None:
    """A move of a human was made twice: a second commit without a command id."""
    commit = case.commit(3)
    commit["commit"]["actor"] = "seat:0"
    commit["hash"] = hash_of(commit["commit"])
    case.put(3, commit)


def tell_two_versions(case: Case) -> None:
    """A repeated request was told as another commit."""
    case.edit(1, outcome=ANSWERED, status=201, version=3, told=())


def rewrite_a_commit(case: Case) -> None:
    """A commit was changed and its chain made right again."""
    digest = case.commit(3)["hash"]
    for version in range(4, 7):
        commit = case.commit(version)
        commit["commit"]["command"] = {"type": "other"}
        commit["commit"]["prev"] = digest
        digest = hash_of(commit["commit"])
        commit["hash"] = digest
        case.put(version, commit)
    case.match.head = case.match.head.replace(case.match.head.split("|")[1], digest)


def change_one_byte(case: Case) -> None:
    """A byte of a stored commit was changed."""
    commit = case.commit(3)
    commit["commit"]["view"] = "0"
    case.put(3, commit)


def swap_two(case: Case) -> None:
    """Two commits lie in each other's place."""
    second, third = case.commit(2), case.commit(3)
    case.put(2, third)
    case.put(3, second)


def leave_a_gap(case: Case) -> None:
    """An entry in the middle is missing."""
    del case.match.commits[2]


def lie_to_a_reader(case: Case) -> None:
    """A reader was told a hash that is not in the journal."""
    case.edit(3, told=((2, "f" * 64),))


def read_the_past(case: Case) -> None:
    """A reader was told an older version after a newer one."""
    second = case.commit(2)["hash"]
    case.edit(6, version=2, told=((2, second),))


def refuse_and_make(case: Case) -> None:
    """A request was refused although it had made a commit."""
    case.edit(5, status=412, problem="stale-version", told=(), version=3)


def forget_a_key(case: Case) -> None:
    """A request that was acknowledged is refused when it is sent once more."""
    again = replace(case.tries[4], number=8, request=5, key="k4", sent=8.0, ended=8.5)
    case.tries.append(again)


def make_unasked(case: Case) -> None:
    """A commit in a client's name has a command id that nobody has sent."""
    case.match.ids["seat:0:other"] = "3:f"


def expect_another(case: Case) -> None:
    """A move was made at another version than it was thought up for."""
    case.edit(5, expected=2)


def forget_in_feed(case: Case) -> None:
    """The feed lacks a commit."""
    case.journal.feeds[PARTITION].pop(2)


def double_in_feed(case: Case) -> None:
    """The feed names a commit twice."""
    case.journal.feeds[PARTITION].insert(2, f"{MATCH}:2")


def pend_for_nothing(case: Case) -> None:
    """A match is pending that waits for nobody."""
    case.journal.pending[PARTITION] = {MATCH}


def list_wrongly(case: Case) -> None:
    """The listing has the match under another status."""
    case.journal.listing[PARTITION].add(f"running:{5:014d}:{MATCH}")


def set_head_back(case: Case) -> None:
    """The head tells an older version."""
    case.match.head = f"5|{case.commit(5)['hash']}|finished|||public|5|9|calimala"


def get_stuck(case: Case) -> None:
    """The match waits for the house for ever."""
    case.match.commits = case.match.commits[:5]
    digest = case.commit(5)["hash"]
    case.match.head = f"5|{digest}|finished|house||public|5|9|calimala"
    case.journal.feeds[PARTITION] = case.journal.feeds[PARTITION][:5]
    case.journal.pending[PARTITION] = {MATCH}


def fail_inside(case: Case) -> None:
    """The service answered that something went wrong in it."""
    case.edit(3, status=500, problem="internal", told=(), version=0)


PLANTED: list[tuple[Callable[[Case], None], str]] = [
    (lose_the_end, findings.LOST),
    (lose_the_match, findings.LOST),
    (double_a_move, findings.DOUBLED),
    (tell_two_versions, findings.DOUBLED),
    (rewrite_a_commit, findings.CHANGED),
    (change_one_byte, findings.CHAIN),
    (swap_two, findings.GAP),
    (leave_a_gap, findings.GAP),
    (lie_to_a_reader, findings.VANISHED),
    (read_the_past, findings.STALE_READ),
    (refuse_and_make, findings.REFUSED_BUT_MADE),
    (forget_a_key, findings.FORGOTTEN),
    (make_unasked, findings.INVENTED),
    (expect_another, findings.CHANGED),
    (forget_in_feed, findings.INDEX),
    (double_in_feed, findings.INDEX),
    (pend_for_nothing, findings.INDEX),
    (list_wrongly, findings.INDEX),
    (set_head_back, findings.HEAD),
    (get_stuck, findings.STUCK),
    (fail_inside, findings.WRONG_ANSWER),
]


def test_nothing_is_found_where_everything_is_right() -> None:
    """A sound history of a sound journal has no finding."""
    case = sound()
    assert checker.check(case.tries, case.journal) == []


@pytest.mark.parametrize(
    ("plant", "rule"), PLANTED, ids=lambda value: getattr(value, "__name__", "")
)
def test_what_is_planted_is_found(plant: Callable[[Case], None], rule: str) -> None:
    """Each planted corruption is found, and named as what it is."""
    case = sound()
    plant(case)

    found = checker.check(case.tries, case.journal)
    assert rule in {finding.rule for finding in found}
    assert {finding.match for finding in found} == {MATCH}


def test_a_refused_try_beside_an_unknown_one_may_have_made_the_commit() -> None:
    """A request is held to its refusals only if no try of it is unknown."""
    case = sound()
    case.edit(2, status=412, problem="stale-version", told=(), version=2, repeated=False)
    assert checker.check(case.tries, case.journal) == []


@pytest.mark.parametrize("module", [checker, chains, journal, history, findings])
def test_the_checker_shares_no_code_with_the_service(module: Any) -> None:
    """Its modules import the standard library, redis and one another."""
    tree = ast.parse(Path(module.__file__).read_text())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")

    assert {name.partition(".")[0] for name in names} <= ALLOWED_IMPORTS
    inner = {name for name in names if name.startswith("tests")}
    assert all(name.startswith("tests.campaign") for name in inner)
