"""What happened in a run, in plain words, one line a step."""

import hashlib

from tests.simulation.kernel import SECOND


class Trace:
    """The lines of one run.

    Matches have short names in it, "m1" for the first, so that a reader can follow them.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[str, str] = {}

    def say(self, now: int, who: str, what: str) -> None:
        """Add a line: when, in seconds of virtual time, who, and what."""
        self.lines.append(f"{now / SECOND:11.6f}  {who:<12} {what}")

    def name(self, match_id: str) -> str:
        """Return the short name of a match."""
        known = self._names.get(match_id)
        if known is None:
            known = f"m{len(self._names) + 1}"
            self._names[match_id] = known
        return known

    def digest(self) -> str:
        """Return the SHA-256 of all lines, in hex: equal runs have equal digests."""
        text = "\n".join(self.lines)
        return hashlib.sha256(text.encode()).hexdigest()
