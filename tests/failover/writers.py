"""Writers that go on through resharding and failover. All that they are answered is noted."""

import itertools
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from redis import Redis

from service.store.journal.errors import Conflict, JournalError, JournalUnavailable, Unconfirmed
from service.store.journal.ports import Journal
from service.store.journal.values import Entry, Head
from tests.promises.broken import content
from tests.promises.checker import CHANGED, LOST, Finding, canonical, check, hash_of
from tests.promises.history import ANSWERED, CREATED, UNKNOWN, History, Try
from tests.promises.stored import StoredJournal, read_journal
from tests.redis_cluster import RunningCluster
from tests.redis_node import HOST, Node

PAUSE_SECONDS = 0.02  # after an answer that was none
STALE = 412
BROKEN = 409
WENT_BACK = "went back"


@dataclass(slots=True)
class Written:
    """The acknowledged part of a match: its last version and hash.

    went_back: the version at which the journal was found below its acknowledged one, 0 if never.
    """

    version: int = 0
    hash: str = ""
    went_back: int = 0


class Writers:
    """Threads that each append to other matches, and repeat unacknowledged commits."""

    def __init__(self, journal: Journal, *, writers: int, matches: int, name: str = "") -> None:
        self.history = History()
        self._journal = journal
        self._stop = threading.Event()
        self._problems: list[str] = []
        self.written = {match_id(f"{name}{n}"): Written() for n in range(writers * matches)}

        ids = list(self.written)
        self._groups = [ids[first : first + matches] for first in range(0, len(ids), matches)]
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

    def count(self, problem: str) -> int:
        """Return the number of tries that ended with a problem so far."""
        return self._problems.count(problem)

    def noticed(self) -> list[str]:
        """Return the matches with a writer that met a journal that had gone back."""
        return [match for match, written in self.written.items() if written.went_back]

    def progress(self, matches: Sequence[str]) -> int:
        """Return the number of acknowledged commits of some matches so far."""
        return sum(self.written[match].version for match in matches)

    def progress_of_each(self) -> list[int | None]:
        """Return the number of acknowledged commits of each writer, None if one has met a loss."""
        lossy = set(self.noticed())
        return [None if lossy.intersection(own) else self.progress(own) for own in self._groups]

    def findings_in(self, cluster: RunningCluster) -> list[Finding]:
        """Return every promise broken to these writers, as soon as the cluster is whole.

        A killed master that comes back still calls itself a master, until it hears of the new one.
        """
        cluster.wait_until_whole()
        return self.findings(cluster.masters())

    def findings(self, masters: Sequence[Node]) -> list[Finding]:
        """Return every promise broken to these writers. They must have ended."""
        findings = check(self.history.kept(), stored_on(masters), ended=False)
        return [one for one in findings if one.match in self.written]

    def _write(self, matches: list[str]) -> None:
        """Append to each match in turn. A match with a journal that has gone back is left."""
        for match in itertools.cycle(matches):
            if self._stop.is_set() or all(self.written[one].went_back for one in matches):
                return
            if not self.written[match].went_back:
                self._append(match, self.written[match])

    def _append(self, match: str, written: Written) -> None:
        """Append the next commit, again and again until it is acknowledged."""
        new = next_entry(match, written.version, written.hash)
        request = self.history.next_request()
        while not self._stop.is_set():
            attempt = self._begin(request, new)
            try:
                appended = self._journal.events.append(new)
            except (Unconfirmed, JournalUnavailable) as error:
                problem = type(error).__name__
                self._problems.append(problem)
                self.history.end(attempt, UNKNOWN, problem=problem)
                time.sleep(PAUSE_SECONDS)
                continue
            except JournalError as error:
                # It is at another version, or other commits stand there than were acknowledged.
                written.went_back = new.expected + 1
                status = STALE if isinstance(error, Conflict) else BROKEN
                self._problems.append(WENT_BACK)
                self.history.end(attempt, ANSWERED, status=status, problem=WENT_BACK)
                return

            written.version, written.hash = appended.version, new.head.hash
            self.history.end(
                attempt,
                ANSWERED,
                status=CREATED,
                version=appended.version,
                told=((appended.version, new.head.hash),),
                repeated=appended.repeated,
            )
            return

    def _begin(self, request: int, new: Entry) -> Try:
        actor, _, key = new.command_id.rpartition(":")
        return self.history.begin(
            request,
            threading.current_thread().name,
            "move" if new.expected else "open",
            match=new.match,
            actor=actor,
            key=key,
            expected=new.expected,
        )


def lost(findings: Sequence[Finding]) -> set[tuple[str, int]]:
    """Return the acknowledged commits that are missing or changed: match and version."""
    return {(one.match, one.version) for one in findings if one.rule in (LOST, CHANGED)}


def match_id(name: str) -> str:
    """Return an id for a match with a short name."""
    letters = str.maketrans("0123456789-", "abcdefghijk")
    return name.translate(letters).rjust(26, "m")


def stored_on(masters: Sequence[Node]) -> StoredJournal:
    """Return all that the masters of a cluster hold."""
    whole = StoredJournal()
    for node in masters:
        with Redis(HOST, node.port) as client:
            part = read_journal(client)
        whole.matches |= part.matches
        whole.feeds |= part.feeds
        whole.pending |= part.pending
        whole.listing |= part.listing
    return whole


def next_entry(match: str, version: int, prev: str) -> Entry:
    """Return the commit after a version, with an id for its repetition."""
    new_version = version + 1
    event = "moved" if version else "match_opened"
    commit = content(match, new_version, prev, "seat:0", event)
    digest = hash_of(commit)
    return Entry(
        match=match,
        expected=version,
        prev=prev,
        commit_bytes=canonical({"commit": commit, "hash": digest, "secrets": {}}),
        command_id=f"seat:0:c{new_version}" if version else "open",
        fingerprint="f",
        head=Head(
            version=new_version,
            hash=digest,
            status="running",
            awaiting="bots" if new_version % 2 else "",
            waiting=(0,),
            game="calimala",
            visibility="public",
            created=1_000,
            updated=1_000 + new_version,
        ),
    )
