"""Corruptions by which the journal is at odds with itself: feeds, indexes, heads and chains."""

from tests.campaign.chains import hash_of
from tests.campaign.sound_case import MATCH, PARTITION, Case


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
    lose_the_last(case)
    case.journal.pending[PARTITION] = {MATCH}


def lose_the_last(case: Case) -> None:
    """Let the match wait for the house, which has not revealed its secrets yet."""
    case.match.commits = case.match.commits[:5]
    digest = case.commit(5)["hash"]
    case.match.head = f"5|{digest}|finished|house||public|5|9|calimala"
    case.journal.feeds[PARTITION] = case.journal.feeds[PARTITION][:5]


def turn_back_the_time(case: Case) -> None:
    """A commit tells a time before that of the one before it."""
    commit = case.commit(3)
    commit["commit"]["time"] = "2025-01-01T00:00:00.000Z"
    case.put(3, commit)


def cut_the_chain(case: Case) -> None:
    """A commit names another hash before it than there is; its own hash fits."""
    commit = case.commit(3)
    commit["commit"]["prev"] = "f" * 64
    commit["hash"] = hash_of(commit["commit"])
    case.put(3, commit)


def change_a_secret(case: Case) -> None:
    """A secret part was put beside a commit that names no digest of it."""
    commit = case.commit(3)
    commit["secrets"] = {"seat:0": {"command": {"card": 1}}}
    case.put(3, commit)


def lose_the_head(case: Case) -> None:
    """A match has commits and no head."""
    case.match.head = ""


def join_two_ids(case: Case) -> None:
    """Two requests of a client are remembered for one commit."""
    case.match.ids["seat:0:k3"] = "4:f"


def remember_too_much(case: Case) -> None:
    """A request is remembered for a commit that is not there."""
    case.match.ids["seat:0:k3"] = "9:f"


def leave_it_unrevealed(case: Case) -> None:
    """The match is over and waits for nobody, and its secrets were never revealed."""
    lose_the_last(case)
    case.match.head = case.match.head.replace("|house|", "||")
    case.journal.pending = {}
