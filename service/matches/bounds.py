"""How long a match may grow, here (M12) and in a record from elsewhere.

These are limits of the service, not of the games.
"""

from typing import Any

from domain.errors import MatchRuleBroken
from domain.match.messages import Abort, Join, Leave, Replace, Restore

MOST_COMMITS = 5_000
MOST_COMMITS_AROUND = 1_000  # the last version that joins, leaves and changes of bots may make
MOST_RECORD_COMMITS = MOST_COMMITS + 100  # what the house adds to a match at its limit
MOST_LINE = 1024 * 1024  # bytes of one commit in a record
AROUND = (Join, Leave, Replace, Restore)


def require_room(version: int, command: Any) -> None:
    """Raise RuleBroken if a match at a version takes no further commit of this kind (M12).

    The house does not ask here: what it has to do to end a match is always allowed.
    """
    if isinstance(command, Abort):
        return

    if isinstance(command, AROUND) and version >= MOST_COMMITS_AROUND:
        detail = (
            f"The match has {version} commits; seats change hands only up to version "
            f"{MOST_COMMITS_AROUND}. It can be played on, started or aborted."
        )
        raise MatchRuleBroken("too_many_commits", "M12", detail)

    if version >= MOST_COMMITS:
        detail = (
            f"The match has {version} commits, of {MOST_COMMITS} at most; "
            "its owner can only abort it."
        )
        raise MatchRuleBroken("too_many_commits", "M12", detail)
