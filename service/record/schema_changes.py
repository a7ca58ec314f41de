"""The verdict on the catalogues of two releases.

A journal is stored for ever, so a release must read each form that an earlier release has written.
The verdict needs the code of neither release.

compatible: the newer release reads everything that the older one has written.
needs an upcaster: a stored event has no class in the newer release, and no chain of upcasters leads
    to one.
incompatible: a stored form cannot be read, or would be decided again as other bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from domain.options import Choice, Number
from service.record.catalogue import FORMAT, MATCH
from service.record.commit import Json

_NEW_TAG = "Give the new form a new tag"


class Verdict(IntEnum):
    """The worse, the higher."""

    COMPATIBLE = 0
    NEEDS_UPCASTER = 1
    INCOMPATIBLE = 2

    @property
    def words(self) -> str:
        """The verdict for people."""
        return ("compatible", "needs an upcaster", "incompatible")[self]


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """A change between two catalogues.   place: such as "calimala/1 event disc_placed"."""

    verdict: Verdict
    place: str
    detail: str


class BadCatalogue(Exception):
    """The values are no catalogue of stored forms."""


def compare(older: Json, newer: Json) -> list[SchemaChange]:
    """Return the changes between the catalogues of two releases. Raises BadCatalogue."""
    for one in (older, newer):
        if not isinstance(one, dict) or one.get("format") != FORMAT:
            raise BadCatalogue(f"it is no catalogue of format {FORMAT}")
    try:
        return list(_changes(older, newer))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise BadCatalogue(f"it is malformed ({type(error).__name__})") from None


def verdict_on(changes: Sequence[SchemaChange]) -> Verdict:
    """Return the worst verdict of some changes."""
    return max((change.verdict for change in changes), default=Verdict.COMPATIBLE)


def _changes(older: Json, newer: Json) -> Iterator[SchemaChange]:
    if newer["match_rules"] < older["match_rules"]:
        detail = f"{older['match_rules']} is not known, only up to {newer['match_rules']}"
        yield SchemaChange(Verdict.INCOMPATIBLE, "match rules", detail)

    steps: dict[str, str] = newer["upcasters"]
    for tag, newer_tag in older["upcasters"].items():
        if steps.get(tag) != newer_tag:
            detail = "the upcaster is gone or leads elsewhere, and stored events may need it"
            yield SchemaChange(Verdict.INCOMPATIBLE, f"upcaster {tag}", detail)

    for rules, forms in older["forms"].items():
        if rules not in newer["forms"]:
            detail = "the rules are gone, and their matches cannot be read"
            yield SchemaChange(Verdict.INCOMPATIBLE, rules, detail)
            continue
        yield from _changes_of_forms(rules, forms, newer, steps)
    for rules in newer["forms"].keys() - older["forms"].keys():
        yield SchemaChange(Verdict.COMPATIBLE, rules, "new rules")


def _changes_of_forms(
    rules: str, older: Json, newer: Json, steps: Mapping[str, str]
) -> Iterator[SchemaChange]:
    forms = newer["forms"][rules]
    readable = {*forms["events"], *newer["forms"][MATCH]["events"]}

    for tag, fields in older["commands"].items():
        place = f"{rules} command {tag}"
        if tag not in forms["commands"]:
            yield SchemaChange(Verdict.INCOMPATIBLE, place, "the command is gone")
        else:
            yield from _changes_of_fields(place, fields, forms["commands"][tag])

    for tag, fields in older["events"].items():
        place = f"{rules} event {tag}"
        if tag in forms["events"]:
            if tag in steps:
                detail = "it has an upcaster, although it is not old"
                yield SchemaChange(Verdict.INCOMPATIBLE, place, detail)
            yield from _changes_of_fields(place, fields, forms["events"][tag])
        else:
            yield _change_of_tag(place, tag, steps, readable)

    yield from _changes_of_options(rules, older["options"], forms["options"])
    for kind in ("commands", "events"):
        for tag in sorted(forms[kind].keys() - older[kind].keys()):
            yield SchemaChange(Verdict.COMPATIBLE, f"{rules} {kind[:-1]} {tag}", "new")


def _change_of_tag(
    place: str, tag: str, steps: Mapping[str, str], readable: set[str]
) -> SchemaChange:
    """Return the verdict on an event without a class in the newer release."""
    if tag not in steps:
        return SchemaChange(Verdict.NEEDS_UPCASTER, place, "the event is gone without an upcaster")
    chain = [tag]
    while chain[-1] in steps:
        following = steps[chain[-1]]
        if following in chain:
            path = " -> ".join([*chain, following])
            return SchemaChange(
                Verdict.INCOMPATIBLE, place, f"the upcasters run in a circle: {path}"
            )
        chain.append(following)

    path = " -> ".join(chain)
    if chain[-1] not in readable:
        detail = f"the upcasters end at an unknown event: {path}"
        return SchemaChange(Verdict.NEEDS_UPCASTER, place, detail)
    return SchemaChange(Verdict.COMPATIBLE, place, f"read by upcasters: {path}")


def _changes_of_fields(place: str, older: Json, newer: Json) -> Iterator[SchemaChange]:
    """Yield the changes of the fields of a message or a record with one tag."""
    for name, field in older.items():
        here = f"{place} {name}"
        if name not in newer:
            yield SchemaChange(Verdict.INCOMPATIBLE, here, f"the field is gone. {_NEW_TAG}")
            continue
        if field["optional"] and not newer[name]["optional"]:
            detail = f"the field may be missing in stored messages. {_NEW_TAG}"
            yield SchemaChange(Verdict.INCOMPATIBLE, here, detail)
        for mark in ("secret", "drawn"):
            if field.get(mark) != newer[name].get(mark):
                detail = f"the mark `{mark}` has changed, so stored commits differ. {_NEW_TAG}"
                yield SchemaChange(Verdict.INCOMPATIBLE, here, detail)
        detail = _fault_of_type(field["type"], newer[name]["type"])
        if detail:
            yield SchemaChange(Verdict.INCOMPATIBLE, here, f"{detail}. {_NEW_TAG}")

    for name in newer.keys() - older.keys():
        here = f"{place} {name}"
        if newer[name]["optional"]:
            yield SchemaChange(Verdict.COMPATIBLE, here, "a new optional field")
        else:
            detail = f"a new field that stored messages do not have. {_NEW_TAG}"
            yield SchemaChange(Verdict.INCOMPATIBLE, here, detail)


def _fault_of_type(older: Any, newer: Any) -> str:
    """Return the reason if values of the older type cannot be read by the newer, else ""."""
    if older == newer or newer == "any":
        return ""
    if isinstance(newer, dict) and "nullable" in newer:
        inner = older["nullable"] if isinstance(older, dict) and "nullable" in older else older
        return _fault_of_type(inner, newer["nullable"])
    if not isinstance(older, dict) or not isinstance(newer, dict) or older.keys() != newer.keys():
        return f"{_named(older)} has become {_named(newer)}"

    [(kind, before)], [(_, after)] = older.items(), newer.items()
    match kind:
        case "name":
            gone = sorted(set(before) - set(after))
            return f"names are gone: {', '.join(gone)}" if gone else ""
        case "record":
            return _worst_fault(_changes_of_fields("", before, after))
        case "one_of":
            gone = sorted(before.keys() - after.keys())
            if gone:
                return f"messages are gone: {', '.join(gone)}"
            return next(
                filter(
                    None,
                    (
                        _worst_fault(_changes_of_fields("", fields, after[tag]))
                        for tag, fields in before.items()
                    ),
                ),
                "",
            )
        case "tuple":
            if len(before) != len(after):
                return f"it has {len(after)} items in place of {len(before)}"
            faults = (_fault_of_type(*pair) for pair in zip(before, after, strict=True))
            return next(filter(None, faults), "")
        case _:
            return _fault_of_type(before, after)


def _worst_fault(changes: Iterator[SchemaChange]) -> str:
    for change in changes:
        if change.verdict is Verdict.INCOMPATIBLE:
            return f"in its field{change.place}: {change.detail.removesuffix(f'. {_NEW_TAG}')}"
    return ""


def _named(kind: Any) -> str:
    return kind if isinstance(kind, str) else str(next(iter(kind)))


def _changes_of_options(rules: str, older: Json, newer: Json) -> Iterator[SchemaChange]:
    """Yield the changes of options. An opening holds each option of its rules."""
    for name in sorted(older.keys() | newer.keys()):
        place = f"{rules} option {name}"
        if name not in newer:
            yield SchemaChange(Verdict.INCOMPATIBLE, place, "the option is gone")
        elif name not in older:
            detail = "a new option, which openings of these rules do not have. Publish new rules"
            yield SchemaChange(Verdict.INCOMPATIBLE, place, detail)
        elif not _takes_all(older[name], newer[name]):
            detail = "it no longer takes all of its values"
            yield SchemaChange(Verdict.INCOMPATIBLE, place, detail)
        elif older[name] != newer[name]:
            yield SchemaChange(
                Verdict.COMPATIBLE, place, "it takes more values, or another default"
            )


def _takes_all(older: Json, newer: Json) -> bool:
    """Return True if an option takes all values that it took."""
    if older["kind"] != newer["kind"]:
        return False
    match older["kind"]:
        case Choice.kind:
            return set(older["choices"]) <= set(newer["choices"])
        case Number.kind:
            return bool(newer["least"] <= older["least"] and older["most"] <= newer["most"])
        case _:
            return True
