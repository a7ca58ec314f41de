"""What to say about a path that leads nowhere: most often a part of it is not written right."""

import re
from dataclasses import dataclass

from domain.seats import SEAT_NUMBER
from service.api import links
from service.ledger.ids import MATCH_ID


@dataclass(frozen=True, slots=True)
class _AlmostRight:
    """Paths that would lead somewhere if one part of them were right."""

    # The form of such paths; its group is the part in question.
    path: str
    # What that part must look like, as a pattern and in words.
    part: str
    rule: str


_ALMOST_RIGHT = (
    _AlmostRight(
        path=r"(?:/v1)?/matches/([^/]*)(?:/.*)?",
        part=MATCH_ID,
        rule=(
            "the id of a match has 26 characters, a to z and 2 to 7, "
            "such as aaaaaaaaaaaaaaaaaaaaaaaaaa"
        ),
    ),
    _AlmostRight(
        path=r"/v1/matches/[^/]*/(?:commits|audit)/([^/]*)",
        part="0|[1-9][0-9]{0,15}",
        rule="the number of a commit is a whole number from 1, without leading zeros",
    ),
    _AlmostRight(
        path=r"/v1/matches/[^/]*/(?:seats|players)/([^/]*)(?:/bot)?",
        part=SEAT_NUMBER,
        rule="the number of a seat is a whole number from 0 to 15",
    ),
)


def nowhere(path: str) -> str:
    """Return what is wrong with a path, as far as that can be told."""
    for almost in _ALMOST_RIGHT:
        found = re.fullmatch(almost.path, path)
        if found and not re.fullmatch(almost.part, found[1]):
            return f"Nothing is at this address: {almost.rule}."

    return (
        f"Nothing is at this address. The contract, {links.contract()} or {links.docs()} "
        "for people, names all that there are."
    )
