"""Broken histories: a small case with everything right, and all faults planted in it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tests.promises import checker
from tests.promises.checker import Content, Finding, hash_of
from tests.promises.history import ANSWERED, CALL, NEWS, REMATCH, UNKNOWN, WEBHOOK, Try
from tests.promises.rematches import check_rematches
from tests.promises.reports import Span, check_reports
from tests.promises.stored import StoredJournal, StoredMatch

MATCH = "a" * 26
AGAIN = "b" * 26  # its rematch, requested by its one human
PARTITION = "p00"
LONG = 1000.0  # seconds for which version 3 lasts
SEATS = {
    MATCH: [{"kind": "human"}, {"kind": "bot"}],
    AGAIN: [{"kind": "bot"}, {"kind": "open"}],
}

# The actor of each commit of a match, and its event.
STORY = (
    ("owner", "match_opened"),
    ("seat:0", "moved"),
    ("seat:1", "moved"),
    ("seat:0", "moved"),
    ("house", "game_ended"),
    ("house", "secrets_revealed"),
)
STORY_AGAIN = (
    ("owner", "match_opened"),
    ("invitation", "seat_joined"),
    ("owner", "match_started"),
    ("house", "game_ended"),
    ("house", "secrets_revealed"),
)
COMMANDS = {"seat_joined": {"type": "join", "seat": 1}, "match_started": {"type": "start"}}


@dataclass
class Case:
    """A noted history and the journal behind it, to be corrupted."""

    tries: list[Try]
    journal: StoredJournal

    @property
    def match(self) -> StoredMatch:
        """The match that is corrupted."""
        return self.journal.matches[MATCH]

    @property
    def again(self) -> StoredMatch:
        """Its rematch."""
        return self.journal.matches[AGAIN]

    def commit(self, version: int) -> dict[str, Any]:
        stored: dict[str, Any] = json.loads(self.match.commits[version - 1][1])
        return stored

    def put(self, version: int, commit: dict[str, Any]) -> None:
        """Put another commit in the place of one."""
        self.match.commits[version - 1] = (f"{version}-0", json.dumps(commit).encode())

    def forge(self, version: int, **changes: Any) -> None:
        """Change the content of a commit, and make its hash fit."""
        commit = self.commit(version)
        commit["commit"] |= changes
        commit["hash"] = hash_of(commit["commit"])
        self.put(version, commit)

    def found(self, *excuses: Span) -> list[Finding]:
        """Return the findings of all checkers."""
        last = {match: len(stored.commits) for match, stored in self.journal.matches.items()}
        reported = check_reports(self.tries, last, excuses)
        rematched = check_rematches(self.tries, self.journal)
        return [*checker.check(self.tries, self.journal), *rematched, *reported]

    def edit(self, number: int, **changes: Any) -> None:
        """Change the facts of a try."""
        self.tries[number] = replace(self.tries[number], **changes)

    def cut(self, version: int, awaiting: str = "") -> None:
        """End the match with a version: commits, head and feed agree."""
        self.match.commits = self.match.commits[:version]
        digest = self.commit(version)["hash"]
        self.match.head = f"{version}|{digest}|finished|{awaiting}||public|5|9|calimala"
        feed = self.journal.feeds[PARTITION]
        self.journal.feeds[PARTITION] = feed[:version] + feed[len(STORY) :]


def content(match: str, version: int, prev: str, actor: str, event: str) -> Content:
    """Return the content of a commit with one event."""
    happened: dict[str, Any] = {"type": event}
    if version == 1:
        happened["seats"] = SEATS.get(match, [])
    elif event == "seat_joined":
        happened["seat"] = 1
    return {
        "actor": actor,
        "command": COMMANDS.get(event, {"type": "act"}),
        "events": [happened],
        "match": match,
        "prev": prev,
        "secrets": {},
        "time": f"2026-01-01T00:00:00.{version:09}Z",
        "version": version,
        "view": "",
    }


def sound() -> Case:
    """Return a history and a journal with everything right."""
    match = _stored(MATCH, STORY)
    match.ids |= {"seat:0:k2": "2:f", "seat:0:k4": "4:f"}
    match.rematch = AGAIN
    again = _stored(AGAIN, STORY_AGAIN)
    again.rematch_of = MATCH

    feed = [f"{MATCH}:{version}" for version in range(1, 1 + len(STORY))]
    feed += [f"{AGAIN}:{version}" for version in range(1, 1 + len(STORY_AGAIN))]
    journal = StoredJournal(
        matches={MATCH: match, AGAIN: again},
        feeds={PARTITION: feed},
        listing={PARTITION: _listed(MATCH) | _listed(AGAIN)},
    )
    case = Case([], journal)
    case.tries = _tries_of(case) + _reported() + _played_again()
    return case


def _stored(match: str, story: Sequence[tuple[str, str]]) -> StoredMatch:
    """Return a match as the journal keeps it."""
    commits = []
    digest = ""
    for version, (actor, event) in enumerate(story, 1):
        commit = content(match, version, digest, actor, event)
        digest = hash_of(commit)
        stored = {"commit": commit, "hash": digest, "secrets": {}}
        commits.append((f"{version}-0", json.dumps(stored).encode()))
    head = f"{len(story)}|{digest}|finished|||public|5|9|calimala"
    return StoredMatch(PARTITION, commits, head, ids={"open": "1:f"})


def _listed(match: str) -> set[str]:
    """Return the members of the listing for a match."""
    member = f"{5:014d}:{match}"
    statuses = ("", "finished")
    return {f"{game}{status}:{member}" for game in ("", "@calimala:") for status in statuses}


def _played_again() -> list[Try]:
    """Return the human's and the owner's requests for a rematch. The human's first try was lost."""
    answered: dict[str, Any] = {"outcome": ANSWERED, "status": 200, "rematch": AGAIN}
    return [
        _try(18, 18, REMATCH, at=LONG + 901, outcome=UNKNOWN),
        _try(19, 18, REMATCH, at=LONG + 902, **answered),
        replace(_try(20, 19, REMATCH, at=LONG + 903, **answered), actor="owner"),
    ]


