"""The dictionaries of zstd by which matches are compressed, one for each version of the rules.

`python -m tests.records.train` makes those that are missing from the golden records. A dictionary
is kept for ever, because archived matches are read by it: a better one stands beside it under a
name of its own, and only NEWEST changes.
"""

from functools import cache
from pathlib import Path

from zstandard import ZstdCompressionDict

HOME = Path(__file__).parent / "zstd"
SUFFIX = ".dictionary"

# The dictionary for new packed matches, by rules. Its name ends in the first eight digits of its
# SHA-256. Matches of other rules are packed without one.
NEWEST = {
    "calimala/1": "calimala-1-7fe16fc1",
    "firenze/1": "firenze-1-9edcb696",
}


class NoDictionary(Exception):
    """There is no dictionary of this name in this release."""


def newest(rules: str) -> str:
    """Return the name of the dictionary for rules, "" where there is none."""
    return NEWEST.get(rules, "")


def path_of(name: str) -> Path:
    """Return the file of a dictionary."""
    return HOME / f"{name}{SUFFIX}"


@cache
def dictionary(name: str) -> ZstdCompressionDict | None:
    """Return a dictionary by its name, None for no name; raises NoDictionary."""
    if not name:
        return None
    try:
        content = path_of(name).read_bytes()
    except OSError:
        raise NoDictionary(f"the dictionary {name} is not in this release") from None
    return ZstdCompressionDict(content)
