"""The table of metadata fields holds every field stored by the scripted requests."""

import re
from collections.abc import Iterator

from service.base import metadata_fields
from service.base.metadata_fields import GAPS, REPLACEMENT_0_1_0, TABLE, MetadataField
from tests.scripted import recording
from tests.scripted.scripts import SCRIPTS

HOLDER = r"(seat:\d|owner|spectator|invitation)"
PARTS = {
    "HASH": "[0-9a-f]+",
    "HOLDER": HOLDER,
    "ACTOR": rf"(rematch\|)?{HOLDER}",
    "TIME": r"[\dT:.-]+Z",
    "NONCE": "[0-9a-f]+",
    "KEY": "[0-9a-f]+",
    "N": r"\d",
}


def stored() -> Iterator[str]:
    """Yield the metadata fields of all recorded scripts."""
    for script in SCRIPTS:
        for _, lines in recording.read(script):
            for path in lines:
                match = re.fullmatch(r"stored/.*?\.fields\.(.+)", path)
                if match is not None:
                    yield match[1]


def pattern(field: MetadataField) -> str:
    """Return the regular expression of the names that a row describes."""
    return re.sub("[A-Z]+", lambda part: PARTS[part[0]], field.name)


def test_every_stored_field_has_one_row() -> None:
    reached = set()
    for name in set(stored()):
        [row] = [row.name for row in TABLE if re.fullmatch(pattern(row), name)]
        reached.add(row)

    assert {row.name for row in TABLE} - reached == {f"{REPLACEMENT_0_1_0}HASH:KEY", GAPS}


def test_every_constant_begins_one_row() -> None:
    constants = [
        value
        for name, value in vars(metadata_fields).items()
        if name.isupper() and isinstance(value, str) and name != "COMMAND_LINE"  # a value
    ]
    beginnings = [re.sub("(seat:)?[A-Z]+.*", "", row.name) for row in TABLE]
    assert sorted(beginnings) == sorted(constants)
