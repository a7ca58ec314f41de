"""Records in files: read, also where they are packed by gzip, and checked by several processes."""

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

MOST_BYTES = 256 * 1024 * 1024  # of a record that is unpacked: far more than any match has

MOST_LINES = 10_000  # of a record: twice as many as any match has commits

_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_PATIENCE = 5.0  # seconds for a process without work to end by itself
_MOST_WAITING = 10_000  # results that may wait for an earlier one

Item = TypeVar("Item")
Result = TypeVar("Result")


class Unreadable(Exception):
    """It cannot be read at all; the message says why."""


def unpacked(content: bytes, name: str) -> bytes:
    """Return what a file holds: unpacked where it is packed by gzip, else as it is.

    Raises Unreadable.
    """
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
        raise Unreadable(f"{name} holds more than its end")
    return whole


def lines_of(content: bytes, name: str) -> list[bytes]:
    """Return the lines of a record.

    Raises Unreadable if nothing in it looks like one, or it has more lines than any match. Both are
    found before it is split, since a forged one may hold millions of line feeds.
    """
    first, _, _ = content.partition(b"\n")
    if not record.recognised([first]):
        reason = "its first line is not a CloudEvents line with a commit of a match"
        raise Unreadable(f"{name} is no record: {reason}")
    if content.count(b"\n") > MOST_LINES:
        raise Unreadable(f"{name} is no record: it has more than {MOST_LINES} lines")
    return record.lines(content)


@dataclass(frozen=True, slots=True)
class Task:
    """A record that is to be checked.

    place: the file's among all files, from 0.   size: how many bytes of the file it takes.
    name: of the file.   lines: the record's; None: they are the whole file, which is read then.
    match: the one that lines name.   listed: the SHA-256 that they must have, in hex; "" if there
    is no such list.
    """

    place: int
    size: int
    name: str
    lines: Sequence[bytes] | None = None
    match: str = ""
    listed: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one record.

    place, size: as in its task.   report: None if it cannot be read; `unreadable` then says why.
    """

    place: int
    size: int
    report: AuditReport | None
    unreadable: str = ""


def check_all(tasks: Iterable[Task], processes: int) -> Iterator[Finding]:
    """Yield what is found of each record, in their order; raises ProcessDied.

    With one process all is done in this one. Not more than two tasks for each process are in
    memory.
    """
    return in_order(check, tasks, processes)


def check(task: Task) -> Finding:
    """Check one record. What cannot be read is a finding, too."""
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
    """Check the record in a file, for which there are no receipts; raises Unreadable."""
    try:
        content = Path(name).read_bytes()
    except OSError as error:
        raise Unreadable(f"{name}: {error.strerror}") from None

    audit = verify_record(lines_of(unpacked(content, name), name))
    if audit.report.wrong is None:
        check_receipts(audit, [], [])
    return audit.report


def _check_listed(lines: Sequence[bytes], listed: str, report: AuditReport) -> None:
    """Hold a record against the SHA-256 that a list has for it, where there is a list."""
    if not listed or report.wrong is not None:
        return
    if hashlib.sha256(b"".join(lines)).hexdigest() != listed:
        detail = "the record is not the one whose SHA-256 is in the list"
        report.wrong = Wrong(0, "not_listed", detail)


# ---- work that several processes share -----------------------------------------------------------


class ProcessDied(Exception):
    """A process that had work to do has ended; the message says how."""


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], processes: int
) -> Iterator[Result]:
    """Yield the result of some work for each item, in their order.

    work: a function of a module; with one process it is called in this one. An item is taken only
    when it is soon needed: at most two for each process are in memory. If the caller stops, the
    processes are ended at once. Raises ProcessDied.
    """
    if processes == 1:
        yield from map(work, items)
        return

    with _crew(work, processes) as crew:
        yield from _shared_out(crew, iter(items))


def _shared_out(crew: "_Crew[Item, Result]", items: Iterator[Item]) -> Iterator[Result]:
    """Hand out items to processes without work; yield the results in the items' order."""
    results: dict[int, Result] = {}
    numbered = enumerate(items)
    ahead = deque(_some(numbered, crew.size))
    next_number = 0

    while ahead or crew.busy:
        while ahead and crew.has_room and len(results) < _MOST_WAITING:
            number, item = ahead.popleft()
            crew.give(number, item)
            del item

        # The next items are read while the processes work, so that none has to wait for its own.
        ahead.extend(_some(numbered, crew.size - len(ahead)))
        results.update(crew.finished())

        while next_number in results:
            yield results.pop(next_number)
            next_number += 1


def _some(items: Iterator[Item], most: int) -> Iterator[Item]:
    """Yield so many of the items at the most."""
    for _ in range(most):
        try:
            yield next(items)
        except StopIteration:
            return


@dataclass(slots=True)
class _Crew(Generic[Item, Result]):
    """The processes: at most `size`, each started when there is work for it.

    members: all of them, by the connection to each.   idle: those without work.
    busy: the number of the item that each of the others has.
    """

    work: Callable[[Item], Result]
    size: int
    members: dict[Connection, BaseProcess] = field(default_factory=dict)
    idle: list[Connection] = field(default_factory=list)
    busy: dict[Connection, int] = field(default_factory=dict)

    @property
    def has_room(self) -> bool:
        """Whether somebody has nothing to do, or one more process may be started."""
        return bool(self.idle) or len(self.members) < self.size

    def give(self, number: int, item: Item) -> None:
        """Hand an item to a process without work; raises ProcessDied."""
        if not self.idle:
            self._start()
        connection = self.idle.pop()
        self.busy[connection] = number
        try:
            connection.send(item)
        except OSError:
            raise self._death(connection) from None

    def finished(self) -> dict[int, Result]:
        """Wait until a process has done its work; return the results by their items' numbers.

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
        """End all processes that are left, whatever they do."""
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
    """Yield processes that do some work; afterwards none of them is left."""
    crew = _Crew(work, size)
    try:
        yield crew
        crew.dismiss()
    finally:
        crew.end()


def _how_it_ended(exit_code: int | None) -> str:
    """Return in words how a process has ended."""
    if exit_code is None or exit_code >= 0:
        return f"a process ended before its work was done (exit code {exit_code})"

    name = signal.strsignal(-exit_code)
    return f"a process was ended from outside ({name}); the machine may be short of memory"


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold back Ctrl-C: a process that is started now never gets it, as its parent ends it."""
    resource_tracker.ensure_running()  # it would let Ctrl-C through when it starts
    usual = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)


@contextmanager
def _without_program() -> Iterator[None]:
    """Hide which program this is: a process that is started now would import all of it.

    For `giornale` that is all of the service: 1.5 s of a processor and 67 MB, instead of 0.5 s and
    32 MB for what verifies. The work is a function of a module, and needs no program.
    """
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


def _serve(connection: Connection, work: Callable[[Item], Result]) -> None:
    """Do work for the parent until it closes the connection, or has ended itself."""
    while True:
        try:
            item = connection.recv()
        except (EOFError, OSError):
            return

        result = work(item)
        with suppress(OSError):
            connection.send(result)
