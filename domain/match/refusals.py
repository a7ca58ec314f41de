"""What the rules of a match refuse, each with its number and what would be right."""

from domain.errors import MatchRuleBroken
from domain.match.state import Match, Seat
from domain.seats import INVITATION, OWNER, SPECTATOR, seat_actor


def require_seat(match: Match, number: int) -> Seat:
    """Return a seat; refuse a number that no seat has (M1)."""
    if not 0 <= number < len(match.seats):
        last = len(match.seats) - 1
        raise MatchRuleBroken("no_such_seat", "M1", f"The match has the seats 0 to {last}.")
    return match.seats[number]


def require_before_start(match: Match, rule: str, what: str) -> None:
    """Refuse, by a rule, what is done only before the start; `what`: "a seat is joined"."""
    if match.stage != "open":
        detail = f"The match is {match.standing.status}; {what} only before the start."
        raise MatchRuleBroken("already_started", rule, detail)


def require_unended(match: Match, rule: str, what: str) -> None:
    """Refuse, by a rule, what is done only before the end.

    what: "only an unended match is aborted".
    """
    status = match.standing.status
    if status not in ("open", "running"):
        raise MatchRuleBroken("match_over", rule, f"The match is {status}; {what}.")


def require_seats_changeable(match: Match) -> None:
    """Refuse to change who holds a seat after the end (M8)."""
    if match.standing.status not in ("open", "running"):
        detail = "The match has ended; seats change hands only before its end."
        raise MatchRuleBroken("match_over", "M8", detail)


def require_unrevealed(match: Match, what: str) -> None:
    """Refuse a commit after the revelation, which is the last of all (M9, M13).

    what: "a token is replaced".
    """
    if match.revealed:
        detail = f"The secrets are revealed and the history is complete; {what} only beside it."
        raise MatchRuleBroken("already_revealed", "M13", detail)


def require_holder(match: Match, holder: str) -> None:
    """Refuse the name of a holder of tokens whom the match does not have (M13)."""
    seats = [seat_actor(number) for number in range(len(match.seats))]
    holders = [OWNER, SPECTATOR, INVITATION, *seats]
    if holder not in holders:
        detail = f"Nobody in the match is called so; tokens are held by {', '.join(holders)}."
        raise MatchRuleBroken("no_such_holder", "M13", detail)
