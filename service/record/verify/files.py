"""Records in files, packed by gzip or not, and their checks by several processes."""

import hashlib
import multiprocessing
import signal
import sys
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from typing import Generic, TypeVar

from service.record import record
from service.record.verify.audit import verify_record
from service.record.verify.receipts import check_receipts
from service.record.verify.report import AuditReport, Wrong

MOST_BYTES = 256 * 1024 * 1024  # size of an unpacked record: far more than any match has

MOST_LINES = 10_000  # lines of a record: almost twice as many as any match has commits

_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_PATIENCE = 5.0  # seconds for a process without work to end by itself
_MOST_WAITING = 10_000  # results that may wait for an earlier one

Item = TypeVar("Item")
Result = TypeVar("Result")


class Unreadable(Exception):
    """The input cannot be used. The message gives the reason."""


def unpacked(content: bytes, name: str) -> bytes:
    """Return a file's content, unpacked if it is packed by gzip. Raises Unreadable."""
    if not content.startswith(_GZIP):
        return content

    unpacker = zlib.decompressobj(_GZIP_WINDOW)
    try:
        whole = unpacker.decompress(content, MOST_BYTES)
    except zlib.error as error:
        raise Unreadable(f"{name} cannot be unpacked: {error}") from None
    if unpacker.unconsumed_tail:
        raise Unreadable(f"{name} is larger than any record")
    if not unpacker.eof:
        raise Unreadable(f"{name} cannot be unpacked: it was cut short")
    if unpacker.unused_data:
        raise Unreadable(f"{name} has data after its end")
    return whole


def lines_of(content: bytes, name: str) -> list[bytes]:
    """Return the lines of a record.

    Raises Unreadable if the content does not begin like a record, or has more than MOST_LINES
    lines. The checks come before the content is split, since a forged file may hold millions of
    line feeds.
    """
    first, _, _ = content.partition(b"\n")
    if not record.recognised([first]):
        reason = "its first line is not a CloudEvents line with a commit of a match"
        raise Unreadable(f"{name} is not a record: {reason}")
    if content.count(b"\n") > MOST_LINES:
        raise Unreadable(f"{name} is not a record: it has more than {MOST_LINES} lines")
    return record.lines(content)


@dataclass(frozen=True, slots=True)
class Task:
    """A record to check.

    place: place of the file among all files, from 0.   size: bytes of the record in the file.
    name: name of the file.
    lines: lines of the record. None: the record is the whole file, and `check` reads the file.
    match: match of the lines.   listed: SHA-256 of the lines by a list, in hex. "" without a list.
    """

    place: int
    size: int
    name: str
    lines: Sequence[bytes] | None = None
    match: str = ""
    listed: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding on one record.

    place, size: as in its task.   report: None for an unreadable record. `unreadable` has the
        reason.
    """

    place: int
    size: int
    report: AuditReport | None
    unreadable: str = ""


def check_all(tasks: Iterable[Task], processes: int) -> Iterator[Finding]:
    """Yield the findings in the order of the tasks. Raises ProcessDied.

    With one process, the calling process does all checks. At most two tasks for each process are in
    memory.
    """
    return in_order(check, tasks, processes)


def check(task: Task) -> Finding:
    """Check one record. An unreadable record gives a finding, too."""
    if task.lines is not None:
        report = verify_record(task.lines).report
        report.match = report.match or task.match
        _check_listed(task.lines, task.listed, report)
        return Finding(task.place, task.size, report)

    try:
        report = _report_on_file(task.name)
    except Unreadable as error:
        return Finding(task.place, task.size, None, str(error))
    return Finding(task.place, task.size, report)


def _report_on_file(name: str) -> AuditReport:
    """Check the record in a file, without receipts. Raises Unreadable."""
    audit = verify_record(record_in(name))
    if audit.report.wrong is None:
        check_receipts(audit, [], [])
    return audit.report


def record_in(name: str) -> list[bytes]:
    """Return the lines of the record in a file. Raises Unreadable."""
    try:
        content = Path(name).read_bytes()
    except OSError as error:
        raise Unreadable(f"{name}: {error.strerror}") from None
    return lines_of(unpacked(content, name), name)


def _check_listed(lines: Sequence[bytes], listed: str, report: AuditReport) -> None:
    """Compare a right record with its SHA-256 in the list, if there is one."""
    if not listed or report.wrong is not None:
        return
    if hashlib.sha256(b"".join(lines)).hexdigest() != listed:
        detail = "the record does not fit its SHA-256 in the list"
        report.wrong = Wrong(0, "not_listed", detail)


# ---- work shared by several processes ------------------------------------------------------------


class ProcessDied(Exception):
    """A process with work has ended. The message describes its end."""


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], processes: int
) -> Iterator[Result]:
    """Yield the results of some work in the order of the items.

    work: a function of a module. With one process, the calling process calls the function.
    An item is taken shortly before its work: at most two items for each process are in memory. If
    the caller stops, the processes are ended at once. Raises ProcessDied.
    """
    if processes == 1:
        yield from map(work, items)
        return

    with _crew(work, processes) as crew:
        yield from _share_out(crew, iter(items))


def _share_out(crew: "_Crew[Item, Result]", items: Iterator[Item]) -> Iterator[Result]:
    """Hand out items to idle processes, and yield the results in the items' order."""
    results: dict[int, Result] = {}
    numbered = enumerate(items)
    ahead = deque(_some(numbered, crew.size))
    next_number = 0

    while ahead or crew.busy:
        while ahead and crew.has_room and len(results) < _MOST_WAITING:
            number, item = ahead.popleft()
            crew.give(number, item)
            del item

        # The next items are read while the processes work, so no process waits for an item.
        ahead.extend(_some(numbered, crew.size - len(ahead)))
        results.update(crew.finished())

        while next_number in results:
            yield results.pop(next_number)
            next_number += 1


