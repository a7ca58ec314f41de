"""Evaluations of bots: stored beside the history of a match."""

from collections.abc import Sequence

import orjson

from service.base import answers
from service.matches.bots import EvaluatedMove, Evaluation
from service.matches.moves import posted

MOST_BYTES = 4096  # of one evaluation; of a longer one fewer moves are stored
DIGITS = 3  # of a chance of winning, after the point


def stored(evaluation: Evaluation, seat: int, level: str, version: int) -> bytes:
    """Return a bot's evaluation as the journal stores it, b"" if no moves were compared.

    version: what the commit of the move makes.
    """
    best = candidates(evaluation.best)
    while best:
        fields = {
            "version": version,
            "seat": seat,
            "level": level,
            "iterations": evaluation.iterations,
            "best": best,
        }
        line = orjson.dumps(fields)
        if len(line) <= MOST_BYTES:
            return line
        best.pop()
    return b""


def candidates(best: Sequence[EvaluatedMove]) -> list[answers.Candidate]:
    """Return evaluated moves as they may be posted, each with its chance of winning."""
    return [{"move": posted(one.move), "win_chance": round(one.win_chance, DIGITS)} for one in best]


def version_of(line: bytes) -> int:
    """Return the version of a stored evaluation; raises ValueError, KeyError, TypeError."""
    version: int = orjson.loads(line)["version"]
    return version
