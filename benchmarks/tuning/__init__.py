"""Find the numbers by which the bots of a game weigh, by playing.

Run `python -m benchmarks.tuning GAME [ROUNDS] [MATCHES]`. It begins with the numbers that were set
by hand. In every round MATCHES matches are played, in which each seat plays greedily by numbers of
its own: all of them a little larger or smaller by chance. Where seats differ, some have more points
in the end: by least squares this says which number is worth how much, and all are moved that way
(evolution strategies: Rechenberg 1973; the matches of one round fit one straight line, Box and
Wilson 1951). The last numbers are written to `weights.json` beside the bots of the game, and play
some matches against those set by hand.

subjects     what is tuned of each game
playing      a match between seats that weigh by different numbers
stepping     which way the numbers are moved after a round
"""
