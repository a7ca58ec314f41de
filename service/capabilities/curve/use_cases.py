"""The curve of a match: each seat's chance to win at each turn, as bots value the position.

The curve depends on all cards, so it exists only once the match is revealed. It follows from the
history alone: nothing is drawn, and everybody with the record gets the same numbers.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from domain.game import chances_at_end, win_chances
from domain.match.state import Match
from domain.match.terms import taken_back
from service.capabilities.curve.answers import Curve, CurvePoint, TurningPoint
from service.matches import views
from service.matches.access import Access, check_revealed
from service.matches.context import Context
from service.matches.repository import from_one_stream
from service.record.replay import Loaded

DIGITS = 3  # decimals of a chance
TURNING_POINTS = 5  # at most, in one match
LEAST_CHANGE = 0.1  # least change of a chance in a turning point


def check_unsealed(access: Access) -> None:
    """Raise NotRevealed until the revelation (M9): the values of positions tell of hidden cards."""
    check_revealed(access, "the curve is secret until the match is revealed")


def curve(ctx: Context, access: Access) -> Curve:
    """Return the curve of a revealed match. Raises NotFound or MatchDeleted for a deleted match."""
    whole_range = views.range_to_head(access, 0)
    return from_one_stream(
        ctx,
        read=lambda: curve_of(views.versions(ctx, access.match, whole_range)),
    )


def curve_of(moments: Iterable[Loaded]) -> Curve:
    """Return the curve of a match from all its versions.

    The curve has no points for a game without a bot that can value positions.
    """
    points = _points(moments)
    return {"points": points, "turning_points": _turning_points(points)}


def _points(moments: Iterable[Loaded]) -> list[CurvePoint]:
    """Return a point for each valued position with new chances, and one for the end.

    Commits that change no chance, such as the revelation, have no point. Neither have moves that
    were taken back (M17).
    """
    points: list[CurvePoint] = []
    has_end = False
    for loaded in moments:
        match = loaded.match
        while points and points[-1]["version"] in taken_back(match):
            points.pop()

        chances = [round(chance, DIGITS) for chance in _chances(match)]
        is_end = bool(chances) and not has_end and match.game.outcome(match.state) is not None
        has_end = has_end or is_end
        if is_end or (chances and not (points and points[-1]["win_chances"] == chances)):
            points.append({"version": loaded.version, "win_chances": chances})
    return points


def _chances(match: Match) -> Sequence[float]:
    """Return each seat's chance to win.

    Return () within a turn, before the start, and if no bot can value the position.
    """
    game = match.game
    hooks = game.search_hooks
    if hooks is None or match.state is None:
        return ()
    if game.outcome(match.state) is None and not hooks.turn_begins(match.state):
        return ()
    if (outcome := match.outcome) is not None:
        return chances_at_end(outcome)
    return win_chances(game, hooks, match.state)


def _turning_points(points: Sequence[CurvePoint]) -> list[TurningPoint]:
    """Return the largest changes of a chance between points, in the order of the match."""
    changes = [_change(before, after) for before, after in pairwise(points)]
    by_size = sorted(changes, key=_size, reverse=True)
    largest = [one for one in by_size[:TURNING_POINTS] if _size(one) >= LEAST_CHANGE]
    return sorted(largest, key=lambda one: one["to"])


def _change(before: CurvePoint, after: CurvePoint) -> TurningPoint:
    """Return the largest change of a seat's chance between two points."""
    pairs = list(zip(before["win_chances"], after["win_chances"], strict=True))
    seat = max(range(len(pairs)), key=lambda number: abs(pairs[number][1] - pairs[number][0]))
    old, new = pairs[seat]
    return {
        "from": before["version"],
        "to": after["version"],
        "seat": seat,
        "chance_before": old,
        "chance_after": new,
    }


def _size(change: TurningPoint) -> float:
    return round(abs(change["chance_after"] - change["chance_before"]), DIGITS)
