"""Matches in which only bots sit: nobody waits for them, so only so many begin at a time."""

from domain.match.messages import Replace, Start
from domain.match.state import Match, only_bots
from service.errors import Overloaded
from service.matches.desk import Desk

RETRY_SECONDS = 10


def refusal(desk: Desk) -> Overloaded | None:
    """Return why no match of bots alone may begin now, None if one may."""
    if not desk.exhibitions:
        return None
    waiting_matches = desk.journal.pending_count()
    if waiting_matches < desk.exhibitions:
        return None
    detail = (
        f"{waiting_matches} matches wait for bots already, and a match of bots alone begins only while fewer than "
        f"{desk.exhibitions} do; come back later, or let a human hold a seat"
    )
    return Overloaded(detail, RETRY_SECONDS)


def would_begin(match: Match, command: object) -> bool:
    """Return whether a command makes a match one of bots alone, or starts one that is."""
    if isinstance(command, Start):
        return only_bots(match)
    if isinstance(command, Replace):
        others = [seat for number, seat in enumerate(match.seats) if number != command.seat]
        return not only_bots(match) and all(seat.kind == "bot" for seat in others)
    return False
