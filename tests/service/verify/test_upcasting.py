"""Old events are read in today's terms.

Journals written before a change still fold, and their bytes never change.
"""

from collections.abc import Callable

import pytest

from service.ledger.codec import UPCASTERS
from service.ledger.commit import Json, StoredCommit
from service.matches.context import Context
from service.matches.records import export, import_record
from service.matches.repository import load
from tests.service.toy_matches import Change, fault, forged, new_context, whole

SETTLED = 4
Upcaster = Callable[[Json], Json]


def from_thrown(event: Json) -> Json:
    """`coin_thrown` told a side; `coin_tossed` says whether it was heads."""
    return {"type": "coin_tossed", "heads": event["side"] == "heads"}


def from_fallen(event: Json) -> Json:
    """`coin_fallen` told the side as a number; `coin_thrown` by name."""
    sides = ["tails", "heads"]
    return {"type": "coin_thrown", "side": sides[event["up"]]}


CHAIN = {"coin_thrown": from_thrown, "coin_fallen": from_fallen}


def thrown(stored: StoredCommit) -> None:
    """Write the toss of a commit as it was written one change ago."""
    events = stored["commit"]["events"]
    side = "heads" if events[0]["heads"] else "tails"
    events[0] = {"type": "coin_thrown", "side": side}


def fallen(stored: StoredCommit) -> None:
    """Write the toss of a commit as it was written two changes ago."""
    events = stored["commit"]["events"]
    events[0] = {"type": "coin_fallen", "up": int(events[0]["heads"])}


@pytest.mark.parametrize("age", [thrown, fallen], ids=["one-step", "two-steps"])
def test_an_old_record_folds_and_verifies_to_the_same_end(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, age: Change
) -> None:
    """A record of old events is decided again and folds to the state of its newer twin.

    It keeps its old bytes.
    """
    new_lines = whole(ctx, 1)
    old_lines = forged(new_lines, SETTLED, age)
    for tag, step in CHAIN.items():
        monkeypatch.setitem(UPCASTERS, tag, step)

    other = new_context()
    audit, _ = import_record(other, old_lines)

    report = audit.report
    assert report.wrong is None
    assert report.decided == len(old_lines)

    old_match = load(other, report.match)
    new_match = load(ctx, report.match)
    assert old_match.match == new_match.match
    assert list(export(other, report.match, None)) == old_lines != new_lines


def test_an_old_event_without_its_upcaster_is_not_guessed_at(ctx: Context) -> None:
    """Whoever removes an upcaster learns at once which commit can no longer be read."""
    lines = forged(whole(ctx, 1), SETTLED, thrown)

    assert fault(lines) == (SETTLED, "unreadable")


def to_the_other_side(event: Json) -> Json:
    return {"type": "coin_tossed", "heads": event["side"] != "heads"}


def to_a_field_that_is_not_there(event: Json) -> Json:
    return {"type": "coin_tossed", "heads": event["face"]}


def to_an_event_that_is_not_there(event: Json) -> Json:
    return {**event, "type": "coin_lost"}


@pytest.mark.parametrize(
    ("upcaster", "code"),
    [
        pytest.param(to_the_other_side, "events_differ", id="lie"),
        pytest.param(to_a_field_that_is_not_there, "unreadable", id="no-such-field"),
        pytest.param(to_an_event_that_is_not_there, "unreadable", id="no-such-event"),
    ],
)
def test_an_upcaster_that_changes_what_happened_is_found(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, upcaster: Upcaster, code: str
) -> None:
    """An upcaster may change names, never what happened: the command decided again tells."""
    lines = forged(whole(ctx, 1), SETTLED, thrown)
    monkeypatch.setitem(UPCASTERS, "coin_thrown", upcaster)

    assert fault(lines) == (SETTLED, code)
