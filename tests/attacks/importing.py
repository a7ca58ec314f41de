"""Records of matches that were played elsewhere, and how a service is asked to take them in."""

from collections.abc import Iterable, Iterator
from itertools import count

from werkzeug.test import TestResponse

from service.journal.memory import MemoryJournal
from service.matches import house
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Wish, open_new
from service.matches.records import export
from tests.service.api.conftest import NDJSON, Door
from workers.bots import choose

OPERATOR = "o" * 40
BOTS = [{"kind": "bot", "level": "random"}] * 3
PAST = 1_600_000_000_000  # in the year 2020
FUTURE = 4_000_000_000_000  # in the year 2096


def forged_elsewhere(began: int) -> list[bytes]:
    """Return the record of a match of bots on a server of one's own, whose clock says anything.

    began: the time of its first commit, in milliseconds since the epoch.
    """
    ticks: Iterator[int] = count(began, 1000)
    desk = Desk(MemoryJournal(), b"e" * 32, lambda: next(ticks), lambda *_: None)
    match = open_new(desk, Wish("calimala", BOTS)).loaded.id
    play_to_the_end(desk, match)
    return list(export(desk, match, None))


def play_to_the_end(desk: Desk, match: str) -> None:
    """Let the house and the bots act until nobody has to."""
    while load(desk, match).match.standing.work:
        house.play_bots(desk, match, choose)
        house.act(desk, match)


def send_record(door: Door, lines: Iterable[bytes], who: str = OPERATOR) -> TestResponse:
    """Post a record."""
    return door.ask("POST", "/v1/records", who, data=b"".join(lines), content_type=NDJSON)
