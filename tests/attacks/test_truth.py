"""Forgers against the verifier: records of matches never played, or without their secret."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import Draws, bound_key, draw_seed
from domain.match.messages import MatchOpened, MatchStarted, Open, SeatPlan
from domain.match.play import open_match
from service.base.errors import BadRecord, Illegal
from service.matches import automation, lobby, records, views
from service.matches.command_handler import Submission, head_of
from service.matches.context import Context
from service.matches.records import AHEAD_MS, import_record
from service.matches.repository import load
from service.record.codec import NewCommit, view_digest, write
from service.record.commit import timestamp
from service.record.replay import Loaded, apply
from service.record.verify.audit import verify_record
from service.record.verify.receipts import check_receipts
from service.record.verify.report import Wrong
from service.store.journal.values import Entry
from service.store.keys.signer import Accepted, sign_receipt
from tests import toy
from tests.attacks.forging import (
    RELABELLINGS,
    cut,
    entries_of,
    mended,
    opening_messages,
    relabelled,
)
from tests.attacks.mutations import KEYS, PRIVATE
from tests.records import make
from tests.service.toy_matches import START, fault, new_context, whole

ID = "a" * 26
OTHER_ID = "z" * 26

# The kind of relabelling, and the codes of possible findings.
FOUND_BY_RELABELLING = {
    "envelope": {"relabelled"},
    "field": {"commitment_broken"},
    "commitment": {"events_differ", "secrets_differ"},
    "key": {"commitment_broken"},
    "unbound": {"events_differ", "secrets_differ"},
}


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered."""
    toy.install(monkeypatch)


@pytest.mark.parametrize("how", RELABELLINGS)
@pytest.mark.parametrize("game", ["calimala", "firenze"])
def test_a_bound_record_is_right_under_its_own_id_alone(game: str, how: str) -> None:
    """M10: another id is another key, and so gives other draws, in spite of all mending."""
    path = make.HOME / game / "1-3-bound-03.ndjson.gz"
    lines = make.lines_in(path)
    assert verify_record(lines).report.verdict == "right"

    wrong = verify_record(relabelled(lines, OTHER_ID, how)).report.wrong

    assert wrong is not None
    assert wrong.code in FOUND_BY_RELABELLING[how]


def test_a_bound_key_is_no_other_matchs_secret() -> None:
    """M10: a key cannot be passed off as a secret (decision 0020).

    A key has 64 bytes and a secret 32. HMAC uses all of them: the first 32 give another seed.
    """
    key = bound_key(bytes(range(32)), ID)

    assert len(key) == 64
    assert draw_seed(key, [""], 1) != draw_seed(key[:32], [""], 1)


@pytest.mark.parametrize(
    ("changes", "unchecked", "code"),
    [
        ({"views": 99}, "view version 99", "not_checked"),
        ({"rules": "firenze/2", "game": "firenze"}, "firenze/2", "rules_unknown"),
    ],
    ids=["views-99", "rules-not-known"],
)
def test_an_uncheckable_record_is_neither_right_nor_imported(
    ctx: Context, changes: dict[str, Any], unchecked: str, code: str
) -> None:
    """A record of future views or rules is right as far as checked, and says so."""
    entries = entries_of(whole(ctx, 1))
    for message in opening_messages(entries):
        message.update(changes)
    lines = mended(entries)

    report = verify_record(lines).report
    with pytest.raises(BadRecord, match=unchecked) as refused:
        import_record(new_context(), lines)

    assert report.wrong is None
    assert report.verdict == "partly_checked"
    assert unchecked in report.unchecked[0]
    assert refused.value.code == code


def test_a_match_of_tomorrow_is_not_imported(ctx: Context) -> None:
    """A record may be a minute ahead of this server's clock, as clocks go, and no more."""

    def ahead(milliseconds: int) -> list[bytes]:
        entries = entries_of(whole(ctx, 1))
        entries[-1]["commit"]["time"] = timestamp(START + milliseconds)
        return mended(entries)

    target = replace(new_context(), clock=lambda: START)

    _, was_there = import_record(target, ahead(AHEAD_MS - 1000))
    with pytest.raises(BadRecord) as refused:
        import_record(target, ahead(AHEAD_MS + 2000))

    assert was_there is False
    assert refused.value.code == "future"


# A match of eight commits is told as aborted after four of them, by a holder of the secret.
KEPT = 4
COMMITS = 8


