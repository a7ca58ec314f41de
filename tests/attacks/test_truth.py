"""Forgers against the verifier: records of what was never played, with every hash mended."""

import gzip
import hashlib
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import Draws, bound_key, draw_seed
from domain.match.messages import MatchOpened, MatchStarted, Open, Reveal, SeatPlan, SecretsRevealed
from domain.match.play import open_match
from service.errors import BadRecord, Illegal
from service.journal.values import Entry
from service.ledger import record
from service.ledger.canonical import Json
from service.ledger.receipts import Accepted, sign_receipt
from service.ledger.replay import Loaded, apply
from service.ledger.times import timestamp
from service.ledger.writing import NewCommit, Written, view_digest, write
from service.matches import audits, house, lobby, reading
from service.matches.committing import head_of
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.records import AHEAD_MS, import_record
from service.matches.submitting import Submission
from service.verify.audit import verify_record
from service.verify.receipts import check_receipts
from service.verify.report import Wrong
from tests import toy
from tests.attacks import mutations
from tests.attacks.forging import (
    RELABELLINGS,
    cut,
    entries_of,
    mended,
    opening_messages,
    relabelled,
)
from tests.records import make
from tests.service.toy_matches import START, fault, new_desk, whole

SECRET = bytes(range(32))
ID = "a" * 26
TIME = timestamp(START)


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered."""
    toy.install(monkeypatch)


def opening(*seats: SeatPlan, sealed: bool) -> tuple[Open, MatchOpened]:
    """Return a command that opens a toy match of one round, and its event.

    Sealed: with the match's secret.
    """
    command = Open(
        game="toy",
        rules="toy/1",
        views=1,
        options=toy.TOY.read_options({"rounds": 1}),
        seats=seats,
        visibility="public",
        commitment=hashlib.sha256(SECRET).hexdigest(),
        secret=SECRET.hex() if sealed else None,
    )
    # With all seats held the match would start at once, so they are told afterwards.
    open_seats = (SeatPlan("open"),) * len(seats)
    _, events = open_match(replace(command, seats=open_seats), Draws(SECRET))
    return command, replace(events[0], seats=seats)


def made_up(points: tuple[int, int], *, sealed: bool) -> list[bytes]:
    """Return the record of a match of two commits.

    The first opens, deals and pays in one breath, the second reveals.
    """
    command, event = opening(SeatPlan("human"), SeatPlan("human"), sealed=sealed)
    events: list[Any] = [
        event,
        MatchStarted(),
        toy.CardDealt(0, 1),
        toy.CardDealt(1, 1),
        toy.CoinTossed(True),
        toy.RoundPaid((1, 1), points),
    ]
    first = first_commit(command, events)

    parts = {"1": dict(first.stored["secrets"])}
    last = NewCommit(
        match=ID,
        version=2,
        time=TIME,
        actor="house",
        command=Reveal(SECRET.hex(), parts),
        events=[SecretsRevealed(SECRET.hex(), parts)],
        prev=first.stored["hash"],
        view=view_digest(apply(None, events)),
    )
    return [record.line(written.stored) for written in (first, write(last, SECRET))]


def first_commit(command: Open, events: list[Any]) -> Written:
    """Return a first commit that nobody has decided."""
    new = NewCommit(
        match=ID,
        version=1,
        time=TIME,
        actor="owner",
        command=command,
        events=events,
        prev="",
        view=view_digest(apply(None, list(events))),
    )
    return write(new, SECRET)


@pytest.mark.parametrize(("sealed", "code"), [(False, "not_sealed"), (True, "events_differ")])
def test_a_match_of_999_points_in_two_commits_is_found(desk: Desk, sealed: bool, code: str) -> None:
    """M10: the draws are those that the sealed secret gives.

    Without a sealed secret no draw could be checked, so that is refused, too.
    """
    lines = made_up((999, 0), sealed=sealed)
    assert fault(lines) == (1, code)
    with pytest.raises(BadRecord) as refused:
        import_record(desk, lines)
    assert refused.value.code == code
    assert desk.journal.listing("", None, 9) == []


@pytest.mark.parametrize("missing", ["part", "command", "0"])
def test_an_opening_that_does_not_seal_the_secret_is_found(desk: Desk, missing: str) -> None:
    """M10: the house's part is there, and holds the secret for the command and for the event."""
    entries = entries_of(whole(desk, 1))
    if missing == "part":
        del entries[0]["secrets"]["house"]
    else:
        del entries[0]["secrets"]["house"][missing]["secret"]
    assert fault(mended(entries)) == (1, "not_sealed")


def desk_with(command: Open, events: list[Any]) -> Desk:
    """Return a desk over a journal with a match of one commit."""
    first = first_commit(command, events)
    loaded = Loaded(
        id=ID,
        version=1,
        created=TIME,
        time=TIME,
        hash=first.stored["hash"],
        match=apply(None, events),
    )
    desk = new_desk()
    desk.journal.append(Entry(ID, 0, "", first.commit_bytes, head_of(loaded)))
    return desk


def test_in_a_match_without_its_secret_nothing_more_happens() -> None:
    """M10: whoever acts is refused with the reason.

    The match can be read, and an audit says what is wrong with it.
    """
    command, event = opening(SeatPlan("open"), SeatPlan("open"), sealed=False)
    desk = desk_with(command, [event])
    with pytest.raises(Illegal) as refused:
        lobby.join(desk, Submission(ID, None), 0, {"name": "", "entropy": ""})
    assert refused.value.code == "not_sealed"
    assert (refused.value.rules, refused.value.rule) == ("match", "M10")
    assert "can be read" in refused.value.detail

    loaded = load(desk, ID)
    assert reading.document(loaded, {})["version"] == 1
    wrong = audits.audit(desk, ID).wrong
    assert wrong is not None
    assert wrong.code == "not_sealed"


