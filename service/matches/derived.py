"""Derived metadata: fields beside the chain that follow from the match alone.

Lists, news of matches and webhooks read these fields without a replay. `derived_metadata` computes
them for each new commit. `Act.metadata` holds the fields of a request: tokens, names, the match
before a rematch, fields dropped with a seat.

    seats, advice   set by the first commit, and by each that changes a seat
    deadline        set by each commit of a match with a clock or joint entropy (M15, M19)
    outcome         set by each commit from the end of the game on

The sides of terms add fields of their own (`service.record.terms`): `stored_fields` with the seats,
`changed_fields` with the commits that change them.

Matches of the first release, and imported matches, have none of these fields. The first list with
such a match, or its archiving, computes and stores the fields (`with_derived`).
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import orjson

from domain.errors import RulesUnknown
from domain.match.state import Match
from service.base.metadata_fields import ADVICE, DEADLINE, OUTCOME, REMATCH_OF, SEATS
from service.matches.context import Context
from service.matches.repository import load
from service.record.commit import milliseconds
from service.record.replay import Loaded, outcome
from service.record.terms import sides
from service.record.terms.sides import terms_of
from service.store import seat_holders
from service.store.journal.errors import JournalUnavailable

# The metadata fields for lists.
FIELDS = (SEATS, ADVICE, DEADLINE, REMATCH_OF, *sides.FIELDS, OUTCOME, *seat_holders.NAMES)


@dataclass(frozen=True, slots=True)
class Derived:
    """The derived metadata of a commit.

    metadata: fields to set (None: to delete).   deadline, is_resting: as in `Entry`.
    """

    metadata: Mapping[str, str | None]
    deadline: int | None = None
    is_resting: bool = False


def derived_metadata(before: Match | None, after: Loaded) -> Derived:
    """Return the derived metadata of a commit, given the match before and after it.

    before: None for the first commit.
    """
    match = after.match
    metadata: dict[str, str | None] = {}
    if before is None or match.seats != before.seats:
        metadata |= _standing(match)
    has_deadline = False
    for side, _ in terms_of(match):
        metadata |= side.changed_fields(before, match)
        has_deadline = has_deadline or side.has_deadline
    if after.status.name == "ended":
        metadata |= _end(after)
    if not has_deadline:
        return Derived(metadata)

    due = match.next_due
    metadata[DEADLINE] = str(due) if due else None
    rest_ends = sides.rests_until(match)
    if rest_ends > milliseconds(after.time):
        return Derived(metadata, rest_ends, is_resting=True)
    return Derived(metadata, due or 0)


def with_derived(ctx: Context, match_id: str, metadata: Mapping[str, str]) -> Mapping[str, str]:
    """Return the metadata fields in FIELDS. Compute and store them for a match without them.

    A match by unknown rules gets no seats, and nothing is stored.
    Raises NotFound or MatchDeleted if the fields are missing and the match is gone meanwhile.
    """
    if SEATS in metadata:
        return metadata

    try:
        loaded = load(ctx, match_id)
    except RulesUnknown:
        return {**metadata, SEATS: "[]"}
    missing = {**_standing(loaded.match), **_end(loaded)}
    # Storing the fields only saves time, so a journal that takes no writes is no error. SEATS is
    # stored last, because `with_derived` takes it as a sign that all fields are stored.
    with suppress(JournalUnavailable):
        for name in sorted(missing, key=lambda name: (name == SEATS, name)):
            ctx.journal.metadata.put_if_missing(match_id, name, missing[name])
    return {**metadata, **missing}


def _standing(match: Match) -> dict[str, str]:
    """Return the fields of the seats and of the terms of a match."""
    fields = {SEATS: orjson.dumps(seat_holders.holders(match)).decode()}
    if match.advice:
        fields[ADVICE] = "true"
    for side, term in terms_of(match):
        fields |= side.stored_fields(term)
    return fields


def _end(loaded: Loaded) -> dict[str, str]:
    """Return the field OUTCOME, nothing without an outcome."""
    end = outcome(loaded)
    return {} if end is None else {OUTCOME: orjson.dumps(end).decode()}
