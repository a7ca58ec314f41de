"""Matches in which only bots sit: nobody waits for them, so only so many begin at a time."""

from domain.match.messages import Replace, Start
from domain.match.state import Match
from service.errors import Overloaded
from service.matches.desk import Desk
from service.matches.waiting import count_waiting

RETRY_SECONDS = 10


def refusal(desk: Desk) -> Overloaded | None:
    """Return why no match of bots alone may begin now, None if one may."""
    if not desk.exhibitions:
        return None
    waiting_matches = count_waiting(desk)
    if waiting_matches < desk.exhibitions:
        return None

    detail = (
        f"{waiting_matches} matches wait for bots already, and a match of bots alone begins only "
        f"while fewer than {desk.exhibitions} do; come back later, or let a human hold a seat"
    )
    return Overloaded(detail, RETRY_SECONDS)


def would_begin(match: Match, command: object) -> bool:
    """Return whether a command makes a match one of bots alone, or starts one that is."""
    if isinstance(command, Start):
        return match.only_bots
    if isinstance(command, Replace):
        others = [seat for number, seat in enumerate(match.seats) if number != command.seat]
        return not match.only_bots and all(seat.kind == "bot" for seat in others)
    return False
