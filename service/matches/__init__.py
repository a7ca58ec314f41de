"""Use cases: open, join, move, view, history, the house and the bots; no Flask and no Redis.

Each function takes first the `Desk` at which it works: the journal, the server's secret, the clock
and whom to wake. A move passes through playing, submitting and committing, in this order.
"""
