"""How bots choose: at random (playout), or by what a choice is worth (greedy)."""
