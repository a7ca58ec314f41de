"""`giornale verify`: check a record or a match to the last shuffle."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from service.ops.backup import dump_file
from service.ops.cli import interruptible, sources
from service.ops.cli.bars import records_bar, verifying_bar
from service.ops.cli.errors import CANNOT_READ, failed_reads, importing_journal
from service.ops.cli.output import brief_lines, printable, report_lines
from service.ops.cli.sources import Source, Witnesses, check_witnesses, with_witnesses
from service.record.commit import Json
from service.record.verify import files
from service.record.verify.audit import verify_record
from service.record.verify.files import Finding, Task, Unreadable, check_all
from service.record.verify.report import AuditReport, Wrong

WRONG = 1
PARTLY_CHECKED = 3
EXIT_CODES = {
    "right": 0,
    "partly_checked": PARTLY_CHECKED,
    "unreadable": CANNOT_READ,
    "wrong": WRONG,
}

# From the best to the worst. A wrong record is worse than an unreadable file, which may be right.
_VERDICTS = ("right", "partly_checked", "unreadable", "wrong")

_MOST_JOBS = 256
_AUTO = "auto"


class Jobs(click.IntRange):
    """A number of processes, or "auto": one for each available processor."""

    name = "jobs"

    def __init__(self) -> None:
        super().__init__(1, _MOST_JOBS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number of processes for a word."""
        return processors() if value == _AUTO else super().convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """Return the placeholder of the number in the help."""
        return "N|auto"


