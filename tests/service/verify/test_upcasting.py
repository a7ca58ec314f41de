"""Old events are read in today's terms: journals written before a change still fold, and their bytes never change."""

from collections.abc import Callable

import pytest

from service.ledger.canonical import Json
from service.ledger.commit import StoredCommit
from service.ledger.upcasting import UPCASTERS
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.records import export, import_record
from service.verify.audit import verify_record
from tests.service.toy_matches import Change, forged, new_desk, whole

SETTLED = 4
Upcaster = Callable[[Json], Json]


def from_thrown(event: Json) -> Json:
    """`coin_thrown` told a side; `coin_tossed` says whether it was heads."""
    return {"type": "coin_tossed", "heads": event["side"] == "heads"}


def from_fallen(event: Json) -> Json:
    """`coin_fallen` told the side as a number; `coin_thrown` by name."""
    return {"type": "coin_thrown", "side": ["tails", "heads"][event["up"]]}


def thrown(entry: StoredCommit) -> None:
    event = entry["commit"]["events"][0]
    entry["commit"]["events"][0] = {
        "type": "coin_thrown",
        "side": "heads" if event["heads"] else "tails",
    }


def fallen(entry: StoredCommit) -> None:
    entry["commit"]["events"][0] = {
        "type": "coin_fallen",
        "up": int(entry["commit"]["events"][0]["heads"]),
    }


CHAIN = {"coin_thrown": from_thrown, "coin_fallen": from_fallen}


@pytest.mark.parametrize("age", [thrown, fallen], ids=["one-step", "two-steps"])
def test_an_old_record_folds_and_verifies_to_the_same_end(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, age: Change
) -> None:
    """A record of old events is decided again, folds to the state of its newer twin and keeps its old bytes."""
    new = whole(desk, 1)
    old = forged(new, SETTLED, age)
    for tag, step in CHAIN.items():
        monkeypatch.setitem(UPCASTERS, tag, step)
    audit, _ = import_record(other := new_desk(), old)
    match = audit.report.match
    assert (audit.report.wrong, audit.report.decided) == (None, len(old))
    assert load(other, match).match == load(desk, match).match
    assert list(export(other, match, None)) == old != new


def test_an_old_event_without_its_upcaster_is_not_guessed_at(desk: Desk) -> None:
    """Whoever removes an upcaster learns at once which commit can no longer be read."""
    wrong = verify_record(forged(whole(desk, 1), SETTLED, thrown)).report.wrong
    assert wrong is not None
    assert (wrong.commit, wrong.code) == (SETTLED, "unreadable")


@pytest.mark.parametrize(
    ("upcaster", "code"),
    [
        pytest.param(
            lambda old: {"type": "coin_tossed", "heads": old["side"] != "heads"},
            "events_differ",
            id="lie",
        ),
        pytest.param(
            lambda old: {"type": "coin_tossed", "heads": old["face"]},
            "unreadable",
            id="no-such-field",
        ),
        pytest.param(lambda old: {**old, "type": "coin_lost"}, "unreadable", id="no-such-event"),
    ],
)
def test_an_upcaster_that_changes_what_happened_is_found(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, upcaster: Upcaster, code: str
) -> None:
    """An upcaster may change names, never what happened: the command decided again tells."""
    monkeypatch.setitem(UPCASTERS, "coin_thrown", upcaster)
    wrong = verify_record(forged(whole(desk, 1), SETTLED, thrown)).report.wrong
    assert wrong is not None
    assert (wrong.commit, wrong.code) == (SETTLED, code)
