"""Open data after the revelation of a match: chances of winning, and the view of each seat."""

from itertools import pairwise
from typing import Any

import pytest

from domain.games import GAMES
from service.capabilities.curve.use_cases import LEAST_CHANGE, TURNING_POINTS
from service.matches import automation
from tests.service.api.conftest import Door, json, opened, problem
from workers.bots import choose

GREEDY = {"kind": "bot", "level": "greedy"}
LONGEST = 100  # most jobs until bots have played to the end
VALUED = [key for key, game in GAMES.items() if game.search_hooks is not None]


def played_to_the_end(door: Door, game: str) -> Door:
    """Return a match played by three bots, with its revelation."""
    match = opened(door, game, seats=[GREEDY] * 3)
    for _ in range(LONGEST):
        automation.play_bots(match.ctx, match.match, choose)
        match.house()
        if json(match.get())["status"] == "ended":
            return match
    raise AssertionError("the bots have not come to an end")


def curve_of(match: Door) -> dict[str, Any]:
    """Return the public curve."""
    answer = match.get("curve")
    assert answer.status_code == 200, answer.text
    curve: dict[str, Any] = json(answer)
    return curve


@pytest.mark.whole
@pytest.mark.parametrize("game", VALUED)
def test_the_curve_leads_from_the_first_turn_to_the_winner(door: Door, game: str) -> None:
    """Win chances add up to 1, and in the end fit the outcome.

    The largest step is a turning point.
    """
    match = played_to_the_end(door, game)
    curve = curve_of(match)
    points = curve["points"]

    versions = [point["version"] for point in points]
    assert versions == sorted(set(versions))
    assert len(versions) >= 10
    for point in points:
        assert sum(point["win_chances"]) == pytest.approx(1, abs=0.01)

    ranks = json(match.get())["outcome"]["ranks"]
    assert [chance > 0 for chance in points[-1]["win_chances"]] == [rank == 1 for rank in ranks]

    steps = {
        (before["version"], after["version"]): (before["win_chances"], after["win_chances"])
        for before, after in pairwise(points)
    }
    turning_points = curve["turning_points"]
    assert 0 < len(turning_points) <= TURNING_POINTS
    largest = max(abs(b - a) for old, new in steps.values() for a, b in zip(old, new, strict=True))
    sizes = []
    for one in turning_points:
        old, new = steps[one["from"], one["to"]]
        assert (one["chance_before"], one["chance_after"]) == (old[one["seat"]], new[one["seat"]])
        sizes.append(abs(one["chance_after"] - one["chance_before"]))
    assert min(sizes) >= LEAST_CHANGE
    assert max(sizes) == largest


def test_the_curve_is_sealed_until_the_match_is_revealed(door: Door) -> None:
    """The curve is refused to everybody with 409 until the house has revealed the match (M9)."""
    match = opened(door)
    match.move(f"seat:{match.waiting_seats()[0]}")
    for who in ("", "owner", "seat:0"):
        assert problem(match.get("curve", who)) == (409, "not-revealed")

    match.post("abort", None, "owner")
    assert problem(match.get("curve")) == (409, "not-revealed")
    match.house()
    assert match.get("curve").status_code == 200


def test_the_curve_is_asked_for_once(door: Door) -> None:
    """A request with the ETag of the curve gets 304."""
    match = opened(door)
    match.post("abort", None, "owner")
    match.house()
    first = match.get("curve")
    again = match.get("curve", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304


LOOKS = ("state", "states", "states.ndjson", "story", "story.ndjson")


@pytest.mark.parametrize("what", LOOKS)
def test_everybody_has_the_view_of_a_seat_after_the_revelation(door: Door, what: str) -> None:
    """The view equals its holder's to the byte. Before the revelation others get 409 (M9)."""
    match = opened(door)
    match.move(f"seat:{match.waiting_seats()[0]}")
    for who in ("", "owner", "seat:1"):
        assert problem(match.get(f"{what}?seat=0", who)) == (409, "not-revealed")
    assert match.get(f"{what}?seat=0", "seat:0").data == match.get(what, "seat:0").data

    match.post("abort", None, "owner")
    match.house()
    own = match.get(what, "seat:0")
    for who in ("", "seat:1"):
        view = match.get(f"{what}?seat=0", who)
        assert view.status_code == 200
        assert view.data == own.data
        assert view.data != match.get(what, who).data
        assert view.headers["ETag"] != match.get(what, who).headers["ETag"]


@pytest.mark.parametrize("what", LOOKS)
def test_a_seat_that_is_not_there_has_no_eyes(door: Door, what: str) -> None:
    """The view of a seat that this match lacks is 404, of one that no match has 422."""
    match = opened(door)
    assert problem(match.get(f"{what}?seat=3")) == (404, "no-such-seat")
    match.post("abort", None, "owner")
    match.house()
    assert problem(match.get(f"{what}?seat=3")) == (404, "no-such-seat")
    assert problem(match.get(f"{what}?seat=16")) == (422, "invalid-request")
