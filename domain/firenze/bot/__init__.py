"""The bots of Firenze: the greedy bot, random moves, and the hooks of the search."""