def _tries_of(case: Case) -> list[Try]:
    """Return a client's tries in the sound match.

    It opened, moved (the first answer was lost), read, was refused, and moved again.
    """

    def answered(version: int) -> dict[str, Any]:
        pair = (version, case.commit(version)["hash"])
        return {"outcome": ANSWERED, "version": version, "told": (pair,)}

    stale: dict[str, Any] = {
        "outcome": ANSWERED,
        "status": 412,
        "problem": "stale-version",
        "version": 2,
    }
    return [
        _try(1, 1, "open", key="k1", status=201, **answered(1)),
        _try(2, 2, "move", key="k2", expected=1, outcome=UNKNOWN),
        _try(3, 2, "move", key="k2", expected=1, status=201, repeated=True, **answered(2)),
        _try(4, 3, "match", status=200, **answered(2)),
        _try(5, 4, "move", key="k3", expected=1, **stale),
        _try(6, 5, "move", key="k4", expected=3, status=201, **answered(4)),
        _try(7, 6, "match", status=200, **answered(6)),
    ]


def _reported() -> list[Try]:
    """Return the reports of the match. The turn at version 3 lasts, and so does the end."""
    turn: dict[str, Any] = {"version": 3, "seats": (0,), "outcome": ANSWERED}
    end: dict[str, Any] = {"version": 6, "seats": (), "outcome": ANSWERED}
    told_turn: dict[str, Any] = {"version": 3, "event": "turn", "outcome": ANSWERED}
    told_end: dict[str, Any] = {"version": 6, "event": "ended", "outcome": ANSWERED}
    return [
        _try(8, 8, WEBHOOK, at=1.0, status=201, outcome=ANSWERED),
        _try(9, 9, NEWS, at=LONG - 990, status=200, **told_turn),
        _try(10, 10, CALL, at=LONG - 980, status=204, key="msg_1", **told_turn),
        _try(11, 11, "moves", at=LONG - 10, status=200, **turn),
        _try(12, 12, NEWS, at=LONG + 10, status=200, **told_end),
        _try(13, 13, CALL, at=LONG + 20, status=204, key="msg_2", **told_end),
        _try(14, 14, "match", at=LONG + 900, status=200, **end),
        _try(15, 15, "moves", at=LONG - 985, status=200, **turn),
        _try(16, 16, NEWS, at=1.0, status=200, event="followed", outcome=ANSWERED),
        # Somebody is always answered: the service is there all the time.
        *[_try(17, 17, "commits", at=at, status=200, outcome=ANSWERED) for at in range(9, 1900, 9)],
    ]


