"""Many records checked, by one process or by several at once."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from service.verify.audit import verify_record
from service.verify.files import Unreadable, lines_of, unpacked
from service.verify.processes import in_order
from service.verify.receipts import check_receipts
from service.verify.report import Report, Wrong


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
    report: Report | None
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


def _report_on_file(name: str) -> Report:
    """Check the record in a file, for which there are no receipts; raises Unreadable."""
    try:
        content = Path(name).read_bytes()
    except OSError as error:
        raise Unreadable(f"{name}: {error.strerror}") from None

    audit = verify_record(lines_of(unpacked(content, name), name))
    if audit.report.wrong is None:
        check_receipts(audit, [], [])
    return audit.report


def _check_listed(lines: Sequence[bytes], listed: str, report: Report) -> None:
    """Hold a record against the SHA-256 that a list has for it, where there is a list."""
    if not listed or report.wrong is not None:
        return
    if hashlib.sha256(b"".join(lines)).hexdigest() != listed:
        detail = "the record is not the one whose SHA-256 is in the list"
        report.wrong = Wrong(0, "not_listed", detail)