def test_a_house_without_the_secret_says_why_it_cannot_act() -> None:
    """M10: a worker's failure names the rule, too."""
    command, event = opening(SeatPlan("human"), SeatPlan("human"), sealed=False)
    events = [
        event,
        MatchStarted(),
        toy.CardDealt(0, 1),
        toy.CardDealt(1, 1),
        toy.CardKept(0),
        toy.CardKept(1),
    ]
    desk = desk_with(command, events)
    with pytest.raises(Exception, match="M10 not_sealed"):
        house.act(desk, ID)


RELABELLED = {
    "envelope": {"relabelled"},
    "field": {"commitment_broken"},
    "commitment": {"events_differ", "secrets_differ"},
    "key": {"commitment_broken"},
    "unbound": {"events_differ", "secrets_differ"},
}


@pytest.mark.parametrize("how", RELABELLINGS)
@pytest.mark.parametrize("game", ["calimala", "firenze"])
def test_a_bound_record_is_right_under_its_own_id_alone(game: str, how: str) -> None:
    """M10: whatever is mended, another id is another key, and so gives other draws."""
    path = make.HOME / game / "1-3-bound-03.ndjson.gz"
    lines = record.lines(gzip.decompress(path.read_bytes()))
    assert verify_record(lines).report.verdict == "right"

    wrong = verify_record(relabelled(lines, "z" * 26, how)).report.wrong
    assert wrong is not None
    assert wrong.code in RELABELLED[how]


def test_a_bound_key_is_no_other_matchs_secret() -> None:
    """M10: a key cannot be passed off as a secret (decision 0020).

    It is longer than a secret may be, also as HMAC sees it.
    """
    key = bound_key(SECRET, ID)
    assert len(key) == 64
    assert draw_seed(key, [""], 1) != draw_seed(key[:32], [""], 1)


def change_opening(desk: Desk, **changes: Any) -> list[bytes]:
    """Return a record whose opening says something else, in command and event alike."""
    entries = entries_of(whole(desk, 1))
    for message in opening_messages(entries):
        message.update(changes)
    return mended(entries)


@pytest.mark.parametrize(
    ("changes", "unchecked"),
    [
        pytest.param({"views": 99}, "view version 99", id="views-99"),
        pytest.param({"rules": "firenze/2", "game": "firenze"}, "firenze/2", id="rules-not-known"),
    ],
)
def test_what_cannot_be_checked_is_neither_right_nor_imported(
    desk: Desk, changes: dict[str, Any], unchecked: str
) -> None:
    """A record that claims views or rules to come is right as far as checked.

    It says so, and it is not imported.
    """
    lines = change_opening(desk, **changes)
    report = verify_record(lines).report
    assert report.wrong is None
    assert report.verdict == "partly_checked"
    assert unchecked in report.unchecked[0]

    with pytest.raises(BadRecord, match="only what is checked to the last") as refused:
        import_record(new_desk(), lines)
    assert refused.value.code == "not_checked"


def ahead(desk: Desk, milliseconds: int) -> list[bytes]:
    """Return a record whose last commit is so far ahead of START."""
    entries = entries_of(whole(desk, 1))
    entries[-1]["commit"]["time"] = timestamp(START + milliseconds)
    return mended(entries)


def test_a_match_of_another_clock_is_imported(desk: Desk) -> None:
    """A record may be a minute ahead of this server's clock, as clocks go."""
    target = replace(new_desk(), clock=lambda: START)
    _, was_there = import_record(target, ahead(desk, AHEAD_MS - 1000))
    assert was_there is False


def test_a_match_of_tomorrow_is_not_imported(desk: Desk) -> None:
    """More than a minute ahead is no matter of clocks."""
    target = replace(new_desk(), clock=lambda: START)
    with pytest.raises(BadRecord) as refused:
        import_record(target, ahead(desk, AHEAD_MS + 2000))
    assert refused.value.code == "future"


# A match of eight commits is told as aborted after four of them, by somebody who knows the secret.
KEPT, COMMITS = 4, 8


def test_a_finished_match_told_as_aborted_is_right_by_itself(desk: Desk) -> None:
    """No record can prove that it did not end earlier.

    A receipt of the part that is told does not help.
    """
    true_lines = whole(desk, 2)
    audit = verify_record(told_as_aborted(true_lines))
    assert audit.report.verdict == "right"
    assert audit.report.status == "aborted"

    check_receipts(audit, [receipt_of(true_lines, KEPT)], mutations.KEYS)
    assert f"after {KEPT}" in audit.report.notes[0]


@pytest.mark.parametrize("version", [KEPT + 1, COMMITS])
def test_a_finished_match_told_as_aborted_is_found_by_a_later_receipt(
    desk: Desk, version: int
) -> None:
    """The receipt of any later move convicts."""
    true_lines = whole(desk, 2)
    assert len(true_lines) == COMMITS
    audit = verify_record(told_as_aborted(true_lines))
    with pytest.raises(Wrong) as found:
        check_receipts(audit, [receipt_of(true_lines, version)], mutations.KEYS)
    assert found.value.code in ("not_vouched", "cut_short")


def told_as_aborted(lines: list[bytes]) -> list[bytes]:
    return mended(cut(entries_of(lines), KEPT))


def receipt_of(lines: list[bytes], version: int) -> Json:
    """Return the server's receipt for a commit of a record."""
    entry = entries_of(lines)[version - 1]
    return sign_receipt(Accepted.of(entry), "k", mutations.PRIVATE)
