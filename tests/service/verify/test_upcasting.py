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

# `coin_fallen` told the side as a number, `coin_thrown` by name; `coin_tossed` says whether heads.
CHAIN: dict[str, Upcaster] = {
    "coin_thrown": lambda event: {"type": "coin_tossed", "heads": event["side"] == "heads"},
    "coin_fallen": lambda event: {"type": "coin_thrown", "side": ["tails", "heads"][event["up"]]},
}


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
    """A record of old events folds to the state of its newer twin, and keeps its old bytes."""
    new_lines = whole(ctx, 1)
    old_lines = forged(new_lines, SETTLED, age)
    for tag, step in CHAIN.items():
        monkeypatch.setitem(UPCASTERS, tag, step)

    other = new_context()
    audit, _ = import_record(other, old_lines)

    report = audit.report
    assert report.wrong is None
    assert report.decided == len(old_lines)
    assert load(other, report.match).match == load(ctx, report.match).match
    assert list(export(other, report.match, None)) == old_lines != new_lines


@pytest.mark.parametrize(
    ("upcaster", "code"),
    [
        pytest.param(None, "unreadable", id="none"),
        pytest.param(
            lambda event: {"type": "coin_tossed", "heads": event["side"] != "heads"},
            "events_differ",
            id="lie",
        ),
        pytest.param(
            lambda event: {"type": "coin_tossed", "heads": event["face"]},
            "unreadable",
            id="no-such-field",
        ),
        pytest.param(
            lambda event: {**event, "type": "coin_lost"}, "unreadable", id="no-such-event"
        ),
    ],
)
def test_an_upcaster_that_is_missing_or_changes_what_happened_is_found(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, upcaster: Upcaster | None, code: str
) -> None:
    """An upcaster may change names, never what happened: the command decided again tells."""
    lines = forged(whole(ctx, 1), SETTLED, thrown)
    if upcaster is not None:
        monkeypatch.setitem(UPCASTERS, "coin_thrown", upcaster)

    assert fault(lines) == (SETTLED, code)
