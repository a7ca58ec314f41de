"""Forks in the service (M21). `service.matches.forks` finds the base of a requested fork.

The metadata field `forked_from` holds match and version of the base.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson

from domain.match.messages import Base
from domain.match.state import Match
from domain.match.terms import base_of
from domain.match.terms.fork import Fork
from service.base import answers
from service.base.metadata_fields import FORKED_FROM
from service.record.terms.side import Side


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """Match and version of a requested base. token: the caller's token of that match."""

    match: str
    version: int
    token: str | None = field(default=None, repr=False)


class ForkSide(Side[Fork, ForkRequest]):
    """The side of a fork. An opening finds the base first, since the base has game and options."""

    kind = Fork
    name = Fork.name
    is_rated = False
    fields = (FORKED_FROM,)

    def stored_fields(self, term: Fork) -> dict[str, str]:
        """Return the field `forked_from`."""
        return {FORKED_FROM: orjson.dumps(_shown(term.base)).decode()}

    def document(self, _match: Match, term: Fork, answer: answers.Match) -> None:
        """Add the base."""
        answer["forked_from"] = _shown(term.base)

    def summary(self, metadata: Mapping[str, str], answer: answers.MatchSummary) -> None:
        """Add the base."""
        if FORKED_FROM in metadata:
            answer["forked_from"] = orjson.loads(metadata[FORKED_FROM])

    def fingerprint(self, value: ForkRequest) -> object:
        """Return match and version of the base."""
        return {"fork": [value.match, value.version]}


def base_match(match: Match) -> str:
    """Return the id of the base of a fork, "" for a match without a base."""
    base = base_of(match)
    return base.match if base is not None else ""


def _shown(base: Base) -> answers.ForkedFrom:
    """Return match and version of a base."""
    return {"match": base.match, "version": base.version}
