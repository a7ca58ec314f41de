"""A match: the lobby, the seats and the running game as one state (docs/rules/match.md).

It is the same for every game.
"""
