"""The history as it truly is: the commits of every match, as the store took them."""

from collections.abc import Callable
from typing import Any

from tests.simulation.facts import Fact


class History:
    """Every commit that the store took, and whether all that must hold did hold so far.

    failure: the first thing that was wrong, "" as long as nothing is.
    matches: the commits of each match that stand, in their order.
    gone_back_at: when the store lost commits for the last time, -1 for never.
    revealed_before: matches whose secrets were public when the store lost commits.
    """

    def __init__(self, now: Callable[[], int], on_failure: Callable[[], None]) -> None:
        self.failure = ""
        self.gone_back_at = -1
        self.revealed_before: set[str] = set()
        self.matches: dict[str, list[Fact]] = {}

        self._now = now
        self._on_failure = on_failure
        # Also commits that the store has lost: a client may have been told of them before.
        self._by_hash: dict[str, Fact] = {}

    def demand(self, holds: bool, complaint: str) -> None:
        """Note the first thing that does not hold."""
        if not holds and not self.failure:
            self.failure = complaint
            self._on_failure()

    def has(self, match_id: str, version: int, commit_hash: str) -> bool:
        """Return whether a commit is part of the history as it is."""
        commits = self.matches.get(match_id, [])
        is_version_there = 1 <= version <= len(commits)
        return is_version_there and commits[version - 1].hash == commit_hash

    def known(self, commit_hash: str) -> Fact | None:
        """Return a commit that the store took, also one that it has lost; None if it never did."""
        return self._by_hash.get(commit_hash)

    def is_excused(self, began_at: int) -> bool:
        """Return whether a request may still tell what the store has lost after it began."""
        return began_at <= self.gone_back_at

    def may_be_revealed(self, match_id: str, began_at: int) -> bool:
        """Return whether all secrets of a match may be told to whoever asked at a time.

        They are public at the end. The store may have lost that end after the question.
        """
        was_revealed = match_id in self.revealed_before and self.is_excused(began_at)
        return was_revealed or self._is_revealed(match_id)

    def _is_revealed(self, match_id: str) -> bool:
        commits = self.matches.get(match_id)
        if not commits:
            return False
        last_event: dict[str, Any] = commits[-1].content["events"][-1]
        return bool(last_event["type"] == "secrets_revealed")
