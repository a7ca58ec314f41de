"""Data derived from a match is stored as metadata, and openings name their terms."""

from typing import Any

import orjson
import pytest

from domain.match.terms.joint_entropy import pledge_of
from service.base.errors import Invalid
from service.matches.context import Context
from service.matches.derived import Derived, derived_metadata
from service.matches.opening import NewMatch, OpenRequest, _fingerprint, open_new, read_request
from service.matches.repository import load_version
from service.record.terms.fork import ForkRequest
from service.store.journal.values import fingerprint
from tests import taking_back
from tests.service.matches.conftest import by, humans, make_move, now, play_on

CLOCK = {"bank_s": 300, "move_s": 5, "level": "greedy"}
PLEDGING = [{"kind": "human", "pledge": pledge_of(f"{seat}a" * 32, seat)} for seat in range(2)]


def played(ctx: Context, **members: Any) -> tuple[NewMatch, int]:
    """Return a match of two humans after a move, and the seat that has made it."""
    match = open_new(ctx, read_request(game="firenze", seats=humans(2), seed="derived", **members))
    play_on(ctx, match, until=4)
    [seat] = now(ctx, match).status.seats
    make_move(ctx, match, seat)
    return match, seat


def test_a_move_of_a_plain_match_stores_nothing(ctx: Context) -> None:
    """A move of a plain match changes neither metadata nor a timer."""
    match, _ = played(ctx)
    after = now(ctx, match)
    before = load_version(ctx, match.loaded.id, after.version - 1)
    assert derived_metadata(before.match, after) == Derived({})


def test_a_move_by_a_clock_stores_the_deadline(ctx: Context) -> None:
    """M15: a move by a clock stores the deadline as metadata and for the timer."""
    match, _ = played(ctx, clock=CLOCK)
    after = now(ctx, match)
    before = load_version(ctx, match.loaded.id, after.version - 1)
    due = after.match.next_due
    assert due is not None
    assert derived_metadata(before.match, after) == Derived({"deadline": str(due)}, due)


def test_the_first_commit_stores_seats_and_terms(ctx: Context) -> None:
    """M14, M19: the first commit stores seats, terms and the deadline of disclosures."""
    terms = {"joint_entropy": True, "take_back": "own"}
    loaded = open_new(ctx, OpenRequest("firenze", PLEDGING, advice=True, terms=terms)).loaded
    metadata = derived_metadata(None, loaded).metadata
    assert set(metadata) == {"seats", "advice", "joint_entropy", "deadline"}
    assert ctx.journal.metadata.fields(loaded.id).items() >= metadata.items()


def test_an_ask_is_stored_until_it_is_answered(ctx: Context) -> None:
    """M17: an ask is stored with the asked seats and the version to go back to."""
    match, mover = played(ctx, take_back="consent")
    to = now(ctx, match).version - 1
    taking_back.ask(ctx, by(match, f"seat:{1 - mover}"), to)
    stored = ctx.journal.metadata.fields(match.loaded.id)["take_back"]
    assert orjson.loads(stored) == {"to": to, "seats": [mover]}

    taking_back.refuse(ctx, by(match, f"seat:{mover}"))
    assert "take_back" not in ctx.journal.metadata.fields(match.loaded.id)


def test_a_fingerprint_keeps_the_order_of_its_parts(ctx: Context) -> None:
    """A fingerprint does not depend on the order of the members in a request."""
    request = read_request(
        joint_entropy=True,
        fork=ForkRequest("base", 3, "token"),
        take_back="own",
        clock=CLOCK,
        rematch_of="old",
        advice=True,
        seats=humans(2),
        game="firenze",
    )
    parts = [
        *("firenze", humans(2), {}, "public", None, "advice", "rematch of old"),
        *({"clock": CLOCK}, {"take_back": "own"}, {"fork": ["base", 3]}, "joint entropy"),
    ]
    assert _fingerprint(ctx, request) == fingerprint(parts, ctx.secret)


def test_a_term_that_is_turned_off_is_no_part(ctx: Context) -> None:
    """A request with the defaults of its terms equals one without these terms."""
    spelled = read_request(
        game="toy", seats=humans(2), clock=None, take_back="off", joint_entropy=False
    )
    assert spelled == OpenRequest("toy", humans(2))


def test_a_pledge_has_no_place_without_joint_entropy(ctx: Context) -> None:
    """M19: the refusal names the seat and the alternative."""
    with pytest.raises(Invalid, match="Give entropy") as refused:
        open_new(ctx, OpenRequest("firenze", PLEDGING))
    assert [place.pointer for place in refused.value.places] == [
        "/seats/0/pledge",
        "/seats/1/pledge",
    ]
