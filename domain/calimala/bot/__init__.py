"""How bots play Calimala: by thinking (greedy) or leaning on chance (playout)."""
