"""What to tell whoever asks for a path that nothing is at: most often an id or a number is not written right."""

import re

from domain.seats import SEAT_NUMBER
from service.api import links
from service.ledger.ids import MATCH_ID

_MATCH = (
    "the id of a match has 26 characters, a to z and 2 to 7, such as aaaaaaaaaaaaaaaaaaaaaaaaaa"
)
_VERSION = "the number of a commit is a whole number from 1, without leading zeros"
_SEAT = "the number of a seat is a whole number from 0 to 15"

# Paths that would be something if one part of them were right: their form, what that part must be, how to say so.
_ALMOST = (
    (r"/v1/matches/([^/]*)(?:/.*)?", MATCH_ID, _MATCH),
    (r"/v1/matches/[^/]*/(?:commits|audit)/([^/]*)", "0|[1-9][0-9]{0,15}", _VERSION),
    (r"/v1/matches/[^/]*/(?:seats|players)/([^/]*)(?:/bot)?", SEAT_NUMBER, _SEAT),
)


def nowhere(path: str) -> str:
    """Return what is wrong with a path, as far as it can be told."""
    for form, right, said in _ALMOST:
        found = re.fullmatch(form, path)
        if found and not re.fullmatch(right, found[1]):
            return f"Nothing is at this address: {said}."
    return (
        f"Nothing is at this address. The contract, {links.contract()} or {links.docs()} for people, "
        "names all that there are."
    )
