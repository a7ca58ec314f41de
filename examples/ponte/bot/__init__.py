"""How bots play Ponte: by thinking (greedy) or leaning on chance (playout)."""
