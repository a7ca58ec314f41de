"""Writers that go on through resharding and failover, and what they were told."""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from service.journal.errors import Conflict, JournalError, JournalUnavailable, Unconfirmed
from service.journal.port import Journal
from service.journal.values import Entry, Head

_PAUSE_SECONDS = 0.02  # after an answer that was none


@dataclass(slots=True)
class Told:
    """What the journal has told about one match.

    acknowledged: the bytes of each version that was acknowledged, by version.
    went_back: at which version the journal was found below what it had acknowledged, 0 if never.
    """

    acknowledged: dict[int, bytes] = field(default_factory=dict)
    went_back: int = 0


@dataclass(frozen=True, slots=True)
class Findings:
    """What is left in the journal of what was acknowledged.

    lost: acknowledged versions that are not there, or are others, as match and version.
    noticed: matches whose writer met a journal that had gone back.
    """

    acknowledged: int
    lost: list[tuple[str, int]]
    doubled: list[str]
    noticed: list[str]


class Load:
    """Threads that each append to matches of their own, repeating what was not acknowledged.

    size: bytes of each commit, beside its name.
    """

    def __init__(
        self, journal: Journal, *, writers: int, matches: int, name: str = "m", size: int = 100
    ) -> None:
        self._journal = journal
        self._size = size
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self.told = {f"{name}{number}": Told() for number in range(writers * matches)}
        self.answers: Counter[str] = Counter()

        names = list(self.told)
        self._groups = [names[first : first + matches] for first in range(0, len(names), matches)]
        self._threads = [threading.Thread(target=self._write, args=[own]) for own in self._groups]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Write until the end of the block."""
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join()

    def acknowledged(self) -> int:
        """Return how many commits were acknowledged so far."""
        return self.answers["made"] + self.answers["repeated"]

    def progress(self, matches: list[str]) -> int:
        """Return how many commits of some matches were acknowledged so far."""
        return sum(len(self.told[match].acknowledged) for match in matches)

    def progress_of_writers(self) -> list[int | None]:
        """Return how many commits each writer was acknowledged, None if one has met a loss."""
        met_loss = [any(self.told[match].went_back for match in own) for own in self._groups]
        counts = [self.progress(own) for own in self._groups]
        return [None if has_met else count for has_met, count in zip(met_loss, counts, strict=True)]

    def findings(self) -> Findings:
        """Compare the journal with what was told; the writers must have ended."""
        lost, doubled = [], []
        for match, told in self.told.items():
            stored = self._journal.events.read(match)
            if len(set(stored)) != len(stored):
                doubled.append(match)
            for version, commit_bytes in told.acknowledged.items():
                if stored[version - 1 : version] != [commit_bytes]:
                    lost.append((match, version))

        return Findings(
            acknowledged=sum(len(told.acknowledged) for told in self.told.values()),
            lost=lost,
            doubled=doubled,
            noticed=[match for match, told in self.told.items() if told.went_back],
        )

    def _write(self, matches: list[str]) -> None:
        """Append to each match in turn; a match whose journal has gone back is left."""
        for match in itertools.cycle(matches):
            if self._stop.is_set():
                return
            told = self.told[match]
            if not told.went_back:
                self._append(match, told)
            elif all(self.told[one].went_back for one in matches):
                return

    def _append(self, match: str, told: Told) -> None:
        """Append the next commit, again and again until it is acknowledged."""
        new = next_entry(match, len(told.acknowledged) + 1, self._size)
        while not self._stop.is_set():
            try:
                appended = self._journal.events.append(new)
            except Conflict:
                told.went_back = new.expected + 1
                self._count("went back")
                return
            except (Unconfirmed, JournalUnavailable) as error:
                self._count(type(error).__name__)
                time.sleep(_PAUSE_SECONDS)
                continue
            except JournalError as error:
                # The chain is broken where other commits stand than those acknowledged.
                told.went_back = new.expected + 1
                self._count(type(error).__name__)
                return

            told.acknowledged[new.expected + 1] = new.commit_bytes
            self._count("repeated" if appended.repeated else "made")
            return

    def _count(self, answer: str) -> None:
        with self._lock:
            self.answers[answer] += 1


def next_entry(match: str, version: int, size: int) -> Entry:
    """Return the commit that makes a version, with an id by which it may be repeated."""
    return Entry(
        match=match,
        expected=version - 1,
        prev=f"h{version - 1}" if version > 1 else "",
        commit_bytes=f"{match}:{version}:".encode() + b"x" * size,
        command_id=f"c{version}",
        fingerprint="f",
        head=Head(
            version=version,
            hash=f"h{version}",
            status="running",
            work="bots" if version % 2 else "",
            waiting=(0,),
            game="calimala",
            visibility="public",
            created=1_000,
            updated=1_000 + version,
        ),
    )
