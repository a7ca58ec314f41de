"""Forgers who seal no secret: a match whose draws cannot be checked is refused and told."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import Draws
from domain.match.messages import MatchOpened, MatchStarted, Open, Reveal, SeatPlan, SecretsRevealed
from domain.match.play import open_match
from service.errors import Illegal
from service.journal.values import Entry
from service.ledger import record
from service.ledger.codec import NewCommit, Written, view_digest, write
from service.ledger.commit import timestamp
from service.ledger.replay import Loaded, apply
from service.matches import automation, lobby, records, views
from service.matches.command_handler import Submission, head_of
from service.matches.context import Context
from service.matches.repository import load
from tests import toy
from tests.attacks.forging import entries_of, mended
from tests.service.toy_matches import START, fault, import_fault, new_context, whole

SECRET = bytes(range(32))
ID = "a" * 26
TIME = timestamp(START)
HUMAN = SeatPlan("human")
OPEN = SeatPlan("open")

# What happens when a round of the toy begins with two seats.
DEALT = [MatchStarted(), toy.CardDealt(0, 1), toy.CardDealt(1, 1)]


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered."""
    toy.install(monkeypatch)


def opening(*seats: SeatPlan, sealed: bool) -> tuple[Open, MatchOpened]:
    """Return a command that opens a toy match of one round, and its event.

    sealed: whether they hold the match's secret.
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
    open_seats = (OPEN,) * len(seats)
    _, events = open_match(replace(command, seats=open_seats), Draws(SECRET))
    [event] = events
    assert isinstance(event, MatchOpened)
    return command, replace(event, seats=seats)


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


def made_up(points: tuple[int, int], *, sealed: bool) -> list[bytes]:
    """Return the record of a match of two commits.

    The first opens, deals and pays in one breath, the second reveals.
    """
    command, opened = opening(HUMAN, HUMAN, sealed=sealed)
    events: list[Any] = [
        opened,
        *DEALT,
        toy.CoinTossed(True),
        toy.RoundPaid((1, 1), points),
    ]
    first = first_commit(command, events)

    parts = {"1": dict(first.stored["secrets"])}
    new = NewCommit(
        match=ID,
        version=2,
        time=TIME,
        actor="house",
        command=Reveal(SECRET.hex(), parts),
        events=[SecretsRevealed(SECRET.hex(), parts)],
        prev=first.stored["hash"],
        view=view_digest(apply(None, events)),
    )
    last = write(new, SECRET)
    return [record.line(first.stored), record.line(last.stored)]


@pytest.mark.parametrize(
    ("sealed", "code"),
    [
        pytest.param(False, "not_sealed", id="not-sealed"),
        pytest.param(True, "events_differ", id="sealed"),
    ],
)
def test_a_match_of_999_points_in_two_commits_is_found(
    ctx: Context, sealed: bool, code: str
) -> None:
    """M10: the draws are those that the sealed secret gives; nothing else is taken in.

    Without a sealed secret no draw could be checked, so that is wrong, too.
    """
    lines = made_up((999, 0), sealed=sealed)

    assert fault(lines) == (1, code)
    assert import_fault(ctx, lines) == (1, code)
    assert ctx.journal.index.listing("", None, 9) == []


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
    """Return a context over a journal with a match of one commit."""
    first = first_commit(command, events)
    loaded = Loaded(
        id=ID,
        version=1,
        created=TIME,
        time=TIME,
        hash=first.stored["hash"],
        match=apply(None, events),
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
    """A context with a match that waits for two players and has no secret."""
    command, opened = opening(OPEN, OPEN, sealed=False)
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
    command, opened = opening(HUMAN, HUMAN, sealed=False)
    all_kept = [toy.CardKept(0), toy.CardKept(1)]
    ctx = context_with(command, [opened, *DEALT, *all_kept])

    with pytest.raises(Exception, match="M10 not_sealed"):
        automation.act(ctx, ID)
