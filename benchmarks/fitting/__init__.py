"""Fit the weights by which a game's prospects are guessed, and tell how well they foretell.

Run `python -m benchmarks.fitting GAME [MATCHES]`. Bots play matches of every number of seats. Now
and then a move is another one than theirs, so that there are positions that they would not reach.
Where a turn begins each seat's features are noted, and its points so far. The weights are those of
the least squares, held small (ridge regression): they foretell how many points each seat gains on
the others from there to the end. They are rounded, and written beside the bots of the game. Every
fifth match is not fitted on, but foretold.

subjects    what is fitted of each game, and who plays
playing     a match, noted turn by turn
regression  the weights, and how well they foretell
"""