@pytest.mark.parametrize("version", [KEPT, KEPT + 1, COMMITS])
def test_a_later_receipt_refutes_a_false_abort_of_a_match(ctx: Context, version: int) -> None:
    """A record alone cannot refute a false abort. The receipt of any later move does.

    A receipt of the told part is good for the forged record, too. A note tells the limit of its
    proof.
    """
    lines = whole(ctx, 2)
    assert len(lines) == COMMITS
    receipt = dict(sign_receipt(Accepted.of(entries_of(lines)[version - 1]), "k", PRIVATE))

    audit = verify_record(mended(cut(entries_of(lines), KEPT)))
    assert (audit.report.verdict, audit.report.status) == ("right", "aborted")

    if version == KEPT:
        check_receipts(audit, [receipt], KEYS)
        assert f"after {KEPT}" in audit.report.notes[0]
    else:
        with pytest.raises(Wrong) as error:
            check_receipts(audit, [receipt], KEYS)
        assert error.value.code in ("not_vouched", "cut_short")


# ---- without a sealed secret ---------------------------------------------------------------------

SECRET = bytes(range(32))
TIME = timestamp(START)
HUMAN = SeatPlan("human")
OPEN = SeatPlan("open")

# The consequences if a round of the toy begins with two seats.
DEALT = [MatchStarted(), toy.CardDealt(0, 1), toy.CardDealt(1, 1)]


def opening(*seats: SeatPlan) -> tuple[Open, MatchOpened]:
    """Return a command for a toy match of one round without a secret, and its event."""
    command = Open(
        game="toy",
        rules="toy/1",
        views=1,
        options=toy.TOY.read_options({"rounds": 1}),
        seats=seats,
        visibility="public",
        commitment=hashlib.sha256(SECRET).hexdigest(),
    )

    # With all seats held the match would start at once, so they are told afterwards.
    open_seats = (OPEN,) * len(seats)
    _, events = open_match(replace(command, seats=open_seats), Draws(SECRET))
    [event] = events
    assert isinstance(event, MatchOpened)
    return command, replace(event, seats=seats)


@pytest.mark.parametrize("missing", ["part", "command", "0"])
def test_an_opening_that_does_not_seal_the_secret_is_found(ctx: Context, missing: str) -> None:
    """M10: the house's part is there, and holds the secret for the command and for the event."""
    entries = entries_of(whole(ctx, 1))
    parts = entries[0]["secrets"]

    if missing == "part":
        del parts["house"]
    else:
        del parts["house"][missing]["secret"]

    assert fault(mended(entries)) == (1, "not_sealed")


def context_with(command: Open, events: list[Any]) -> Context:
    """Return a context over a journal with a match of one commit, decided by nobody."""
    match = apply(None, events)
    new = NewCommit(
        match=ID,
        version=1,
        time=TIME,
        actor="owner",
        command=command,
        events=events,
        prev="",
        view=view_digest(match),
    )
    first = write(new, SECRET)
    loaded = Loaded(
        id=ID,
        version=1,
        created=TIME,
        time=TIME,
        hash=first.stored["hash"],
        match=match,
    )
    entry = Entry(
        match=ID,
        expected=0,
        prev="",
        commit_bytes=first.commit_bytes,
        head=head_of(loaded),
    )

    ctx = new_context()
    ctx.journal.events.append(entry)
    return ctx


@pytest.fixture
def unsealed_lobby() -> Context:
    """A context with a match without a secret. It waits for two players."""
    command, opened = opening(OPEN, OPEN)
    return context_with(command, [opened])


def test_in_a_match_without_its_secret_nothing_more_happens(unsealed_lobby: Context) -> None:
    """M10: an act is refused with the reason, an audit gives it too, and the match can be read."""
    with pytest.raises(Illegal) as refused:
        lobby.join(unsealed_lobby, Submission(ID, None), 0, {"name": "", "entropy": ""})
    wrong = records.audit(unsealed_lobby, ID).wrong

    assert refused.value.code == "not_sealed"
    assert (refused.value.rules, refused.value.rule) == ("match", "M10")
    assert "can be read" in refused.value.detail
    assert wrong is not None
    assert wrong.code == "not_sealed"
    assert views.document(load(unsealed_lobby, ID), {})["version"] == 1


def test_a_house_without_the_secret_says_why_it_cannot_act() -> None:
    """M10: a worker's failure names the rule, too."""
    command, opened = opening(HUMAN, HUMAN)
    all_kept = [toy.CardKept(0), toy.CardKept(1)]
    ctx = context_with(command, [opened, *DEALT, *all_kept])

    with pytest.raises(Exception, match="M10 not_sealed"):
        automation.act(ctx, ID)
