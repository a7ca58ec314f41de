"""Catalogues of stored forms: what this program lists, and the verdict on two of them."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from domain.games import RULES
from service.record.catalogue import catalogue
from service.record.codec import UPCASTERS, Upcaster, events_of
from service.record.commit import Json
from service.record.schema_changes import BadCatalogue, Verdict, compare, verdict_on
from tests.service.record.event_page import FORMS, PAGE, page

INTEGER = {"type": "integer", "optional": False}
FREE = {"type": {"nullable": "integer"}, "optional": True}

Change = Callable[[Json], None]


def small() -> Json:
    """Return the catalogue of a release with one small game."""
    return {
        "format": 1,
        "match_rules": 2,
        "forms": {
            "match": {
                "commands": {"open": {"seed": INTEGER}},
                "events": {"opened": {"seed": INTEGER}},
                "options": {},
            },
            "toy/1": {
                "commands": {"keep": {"seat": INTEGER}},
                "events": {
                    "kept": {
                        "seat": INTEGER,
                        "card": {"type": {"name": ["ace", "king"]}, "optional": False},
                        "note": {**FREE, "secret": "seat"},
                    },
                    "paid": {"points": {"type": {"list": "integer"}, "optional": False}},
                },
                "options": {
                    "box": {"kind": "choice", "default": "plain", "choices": ["plain", "gold"]},
                    "rounds": {"kind": "number", "default": 2, "least": 1, "most": 9},
                },
            },
        },
        "upcasters": {"held": "kept"},
    }


def events(listed: Json) -> Json:
    """Return the events of the game."""
    of_game: Json = listed["forms"]["toy/1"]["events"]
    return of_game


def at(path: str, value: Any) -> Change:
    """Return a change that sets a value of the game's forms. None removes it."""
    *steps, last = path.split()

    def change(listed: Json) -> None:
        container = listed["forms"]["toy/1"]
        for step in steps:
            container = container[step]
        if value is None:
            del container[last]
        else:
            container[last] = value

    return change


def upcast(**steps: str) -> Change:
    """Return a change by which the event `paid` is gone, with these upcasters."""

    def change(listed: Json) -> None:
        del events(listed)["paid"]
        listed["upcasters"] |= steps

    return change


def set_top(name: str, value: Any) -> Change:
    """Return a change of a top-level member."""
    return lambda listed: listed.__setitem__(name, value)


OK, UPCAST, BAD = Verdict.COMPATIBLE, Verdict.NEEDS_UPCASTER, Verdict.INCOMPATIBLE

CHANGES: list[tuple[Verdict, str, Change]] = [
    (OK, "new optional field", at("events paid note", FREE)),
    (OK, "new event", at("events moved", {"seat": INTEGER})),
    (OK, "new command", at("commands pass", {"seat": INTEGER})),
    (OK, "more names", at("events kept card type", {"name": ["ace", "king", "queen"]})),
    (OK, "a value may be missing", at("events kept seat", FREE)),
    (OK, "any value", at("events kept seat type", "any")),
    (OK, "another default", at("options rounds default", 3)),
    (OK, "more numbers", at("options rounds most", 10)),
    (OK, "new rules", lambda listed: listed["forms"].update({"toy/2": listed["forms"]["toy/1"]})),
    (OK, "newer match rules", set_top("match_rules", 3)),
    (OK, "a chain of upcasters", upcast(paid="given", given="kept")),
    (OK, "an upcaster to an event of all matches", upcast(paid="opened")),
    (UPCAST, "no upcaster", upcast()),
    (UPCAST, "a gap in the chain", upcast(paid="given")),
    (BAD, "a circle of upcasters", upcast(paid="given", given="paid")),
    (BAD, "an upcaster is gone", set_top("upcasters", {})),
    (BAD, "an upcaster leads elsewhere", set_top("upcasters", {"held": "paid"})),
    (BAD, "an upcaster of a present event", set_top("upcasters", {"held": "kept", "kept": "paid"})),
    (BAD, "a field is gone", at("events kept seat", None)),
    (BAD, "a new field that is needed", at("events paid seat", INTEGER)),
    (BAD, "another type", at("events kept seat type", "string")),
    (BAD, "a list of another type", at("events paid points type", {"list": "string"})),
    (BAD, "a list is a table", at("events paid points type", {"table": "integer"})),
    (BAD, "a name is gone", at("events kept card type", {"name": ["ace"]})),
    (BAD, "a field is needed now", at("events kept note", {**INTEGER, "secret": "seat"})),
    (BAD, "a secret is public", at("events kept note secret", None)),
    (BAD, "a secret of the house", at("events kept note secret", "house")),
    (BAD, "chance decides a field", at("events kept card drawn", True)),
    (BAD, "a command is gone", at("commands keep", None)),
    (BAD, "a field of a command is gone", at("commands keep seat", None)),
    (BAD, "an option is gone", at("options box", None)),
    (BAD, "a new option", at("options edition", {"kind": "flag", "default": False})),
    (BAD, "a choice is gone", at("options box choices", ["plain"])),
    (BAD, "fewer numbers", at("options rounds least", 2)),
    (BAD, "another kind of option", at("options rounds", {"kind": "flag", "default": True})),
    (BAD, "rules are gone", lambda listed: listed["forms"].pop("toy/1")),
    (BAD, "older match rules", set_top("match_rules", 1)),
]


