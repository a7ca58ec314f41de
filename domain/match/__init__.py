"""A match: the lobby, the seats and the running game as one state; the same for every game (docs/rules/match.md)."""
