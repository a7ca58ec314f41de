"""Records of running matches: where draws cannot be checked yet, all but the draws is."""

import gzip
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from service.ledger import record
from service.ledger.commit import Json
from service.matches import automation
from service.matches.context import Context
from service.verify.audit import verify_record
from service.verify.redecide import redecide
from service.verify.report import Report, Wrong, quiet
from tests import toy
from tests.attacks.forging import DIGESTS, Entries, chained, entries_of
from tests.records import make
from tests.service.toy_matches import fault, move, opened, record_of, whole

# The commits of the running match; 2 keeps.
DEALT = 1  # and opened
SWAPPED = 3  # and drew
SETTLED = 4  # a coin, the pay, the next deal


@pytest.fixture
def running(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> Entries:
    """The public record of a running match of open hands.

    All that is missing is the match's own secret.
    """
    toy.install(monkeypatch, toy.OPEN_HANDED)
    match = opened(ctx, rounds=2)

    move(ctx, match, 0, "keep")
    move(ctx, match, 1, "swap")
    automation.act(ctx, match.loaded.id)
    return entries_of(record_of(ctx, match))


def without_secret(lines: Sequence[bytes]) -> Entries:
    """Return a whole record as it was before its end, all parts at hand but the house's."""
    entries = entries_of(lines)[:-1]
    del entries[0]["secrets"]["house"]
    return entries


def rechained(entries: Entries) -> list[bytes]:
    """Return the lines of stored commits with the digests as they are, the chain made anew."""
    return chained(entries, [DIGESTS])


def test_a_running_match_is_right_as_far_as_checked(running: Entries) -> None:
    """All commits are folded.

    The three that draw are compared but for their draws, and the report says so.
    """
    report = verify_record(rechained(running)).report

    assert report.wrong is None
    assert report.folded == 4
    assert report.decided == 1
    assert report.verdict == "partly_checked"
    assert "3 commits draw by a secret that is not revealed yet" in report.unchecked[1]


ChangeEvents = Callable[[list[Json]], Any]


def update(index: int, **fields: Any) -> ChangeEvents:
    """Return the change of an event's fields."""
    return lambda events: events[index].update(fields)


# Which commit is forged, how its events are changed, and the code of what is found in that commit.
TAMPERED = [
    pytest.param(SETTLED, update(1, points=[9, 9]), "events_differ", id="points"),
    pytest.param(SETTLED, update(1, cards=[5, 5]), "events_differ", id="cards-laid-open"),
    pytest.param(SETTLED, lambda events: events.pop(), "events_differ", id="event-missing"),
    pytest.param(
        SETTLED, lambda events: events.append(events[-1]), "events_differ", id="event-twice"
    ),
    pytest.param(SETTLED, lambda events: events.reverse(), "events_differ", id="other-order"),
    pytest.param(SETTLED, update(2, seat=1), "events_differ", id="dealt-to-another"),
    pytest.param(SWAPPED, update(0, seat=0), "events_differ", id="drawn-by-another"),
    pytest.param(SWAPPED, update(0, type="card_kept"), "unreadable", id="other-type"),
    pytest.param(DEALT, lambda events: events.pop(), "events_differ", id="a-card-less"),
]


@pytest.mark.parametrize(("number", "change", "code"), TAMPERED)
def test_what_is_not_drawn_is_compared_without_the_secret(
    running: Entries, number: int, change: ChangeEvents, code: str
) -> None:
    """Types, order, number and every field but the draws must be what the command causes."""
    events = running[number - 1]["commit"]["events"]

    change(events)

    assert fault(rechained(running)) == (number, code)


def test_who_acts_is_checked_where_draws_are_not(running: Entries) -> None:
    """A swap is its seat's, be its draw checked or not."""
    swapped = running[SWAPPED - 1]["commit"]
    swapped["actor"] = "seat:0"

    assert fault(rechained(running)) == (SWAPPED, "actor_wrong")


def test_another_draw_is_not_called_wrong_before_the_revelation(running: Entries) -> None:
    """What chance has decided cannot be known yet: only the view that follows from it tells."""
    swapped = running[SWAPPED - 1]["commit"]
    swapped["events"][0]["card"] = 5

    wrong = verify_record(rechained(running)).report.wrong

    assert wrong is None or wrong.commit == SETTLED


@pytest.mark.parametrize("name", ["1-3-00", "1-3-03", "1-3-bound-09"])
@pytest.mark.parametrize("game", ["calimala", "firenze"])
def test_no_honest_record_without_its_secret_is_called_wrong(game: str, name: str) -> None:
    """Golden records as before their end are folded to the last commit.

    The match's secret alone is missing in them.
    """
    path = make.HOME / game / f"{name}.ndjson.gz"
    lines = record.lines(gzip.decompress(path.read_bytes()))
    entries = without_secret(lines)

    report = verify_record(rechained(entries)).report

    assert report.wrong is None
    assert report.folded == len(entries)
    assert 0 < report.decided < report.folded


def test_the_toy_without_its_secret_is_not_called_wrong(ctx: Context) -> None:
    """The same of a game with hidden cards and notes.

    Seats' secret fields are compared, drawn ones taken over.
    """
    entries = without_secret(whole(ctx, 3))
    report = verify_record(rechained(entries)).report

    assert report.wrong is None
    assert report.folded == len(entries)


def test_of_an_ended_record_every_commit_must_be_decided(running: Entries) -> None:
    """M9: once all is revealed nothing is taken on trust.

    What is folded and not decided is wrong, and the report names it.
    """
    report = Report(rules="toy/open", ended=True)
    with pytest.raises(Wrong) as found:
        redecide(running, report, quiet)
    assert found.value.commit == DEALT
    assert found.value.code == "not_decided"


def test_of_an_ended_record_every_commit_must_be_folded(ctx: Context) -> None:
    """M9: nor may secret parts be missing in it."""
    entries = without_secret(whole(ctx, 1))
    entries[1]["secrets"] = {}
    del entries[0]["secrets"]["seat:0"]

    report = Report(rules="toy/1", ended=True)
    with pytest.raises(Wrong) as found:
        redecide(entries, report, quiet)
    assert found.value.commit == DEALT
    assert found.value.code == "not_decided"