def _try(number: int, request: int, what: str, *, at: float = 0.0, **facts: Any) -> Try:
    """Return a try of the one client, half a second long. facts: its other fields.

    at: the time of sending. 0.0: the try's number, and LONG later for the tries 6 and 7.
    """
    sent_at = at or (number + LONG if number in (6, 7) else float(number))
    return Try(
        number=number,
        request=request,
        what=what,
        client="c",
        match=MATCH,
        actor="owner" if what == "open" else "seat:0",
        sent=sent_at,
        ended=sent_at + 0.5,
        **facts,
    )


class Plant(NamedTuple):
    """A corruption, the broken rule, and words of the finding."""

    change: Callable[[Case], None]
    rule: str
    words: str


PLANTED: list[Plant] = []


def breaks(rule: str, words: str) -> Callable[[Callable[[Case], None]], Callable[[Case], None]]:
    """Return a decorator to add a corruption to PLANTED."""

    def plant(change: Callable[[Case], None]) -> Callable[[Case], None]:
        PLANTED.append(Plant(change, rule, words))
        return change

    return plant


# ---- a client was told something unknown to the journal ------------------------------------------


@breaks(checker.LOST, "the journal says None")
def acknowledged_end_is_lost(case: Case) -> None:
    case.cut(3)
    case.match.ids.pop("seat:0:k4")


@breaks(checker.LOST, "was told version 1 with hash")
def match_is_lost(case: Case) -> None:
    del case.journal.matches[MATCH]
    case.journal.feeds[PARTITION] = case.journal.feeds[PARTITION][len(STORY) :]
    case.journal.listing[PARTITION] = _listed(AGAIN)


@breaks(checker.DOUBLED, "has no command id")
def move_of_a_human_is_made_twice(case: Case) -> None:
    case.forge(3, actor="seat:0")


@breaks(checker.DOUBLED, "was told as versions [2, 3]")
def repeated_request_is_told_as_another_commit(case: Case) -> None:
    case.edit(1, outcome=ANSWERED, status=201, version=3, told=())


@breaks(checker.CHANGED, "was told version 4 with hash")
def commit_is_changed_and_the_chain_made_right(case: Case) -> None:
    old_hash = case.commit(6)["hash"]
    for version in range(4, 7):
        case.forge(version, command={"type": "other"}, prev=case.commit(version - 1)["hash"])
    case.match.head = case.match.head.replace(old_hash, case.commit(6)["hash"])


@breaks(checker.CHANGED, "expected version 2")
def move_is_made_at_another_version_than_it_expected(case: Case) -> None:
    case.edit(5, expected=2)


@breaks(checker.VANISHED, "was told version 2 with hash")
def reader_is_told_a_hash_that_is_not_there(case: Case) -> None:
    case.edit(3, told=((2, "f" * 64),))


