"""The rules of every match, whatever its game (docs/rules/match.md).

The state of a match holds the lobby, the seats and the state of the game.
"""
