"""Use cases: open, join, move, view, history, the house and the bots. Knows neither Flask nor Redis.

Each function takes the `Desk` it works at first: the journal, the server's secret, the clock and whom to wake.
"""