def _some(items: Iterator[Item], most: int) -> Iterator[Item]:
    """Yield at most so many of the items."""
    for _ in range(most):
        try:
            yield next(items)
        except StopIteration:
            return


@dataclass(slots=True)
class _Crew(Generic[Item, Result]):
    """The processes: at most `size`, each started when there is work for it.

    members: all processes by connection.   idle: connections of the processes without work.
    busy: numbers of the items at work, by connection.
    """

    work: Callable[[Item], Result]
    size: int
    members: dict[Connection, BaseProcess] = field(default_factory=dict)
    idle: list[Connection] = field(default_factory=list)
    busy: dict[Connection, int] = field(default_factory=dict)

    @property
    def has_room(self) -> bool:
        """True if a process is idle, or one more may be started."""
        return bool(self.idle) or len(self.members) < self.size

    def give(self, number: int, item: Item) -> None:
        """Hand an item to an idle or a new process. Raises ProcessDied."""
        if not self.idle:
            self._start()
        connection = self.idle.pop()
        self.busy[connection] = number
        try:
            connection.send(item)
        except OSError:
            raise self._death(connection) from None

    def finished(self) -> dict[int, Result]:
        """Wait until a process has done its work. Return the results by their items' numbers.

        Raises ProcessDied.
        """
        results: dict[int, Result] = {}
        for connection in wait(list(self.busy)):
            assert isinstance(connection, Connection)
            try:
                result = connection.recv()
            except (EOFError, OSError):
                raise self._death(connection) from None
            results[self.busy.pop(connection)] = result
            self.idle.append(connection)
        return results

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self.work), daemon=True)
        with _without_interrupts(), _without_program():
            process.start()
        theirs.close()
        self.members[ours] = process
        self.idle.append(ours)

    def _death(self, connection: Connection) -> ProcessDied:
        process = self.members[connection]
        process.join(_PATIENCE)
        return ProcessDied(_how_it_ended(process.exitcode))

    def dismiss(self) -> None:
        """Let all processes end by themselves, as there is no more work."""
        for connection in self.members:
            connection.close()
        for process in self.members.values():
            process.join(_PATIENCE)

    def end(self) -> None:
        """End all remaining processes, also busy ones."""
        for connection, process in self.members.items():
            connection.close()
            process.terminate()
        for process in self.members.values():
            process.join(_PATIENCE)
            process.kill()
            process.join()
            process.close()


@contextmanager
def _crew(work: Callable[[Item], Result], size: int) -> Iterator[_Crew[Item, Result]]:
    """Yield processes for some work. All of them have ended afterwards."""
    crew = _Crew(work, size)
    try:
        yield crew
        crew.dismiss()
    finally:
        crew.end()


def _how_it_ended(exit_code: int | None) -> str:
    """Describe the end of a process."""
    if exit_code is None or exit_code >= 0:
        return f"a process ended early (exit code {exit_code})"

    name = signal.strsignal(-exit_code)
    return f"a process was killed ({name}). The machine may be short of memory"


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block Ctrl-C. A process started now never gets Ctrl-C. Its parent ends it instead."""
    resource_tracker.ensure_running()  # the start of the tracker would let Ctrl-C through
    usual = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)


@contextmanager
def _without_program() -> Iterator[None]:
    """Hide the program's main module, since a process started now would import all of it.

    The work is a function of a module, and does not need the program.
    """
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


def _serve(connection: Connection, work: Callable[[Item], Result]) -> None:
    """Do work for the parent until the parent closes the connection or has ended."""
    while True:
        try:
            item = connection.recv()
        except (EOFError, OSError):
            return

        result = work(item)
        with suppress(OSError):
            connection.send(result)
