"""The stored name of a match's status.

Heads, lists and lines of the log store `ended` as `finished`, its name in the first release.
Stored names never change. They are translated here and nowhere else.
"""

_STORED = {"ended": "finished"}
_READ = {stored: status for status, stored in _STORED.items()}


def stored_status(status: str) -> str:
    """Return the stored name of a status, "" for ""."""
    return _STORED.get(status, status)


def read_status(stored: str) -> str:
    """Return the status of a stored name. An unknown name stays as it is."""
    return _READ.get(stored, stored)
