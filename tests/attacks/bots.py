"""Matches in which only bots sit, and how they are played."""

from service.matches import house
from service.matches.desk import Desk
from service.matches.loading import load
from workers.bots import choose

BOT = {"kind": "bot", "level": "random"}
THREE_BOTS = [BOT] * 3
MATCH_OF_BOTS = {"game": "calimala", "seats": THREE_BOTS}


def play_out(desk: Desk, match: str) -> None:
    """Let house and bots act until a match waits for neither of them."""
    while True:
        work = load(desk, match).match.standing.work
        if work == "house":
            house.act(desk, match)
        elif work == "bots":
            house.play_bots(desk, match, choose)
        else:
            return
