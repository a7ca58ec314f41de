"""Use cases without Flask and Redis: open, join, move, view, history, the house and the bots.

Use cases of a match take the `Context` first. `access` finds the head of a match and the role of
the caller. States come from the `repository`. Every move passes the `command_handler`.
"""
