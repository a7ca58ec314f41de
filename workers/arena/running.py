"""Many matches at once, each in one of several processes, which end when this one does."""

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from pathlib import Path

from workers.arena.errors import MatchFailed
from workers.arena.fixtures import Fixture
from workers.arena.playing import play
from workers.arena.results import Result

_NICENESS = 10  # so that a machine with an arena on it can be used for other things


def run(
    fixtures: Sequence[Fixture], arena_seed: int, directory: Path, processes: int
) -> Iterator[Result]:
    """Play matches and yield their results as they come.

    If the caller stops, or a match fails, the processes are ended at once and the matches they are
    at are given up. Raises MatchFailed.
    """
    context = multiprocessing.get_context("spawn")
    until_closed, held_open = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(
        max_workers=min(processes, len(fixtures)) or 1,
        mp_context=context,
        initializer=_begin,
        initargs=(until_closed,),
    )
    try:
        futures = [executor.submit(_play, one, arena_seed, directory) for one in fixtures]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise MatchFailed("a process of the arena was ended from outside") from None
    except BaseException:
        # The processes end by themselves, at once. Otherwise they would finish their matches first.
        held_open.close()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        held_open.close()
        until_closed.close()


def _play(fixture: Fixture, arena_seed: int, directory: Path) -> Result:
    """Play a match; raises MatchFailed, as not every error can pass from process to process."""
    try:
        return play(fixture, arena_seed, directory)
    except Exception:  # noqa: BLE001 - whatever is wrong with a bot or a game
        raise MatchFailed(f"{fixture.record} failed\n{traceback.format_exc()}") from None


def _begin(until_closed: Connection) -> None:
    """Prepare a new process: it gives way to others, and Ctrl-C is its parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    watcher = threading.Thread(target=_end_with_parent, args=(until_closed,), daemon=True)
    watcher.start()


def _end_with_parent(until_closed: Connection) -> None:
    """End this process as soon as its parent closes the other end, or has ended."""
    until_closed.poll(None)
    os._exit(0)
