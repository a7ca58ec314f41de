"""A bot in ten lines, for both games: scoring moves first, passing moves last."""

import random

WORTH = {
    "calimala": {"perform": 2, "play_card": 1, "skip": -1},
    "firenze": {"fulfil": 3, "build": 2, "end_turn": -1},
}


def choose(view: dict, moves: list[dict]) -> dict:
    """Return a random legal move of the best type."""
    worth = WORTH[view["game"]]
    return max(moves, key=lambda move: (worth.get(move["type"], 0), random.random()))
