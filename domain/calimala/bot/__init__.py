"""The bots of Calimala: the greedy bot, random moves, and the hooks of the search."""