@breaks(checker.STALE_READ, "after 4 was told")
def reader_is_told_an_older_version_after_a_newer_one(case: Case) -> None:
    case.edit(6, version=2, told=((2, case.commit(2)["hash"]),))


@breaks(checker.REFUSED_BUT_MADE, "k4 was refused")
def refused_request_has_made_a_commit(case: Case) -> None:
    case.edit(5, status=412, problem="stale-version", told=(), version=3)


@breaks(checker.FORGOTTEN, "k4 was refused after")
def acknowledged_request_is_refused_when_sent_again(case: Case) -> None:
    again = replace(case.tries[4], number=8, request=5, key="k4", sent=LONG + 8, ended=LONG + 8.5)
    case.tries.append(again)


@breaks(checker.INVENTED, "nobody has sent seat:0:other")
def commit_has_a_command_id_that_nobody_has_sent(case: Case) -> None:
    case.match.ids["seat:0:other"] = "3:f"


@breaks(checker.WRONG_ANSWER, "500 internal")
def service_answers_that_it_has_failed(case: Case) -> None:
    case.edit(3, status=500, problem="internal", told=(), version=0)


# ---- the journal is at odds with itself --------------------------------------------------------


@breaks(checker.CHAIN, "is not that of its content")
def byte_of_a_commit_is_changed(case: Case) -> None:
    commit = case.commit(3)
    commit["commit"]["view"] = "0"
    case.put(3, commit)


@breaks(checker.CHAIN, "is earlier than the one before")
def time_goes_back(case: Case) -> None:
    case.forge(3, time="2025-01-01T00:00:00.000Z")


@breaks(checker.CHAIN, "does not name the hash before it")
def commit_names_another_hash_before_it(case: Case) -> None:
    case.forge(3, prev="f" * 64)


@breaks(checker.CHAIN, "a secret part of version 3")
def secret_part_has_no_digest(case: Case) -> None:
    commit = case.commit(3)
    commit["secrets"] = {"seat:0": {"command": {"card": 1}}}
    case.put(3, commit)


@breaks(checker.GAP, f"version 3 of {MATCH} stands as 2")
def two_commits_lie_in_each_others_place(case: Case) -> None:
    second, third = case.commit(2), case.commit(3)
    case.put(2, third)
    case.put(3, second)


@breaks(checker.GAP, "entry 4-0 stands as number 3")
def commit_in_the_middle_is_missing(case: Case) -> None:
    del case.match.commits[2]


@breaks(checker.HEAD, "the head tells version 5 of 6")
def head_is_older(case: Case) -> None:
    case.match.head = f"5|{case.commit(5)['hash']}|finished|||public|5|9|calimala"


@breaks(checker.HEAD, "it has no head")
def head_is_missing(case: Case) -> None:
    case.match.head = ""


@breaks(checker.INDEX, "the feed does not name")
def feed_lacks_a_commit(case: Case) -> None:
    case.journal.feeds[PARTITION].pop(2)


@breaks(checker.INDEX, "that nobody has counted")
def lines_have_left_the_feed_uncounted(case: Case) -> None:
    del case.journal.feeds[PARTITION][:2]
    case.journal.trimmed[PARTITION] = 1


@breaks(checker.INDEX, "the feed does not name")
def feed_names_a_commit_twice(case: Case) -> None:
    case.journal.feeds[PARTITION].insert(2, f"{MATCH}:2")


@breaks(checker.INDEX, "is not pending")
def match_is_pending_and_waits_for_nobody(case: Case) -> None:
    case.journal.pending[PARTITION] = {MATCH}


@breaks(checker.INDEX, "the listing is wrong about running")
def match_is_listed_under_another_status(case: Case) -> None:
    case.journal.listing[PARTITION].add(f"running:{5:014d}:{MATCH}")


@breaks(checker.LOST, "have all made version 4")
def two_requests_are_remembered_for_one_commit(case: Case) -> None:
    case.match.ids["seat:0:k3"] = "4:f"


