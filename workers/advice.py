"""The job of the queue "advice": what a strong bot would do on a human's seat."""

from functools import partial
from time import monotonic

from service.jobs import advice as jobs
from service.jobs.queues import ADVICE, Queues
from service.matches import advising
from service.matches.desk import Desk
from workers import context
from workers.bots import choose
from workers.bots.pace import Pace, pace


def run(match_id: str, version: int, seat: int) -> None:
    """Think for a seat with this process's desk and queues, and less while many wait."""
    desk = context.desk()
    queues = context.queues()
    at_pace = pace(queues.depth(ADVICE), desk.unhurried, monotonic)
    think(desk, queues, (match_id, version, seat), at_pace)


def think(desk: Desk, queues: Queues, asked: tuple[str, int, int], at_pace: Pace) -> None:
    """Think for a seat, and keep what came of it; nothing if the match has moved on.

    asked: match, version and seat.
    """
    match_id, version, seat = asked
    advised = advising.advise(desk, match_id, version, seat, partial(choose, at_pace=at_pace))
    if advised is not None:
        commit_hash, advice = advised
        jobs.note(queues, match_id, seat, commit_hash, advice)