def processors() -> int:
    """Return the number of processors available to this process, at most `_MOST_JOBS`."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return min(len(os.sched_getaffinity(0)), _MOST_JOBS)
    return min(os.cpu_count() or 1, _MOST_JOBS)


@dataclass(slots=True)
class FileCheck:
    """The findings in one file.

    is_dump: True if it has many records.   right: number of right and wholly checked records.
    report: report on the only record, if the file is no dump.
    others: reports on the records not right or not wholly checked, in their order.
    missing: reports on the records in the list beside a dump, but not in the dump.
    unreadable: the reason if the file cannot be read to its end, else "".
    """

    name: str
    is_dump: bool
    right: int = 0
    report: AuditReport | None = None
    others: list[AuditReport] = field(default_factory=list)
    missing: list[AuditReport] = field(default_factory=list)
    unreadable: str = ""

    @property
    def verdict(self) -> str:
        """The worst verdict on a record. If the file is unreadable, "unreadable" counts, too."""
        verdicts = [report.verdict for report in self.not_right]
        if self.unreadable:
            verdicts.append("unreadable")
        return worst(verdicts)

    @property
    def not_right(self) -> list[AuditReport]:
        """All reports on records not right or not wholly checked."""
        return self.others + self.missing

    def add(self, report: AuditReport) -> None:
        """Note the report on the next record of the file."""
        if not self.is_dump:
            self.report = report
        if report.verdict == "right":
            self.right += 1
        else:
            self.others.append(report)

    def as_json(self) -> Json:
        """Return the findings as JSON values."""
        if self.is_dump:
            others = [report.as_json() for report in self.not_right]
            findings: Json = {"verdict": self.verdict, "right": self.right, "others": others}
        else:
            findings = {} if self.report is None else dict(self.report.as_json())
        if self.unreadable:
            findings |= {"verdict": self.verdict, "error": self.unreadable}
        return findings


@click.command()
@click.argument("what", metavar="FILE|URL|MATCH...", nargs=-1, required=True)
@with_witnesses
@click.option(
    "--jobs",
    type=Jobs(),
    default=1,
    show_default=True,
    help="Number of processes for the records of files. auto: one for each processor.",
)
@click.option("--strict", is_flag=True, help="End with 1 unless everything was checked.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
def verify(
    what: tuple[str, ...],
    witnesses: Witnesses,
    jobs: int,
    strict: bool,
    as_json: bool,
) -> None:
    """Check records to the last shuffle.

    Or check a match of your own journal. Several arguments must be files: records (also packed by
    gzip) or dumps. Ends with 0 if all was checked and is right, 3 if all that could be checked is
    right, 1 if something is wrong, 2 if something cannot be read. Of several files all readable
    ones are checked, and the worst result counts: 1 before 2 before 3. Ends with 130 if
    interrupted.
    """
    with failed_reads(), interruptible():
        if len(what) > 1:
            verdict = _verify_files(what, witnesses, jobs, as_json)
        elif dump_file.is_dump(what[0]):
            verdict = _verify_dump(what[0], witnesses, jobs, as_json)
        else:
            report = _report_on(what[0], witnesses)
            _print(report, as_json)
            verdict = report.verdict

    exit_code = EXIT_CODES[verdict]
    if strict and exit_code == PARTLY_CHECKED:
        exit_code = WRONG
    sys.exit(exit_code)


def _report_on(what: str, witnesses: Witnesses) -> AuditReport:
    """Check the record in a file or at a URL, else a match of the journal. Raises Unreadable."""
    if Path(what).exists() or what == "-":
        return _verify_source(sources.of_file(what), what, witnesses)
    if sources.is_url(what):
        with sources.asked_for_match(what):
            source = sources.of_match(what, witnesses.token)
        return _verify_source(source, what, witnesses)

    with importing_journal(what):
        from service.ops.cli import local_matches
    return local_matches.audit(what)


def _verify_dump(name: str, witnesses: Witnesses, jobs: int, as_json: bool) -> str:
    """Check every record of a dump and print every fault. Return the verdict.

    Raises Unreadable.
    """
    [checked] = _checked([name], witnesses, jobs)
    if checked.unreadable:
        raise Unreadable(checked.unreadable)

    if as_json:
        click.echo(json.dumps(checked.as_json(), indent=2))
        return checked.verdict

    for line in lines_of_dump(checked):
        click.echo(line)
    return checked.verdict


def _verify_files(names: Sequence[str], witnesses: Witnesses, jobs: int, as_json: bool) -> str:
    """Check every record of files and print the findings in each. Return the worst verdict."""
    checks = _checked(names, witnesses, jobs)
    if as_json:
        click.echo(json.dumps(files_as_json(checks), indent=2))
    else:
        for line in lines_of_files(checks):
            click.echo(line)
    return worst([checked.verdict for checked in checks])


def _checked(names: Sequence[str], witnesses: Witnesses, jobs: int) -> list[FileCheck]:
    """Check files of records with a progress bar. Raises Unreadable."""
    if witnesses.receipts or witnesses.keys or witnesses.bases or witnesses.proofs:
        many = f"{names[0]} holds many records" if len(names) == 1 else "there are many records"
        raise Unreadable(f"{many}: receipts, bases and proofs are checked against one record")

    with records_bar(size_of(names)) as progress:
        return check_files(names, jobs, progress)


def _verify_source(source: Source, name: str, witnesses: Witnesses) -> AuditReport:
    """Check a record, also against its witnesses. Raises Unreadable."""
    lines = lines_of(source, name)
    find_base = sources.bases_at(witnesses.bases)
    with verifying_bar(len(lines)) as progress:
        audit = verify_record(lines, progress, find_base)

    if audit.report.wrong is None:
        try:
            check_witnesses(audit, source, witnesses)
        except Wrong as wrong:
            audit.report.wrong = wrong

    return audit.report


def lines_of(source: Source, name: str) -> list[bytes]:
    """Return the lines of a record. Raises Unreadable if nothing looks like a record."""
    return files.lines_of(source.content, name)


def _print(report: AuditReport, as_json: bool) -> None:
    if as_json:
        # Only ASCII: no text of a record may move the cursor of a terminal.
        click.echo(json.dumps(report.as_json(), indent=2))
        return

    for line in report_lines(report):
        click.echo(line)


# ---- files of records: the findings in each --------------------------------------------------


def worst(verdicts: Sequence[str]) -> str:
    """Return the worst of some verdicts, "right" if there is none."""
    return max(verdicts, key=_VERDICTS.index, default="right")


def check_files(
    names: Sequence[str], processes: int, progress: Callable[[int], None]
) -> list[FileCheck]:
    """Check all records of files in several processes. Return the findings by file.

    progress: called after each record with its size in bytes. Raises ProcessDied.
    """
    checks = [FileCheck(name, dump_file.is_dump(name)) for name in names]
    for finding in check_all(_tasks(checks), processes):
        _note(checks[finding.place], finding)
        progress(finding.size)
    return checks


def size_of(names: Sequence[str]) -> int:
    """Return the size of all existing files in bytes."""
    return sum(map(_size, names))


def _note(checked: FileCheck, finding: Finding) -> None:
    if finding.report is None:
        checked.unreadable = finding.unreadable
    else:
        checked.add(finding.report)


def _tasks(checks: Sequence[FileCheck]) -> Iterator[Task]:
    """Yield a task for every record. Note a fault of a whole file in its FileCheck."""
    for place, checked in enumerate(checks):
        if checked.is_dump:
            yield from _tasks_of_dump(place, checked)
        elif checked.name == "-" or sources.is_url(checked.name):
            checked.unreadable = f"{checked.name} is not a file. Check it alone"
        else:
            yield Task(place, _size(checked.name), checked.name)


def _tasks_of_dump(place: int, checked: FileCheck) -> Iterator[Task]:
    path = Path(checked.name)
    try:
        listed = dump_file.listed_digests(path)
        for dumped in dump_file.records(path):
            yield Task(
                place,
                dumped.size,
                checked.name,
                lines=dumped.lines,
                match=dumped.match,
                listed=listed.pop(dumped.match, ""),
            )
    except Unreadable as error:
        checked.unreadable = str(error)
    else:
        checked.missing = [_missing(match) for match in listed]


def _missing(match: str) -> AuditReport:
    """Return the report on a record in the list beside a dump, but not in the dump."""
    detail = f"the record of match {match} is in the list only"
    return AuditReport(match=match, wrong=Wrong(0, "missing", detail))


def _size(name: str) -> int:
    try:
        return Path(name).stat().st_size
    except OSError:
        return 0


def lines_of_dump(checked: FileCheck) -> Iterator[str]:
    """Yield lines about records not right or not wholly checked, and then the counts."""
    for report in checked.not_right:
        for line in report_lines(report):
            yield f"{printable(report.match)}: {line}"
    yield f"{checked.right} records are right, {_others(checked.not_right)}"


def lines_of_files(checks: Sequence[FileCheck]) -> Iterator[str]:
    """Yield lines about every file, and at the end about all of them."""
    for checked in checks:
        for line in _lines_of_file(checked):
            yield f"{printable(checked.name)}: {line}"

    right = sum(checked.right for checked in checks)
    not_right = [report for checked in checks for report in checked.not_right]
    unreadable = sum(bool(checked.unreadable) for checked in checks)
    yield (
        f"in {len(checks)} files {right} records are right, {_others(not_right)}, and "
        f"{unreadable} files cannot be read"
    )
    for note in _notes(checks):
        yield printable(f"note: {note}")


def files_as_json(checks: Sequence[FileCheck]) -> Json:
    """Return the findings in every file as JSON values."""
    return {
        "verdict": worst([checked.verdict for checked in checks]),
        "right": sum(checked.right for checked in checks),
        "files": [{"file": checked.name, **checked.as_json()} for checked in checks],
    }


def _lines_of_file(checked: FileCheck) -> Iterator[str]:
    if checked.is_dump:
        yield from lines_of_dump(checked)
    elif checked.report is not None:
        yield from brief_lines(checked.report)
    if checked.unreadable:
        yield printable(f"cannot be read: {checked.unreadable}")


def _others(not_right: Sequence[object]) -> str:
    return f"{len(not_right)} are not or not wholly checked"


def _notes(checks: Sequence[FileCheck]) -> list[str]:
    """Return the notes on all files with one record, each note once."""
    notes = [note for checked in checks if checked.report for note in checked.report.notes]
    return list(dict.fromkeys(notes))
