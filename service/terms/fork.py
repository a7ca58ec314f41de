"""Forks in the service (M21). `service.matches.forks` finds the base of one that is asked for.

forked_from   the match and the version that a fork goes on from
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson

from domain.match.messages import Base
from domain.match.state import Match
from domain.match.terms import base_of
from domain.match.terms.fork import Fork
from service import answers
from service.terms.side import Side

_FIELD = "forked_from"


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """From which version of which match a new one is to go on; token: the caller's in that."""

    match: str
    version: int
    token: str | None = field(default=None, repr=False)


class ForkSide(Side[Fork, ForkRequest]):
    """The side of a fork. Its base decides game and options, so opening asks for it by itself."""

    kind = Fork
    name = Fork.name
    is_rated = False
    fields = (_FIELD,)

    def stored_fields(self, term: Fork) -> dict[str, str]:
        """Return the field."""
        return {_FIELD: orjson.dumps(_shown(term.base)).decode()}

    def document(self, _match: Match, term: Fork, answer: answers.Match) -> None:
        """Add the base."""
        answer["forked_from"] = _shown(term.base)

    def summary(self, metadata: Mapping[str, str], answer: answers.MatchSummary) -> None:
        """Add the base."""
        if _FIELD in metadata:
            answer["forked_from"] = orjson.loads(metadata[_FIELD])

    def fingerprint(self, value: ForkRequest) -> object:
        """Return the version that is forked."""
        return {"fork": [value.match, value.version]}


def base_match(match: Match) -> str:
    """Return the match that a fork goes on from, "" for a match that is no fork."""
    base = base_of(match)
    return base.match if base is not None else ""


def _shown(base: Base) -> answers.ForkedFrom:
    """Return the match and the version that a fork goes on from."""
    return {"match": base.match, "version": base.version}
