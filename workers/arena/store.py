"""The directory of an arena: its seed, its results, and beside them the records of its matches.

A match is done once its line stands in the file of results. Records are written before that, so a
match that was cut off is played again and its record replaced by an equal one.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import orjson

from service.keys.private_files import write_private
from workers.arena.errors import BadResults, OtherArena
from workers.arena.results import Result, line_of, result_of

ARENA_FILE = "arena.json"
RESULTS_FILE = "results.jsonl"
FORMAT = 1


class Store:
    """The results that were there when it was opened, and a place for more."""

    def __init__(self, results: list[Result], file: BinaryIO) -> None:
        self.results = results
        self._file = file

    def add(self, result: Result) -> None:
        """Add a result; its match is done from here on, whatever happens to this process."""
        self._file.write(line_of(result))
        self._file.flush()


@contextmanager
def opened(directory: Path, seed: int) -> Iterator[Store]:
    """Yield the store in a directory, which is made where there is none.

    Nobody else can open it meanwhile. Raises OtherArena if another process has it open, or if it
    was begun with another seed; raises BadResults if it cannot be read.
    """
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / RESULTS_FILE).open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OtherArena(f"another arena is at work in {directory}") from None

        _demand_seed(directory, seed)
        _cut_torn_line(file, directory)
        yield Store(read(directory), file)


def read(directory: Path) -> list[Result]:
    """Return the results in a directory; a last line that was torn is passed over.

    Raises BadResults.
    """
    path = directory / RESULTS_FILE
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadResults(f"there are no results of an arena: {path}: {error.strerror}") from None

    *lines, _torn = content.split(b"\n")
    results = []
    for number, line in enumerate(lines, start=1):
        try:
            results.append(result_of(line))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise BadResults(f"line {number} of {path} is no result of a match") from None
    return results


def seed_in(directory: Path) -> int:
    """Return the seed with which the arena in a directory was begun; raises BadResults."""
    path = directory / ARENA_FILE
    try:
        settings = orjson.loads(path.read_bytes())
        seed: int = settings["seed"]
        form = settings["format"]
    except (OSError, ValueError, TypeError, KeyError):
        raise BadResults(f"{path} does not say with which seed the arena was begun") from None
    if form != FORMAT:
        raise BadResults(f"{path} was written by another release of Giornale")
    return seed


def _demand_seed(directory: Path, seed: int) -> None:
    """Note the seed of a new arena; raises OtherArena if this one was begun with another."""
    if not (directory / ARENA_FILE).exists():
        write_private(
            directory / ARENA_FILE, orjson.dumps({"format": FORMAT, "seed": seed}) + b"\n"
        )
        return

    begun_with = seed_in(directory)
    if begun_with != seed:
        raise OtherArena(
            f"the arena in {directory} was begun with the seed {begun_with}, not {seed}: go on "
            f"with --seed {begun_with}, or choose another directory with --out"
        )


def _cut_torn_line(file: BinaryIO, directory: Path) -> None:
    """Cut off the last line if its writer was ended in the middle of it."""
    content = (directory / RESULTS_FILE).read_bytes()
    whole_length = content.rfind(b"\n") + 1
    if whole_length < len(content):
        os.truncate(file.fileno(), whole_length)
