"""The job of the queue "scoring": what no player decides."""

from service.matches import house
from workers import context


def act(match_id: str) -> None:
    """Let the house do all that it must now."""
    house.act(context.desk(), match_id)