@breaks(checker.LOST, "version 9, which is not there")
def request_is_remembered_for_a_commit_that_is_not_there(case: Case) -> None:
    case.match.ids["seat:0:k3"] = "9:f"


@breaks(checker.STUCK, "waits for house")
def match_waits_for_the_house_for_ever(case: Case) -> None:
    case.cut(5, awaiting="house")
    case.journal.pending[PARTITION] = {MATCH}


@breaks(checker.STUCK, "waits for nobody of the service")
def match_is_over_and_never_revealed(case: Case) -> None:
    case.cut(5)


# ---- what streams and webhooks report ----------------------------------------------------------


@breaks(checker.UNREPORTED, "did not report version 3 as turn")
def turn_is_not_on_the_stream(case: Case) -> None:
    case.edit(8, version=2)


@breaks(checker.UNREPORTED, "did not report version 3 as turn")
def turn_is_on_the_stream_as_another_thing(case: Case) -> None:
    case.edit(8, event="waiting")


@breaks(checker.WRONG_ANSWER, "news by c: 200 rewritten")
def stream_says_that_commits_were_lost(case: Case) -> None:
    case.edit(8, event="rewritten")


@breaks(checker.UNREPORTED, "did not report version 6 as ended")
def end_is_not_on_the_stream(case: Case) -> None:
    del case.tries[11]


@breaks(checker.UNREPORTED, "did not report version 3 as turn")
def stream_is_silent(case: Case) -> None:
    case.tries = [one for one in case.tries if one.what != NEWS or not one.version]


@breaks(checker.UNREPORTED, "no call to seat:0 about the turn at version 3")
def nobody_is_called_for_a_turn(case: Case) -> None:
    del case.tries[9]


@breaks(checker.UNREPORTED, "no call to seat:0 about the turn at version 3")
def call_for_a_turn_is_late(case: Case) -> None:
    case.edit(9, sent=LONG - 500, ended=LONG - 499)


@breaks(checker.UNREPORTED, "no call to seat:0 about the ended at version 6")
def nobody_is_called_for_the_end(case: Case) -> None:
    del case.tries[12]


@breaks(checker.CALLED_AGAIN, "msg_1 was answered with 2xx")
def call_comes_again_after_its_answer(case: Case) -> None:
    call_again(case)


def call_again(case: Case) -> None:
    """Have a call come again that was answered with 2xx."""
    case.tries.append(replace(case.tries[9], number=18, sent=LONG - 900, ended=LONG - 899))


@breaks(checker.PASSED_TURN, "version 3, which had long passed")
def call_is_for_a_turn_that_has_passed(case: Case) -> None:
    late = replace(case.tries[9], number=18, key="msg_3", sent=LONG + 90, ended=LONG + 91)
    case.tries.append(late)


# ---- rematches ---------------------------------------------------------------------------------


@breaks(checker.REMATCHED, "its rematches are")
def two_players_are_told_of_different_rematches(case: Case) -> None:
    case.edit(-1, rematch="c" * 26)


@breaks(checker.REMATCHED, "its rematches are")
def match_names_another_rematch_than_the_one_that_follows_it(case: Case) -> None:
    case.match.rematch = "c" * 26


@breaks(checker.REMATCHED, "does not name its rematch")
def match_does_not_name_its_rematch(case: Case) -> None:
    case.match.rematch = ""


@breaks(checker.REMATCHED, "does not name it")
def rematch_does_not_name_the_match_before(case: Case) -> None:
    case.again.rematch_of = ""


@breaks(checker.LOST, "in which nobody has taken seat 0")
def player_who_was_told_of_a_rematch_has_no_seat_there(case: Case) -> None:
    case.edit(-2, actor="seat:1")


@breaks(checker.DOUBLED, "is owner's, unasked")
def rematch_is_started_by_nobody_who_has_asked(case: Case) -> None:
    case.tries = case.tries[:-3]
