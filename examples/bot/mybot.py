"""A bot in ten lines, for both games: what scores comes first, and what gives up comes last."""

import random

WORTH = {
    "calimala": {"perform": 2, "play_card": 1, "skip": -1},
    "firenze": {"fulfil": 3, "build": 2, "end_turn": -1},
}


def choose(view: dict, moves: list[dict]) -> dict:
    """Return a legal move of the best kind, by chance which."""
    worth = WORTH[view["game"]]
    return max(moves, key=lambda move: (worth.get(move["type"], 0), random.random()))
