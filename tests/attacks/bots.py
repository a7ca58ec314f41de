"""Matches in which only bots sit, and how they are played."""

from service.matches import automation
from service.matches.context import Context
from service.matches.repository import load
from workers.bots import choose

BOT = {"kind": "bot", "level": "random"}
THREE_BOTS = [BOT] * 3
MATCH_OF_BOTS = {"game": "calimala", "seats": THREE_BOTS}


def play_out(ctx: Context, match: str) -> None:
    """Let house and bots act until a match waits for neither of them."""
    while True:
        status = load(ctx, match).status
        if status.awaiting == "house":
            automation.act(ctx, match)
        elif status.worker == "bots":
            automation.play_bots(ctx, match, choose)
        else:
            return
