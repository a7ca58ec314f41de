"""Use cases without Flask and Redis: open, join, move, view, history, the house and the bots.

Each function takes the `Context` first. A caller gets `Access` to a match by one request to the
journal. States come from the `repository`. Every move passes the `command_handler`.
"""
