"""How bots choose: at random (playout), or by the worth of a choice (greedy)."""
