"""The job of the queue "scoring": what no player decides."""

from service.matches import house
from service.matches.desk import Desk
from service.matches.failing import failures_noted
from workers import context


def act(match_id: str) -> None:
    """Let the house do all that it must now, at this process's desk."""
    act_at(context.desk(), match_id)


def act_at(desk: Desk, match_id: str) -> None:
    """Let the house do all that it must now; a failure is noted of the match."""
    with failures_noted(desk, match_id):
        house.act(desk, match_id)