@pytest.mark.parametrize(
    ("verdict", "change"),
    [(verdict, change) for verdict, _, change in CHANGES],
    ids=[name for _, name, _ in CHANGES],
)
def test_each_change_has_its_verdict(verdict: Verdict, change: Change) -> None:
    """One change gives one verdict, and names the place of the change."""
    newer = copy.deepcopy(small())
    change(newer)

    changes = compare(small(), newer)

    assert verdict_on(changes) is verdict
    assert all(one.place and one.detail for one in changes)


def test_equal_catalogues_have_no_changes() -> None:
    """Nothing is reported."""
    assert compare(small(), small()) == []


@pytest.mark.parametrize(
    "other", [{}, [], {"format": 2}, {"format": 1}, {"format": 1, "match_rules": 2, "forms": 3}]
)
def test_other_values_are_no_catalogue(other: Any) -> None:
    """The reason is told in place of a verdict."""
    for pair in ((other, small()), (small(), other)):
        with pytest.raises(BadCatalogue):
            compare(*pair)


def test_types_within_types_are_compared() -> None:
    """A change deep in a record, a message of several, or a tuple is found."""
    deep = {"list": {"record": {"pair": {"type": {"tuple": ["integer", "string"]}}}}}
    fields = deep["list"]["record"]
    fields["pair"]["optional"] = False  # type: ignore[assignment]
    one_of = {"nullable": {"one_of": {"kept": {"cards": {"type": deep, "optional": True}}}}}
    older, newer = small(), small()
    for listed in (older, newer):
        events(listed)["paid"]["deep"] = {"type": copy.deepcopy(one_of), "optional": True}
    pair = events(newer)["paid"]["deep"]["type"]["nullable"]["one_of"]["kept"]["cards"]
    pair["type"]["list"]["record"]["pair"]["type"]["tuple"][1] = "boolean"

    [change] = compare(older, newer)

    assert change.verdict is BAD
    assert "string has become boolean" in change.detail


def test_the_catalogue_lists_each_released_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rules with all their events, and the upcasters."""
    monkeypatch.setitem(UPCASTERS, "disc_laid", Upcaster("disc_placed", dict))
    listed = catalogue()

    assert listed["forms"].keys() == {"match", *RULES}
    for rules in RULES:
        readable = (
            listed["forms"][rules]["events"].keys() | listed["forms"]["match"]["events"].keys()
        )
        assert readable == events_of(rules).keys()
    assert listed["upcasters"] == {"disc_laid": "disc_placed"}


def test_this_program_reads_all_forms_ever_published() -> None:
    """The published catalogue is stored for ever: forms are added and never changed."""
    published = json.loads(Path(FORMS).read_bytes())

    changes = compare(published, catalogue())

    assert verdict_on(changes) is OK, changes
    assert changes == [], "run `make openapi` to add the new forms to the published catalogue"


def test_the_page_of_events_is_up_to_date() -> None:
    """`make openapi` writes it."""
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make openapi`"
