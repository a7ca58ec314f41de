"""Use cases: open, join, move, view, history, the house and the bots; no Flask and no Redis.

Each function takes the `Context` first. A caller gets `Access` to a match from one question to the
journal, a state comes from the `repository`, and a move passes the `command_handler`.
"""
