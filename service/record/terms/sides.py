"""The sides of all terms, and loops over them."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from domain.match.state import Match
from service.record.terms.clock import ClockSide
from service.record.terms.fork import ForkSide
from service.record.terms.joint_entropy import JointEntropySide
from service.record.terms.side import AnySide
from service.record.terms.take_back import TakeBackSide

# The order is the order in fingerprints of openings. Fingerprints are stored for ever.
SIDES: tuple[AnySide, ...] = (ClockSide(), TakeBackSide(), ForkSide(), JointEntropySide())
_SIDE_OF = {side.kind: side for side in SIDES}

FIELDS = tuple(chain.from_iterable(side.fields for side in SIDES))
NEWS_FIELDS = tuple(chain.from_iterable(side.news_fields for side in SIDES))
LIMITED_DEEDS = {command: deed for side in SIDES for command, deed in side.limited_deeds.items()}


def terms_of(match: Match) -> list[tuple[AnySide, Any]]:
    """Return the terms of a match, each after its side."""
    return [(_SIDE_OF[type(term)], term) for term in match.terms]


def rests_until(match: Match) -> int:
    """Return the end of the rest of a match's bots, 0 without a rest."""
    return max((side.rests_until(match, term) for side, term in terms_of(match)), default=0)


def may_open_seats(match: Match) -> bool:
    """Return True if the house may open seats of a match again before the start."""
    return any(side.may_open_seats for side, _ in terms_of(match))


def read_terms(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the requested terms by name, given the members of a request."""
    return {
        side.name: members[side.name]
        for side in SIDES
        if side.name in members and side.is_request(members[side.name])
    }


def sides_of(terms: Mapping[str, Any]) -> Iterator[tuple[AnySide, Any]]:
    """Yield the values of requested terms, each after its side, in the order of SIDES."""
    for side in SIDES:
        if side.name in terms:
            yield side, terms[side.name]


def rematch_terms(match: Match) -> dict[str, Any]:
    """Return the terms to request in a rematch, by name."""
    values = {side.name: side.request_for(term) for side, term in terms_of(match)}
    return {name: value for name, value in values.items() if value is not None}
