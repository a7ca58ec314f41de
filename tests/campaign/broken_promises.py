"""Corruptions by which a client was told something that the journal does not hold."""

from dataclasses import replace

from tests.campaign.chains import hash_of
from tests.campaign.history import ANSWERED
from tests.campaign.sound_case import PARTITION, Case


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
        content = commit["commit"]
        content["command"] = {"type": "other"}
        content["prev"] = digest
        digest = hash_of(content)
        commit["hash"] = digest
        case.put(version, commit)

    head = case.match.head
    old_digest = head.split("|")[1]
    case.match.head = head.replace(old_digest, digest)


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


def fail_inside(case: Case) -> None:
    """The service answered that something went wrong in it."""
    case.edit(3, status=500, problem="internal", told=(), version=0)
