"""What bots have weighed: kept beside the history of a match, and told after its end."""

from bisect import bisect_right
from collections.abc import Sequence

import orjson

from domain.errors import MatchRuleBroken
from service.errors import Illegal
from service.ledger.canonical import Json
from service.ledger.replay import Loaded
from service.matches.desk import Desk
from service.matches.playing import posted
from service.matches.thoughts import Candidate, Thought

MOST_THOUGHT = 4096  # bytes of one thought; of a longer one fewer moves are kept
DIGITS = 3  # of a chance of winning, after the point


def kept(thought: Thought, seat: int, level: str, version: int) -> bytes:
    """Return a bot's thought as the journal keeps it, b"" if nothing was weighed.

    version: what the commit of the move makes.
    """
    best = candidates(thought.best)
    while best:
        told = {
            "version": version,
            "seat": seat,
            "level": level,
            "iterations": thought.iterations,
            "best": best,
        }
        line = orjson.dumps(told)
        if len(line) <= MOST_THOUGHT:
            return line
        best.pop()
    return b""


def candidates(best: Sequence[Candidate]) -> list[Json]:
    """Return moves that were weighed as they may be posted, each with its chance of winning."""
    return [{"move": posted(one.move), "win_chance": round(one.win_chance, DIGITS)} for one in best]


def version_of(line: bytes) -> int:
    """Return the version of a thought that is kept; raises ValueError, KeyError, TypeError."""
    version: int = orjson.loads(line)["version"]
    return version


def check_told(loaded: Loaded) -> None:
    """Raise Illegal while nobody may hear what bots have thought: until the revelation (M9)."""
    if loaded.match.revealed:
        return
    detail = (
        "What bots think tells of their cards, so it stays sealed until the match has ended and "
        "the house has revealed its secrets."
    )
    broken = MatchRuleBroken("not_revealed", "M9", detail)
    raise Illegal(broken, loaded.version, loaded.match.game.key)


def told(desk: Desk, loaded: Loaded, after: int) -> list[bytes]:
    """Return what bots have thought of the moves after a version, as it is kept, oldest first."""
    lines = desk.journal.thoughts(loaded.id)
    first = bisect_right(lines, after, key=version_of)
    return lines[first:]
