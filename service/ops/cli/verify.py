"""`giornale verify`: check a record or a match to the last shuffle."""

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import orjson
from zstandard import ZstdDecompressor, ZstdError

from service.matches import records as match_records
from service.ops.backup.export import RECORD_SUFFIX, files_of
from service.ops.cli import interruptible, sources
from service.ops.cli.bars import records_bar, verifying_bar
from service.ops.cli.errors import CANNOT_READ, failed_requests
from service.ops.cli.local_journal import context_instead_of
from service.ops.cli.output import brief_lines, printable, report_lines
from service.ops.cli.sources import Source, Witnesses, check_witnesses, with_witnesses
from service.record.commit import Json
from service.record.verify import files
from service.record.verify.audit import verify_record
from service.record.verify.files import MOST_BYTES, MOST_LINES, Finding, Task, Unreadable, check_all
from service.record.verify.report import AuditReport, Wrong
from service.store.journal.errors import JournalError

WRONG = 1
PARTLY_CHECKED = 3
EXIT_CODES = {
    "right": 0,
    "partly_checked": PARTLY_CHECKED,
    "unreadable": CANNOT_READ,
    "wrong": WRONG,
}

# From the best to the worst. A record that is wrong is a finding; a file that cannot be read only
# leaves open whether there is one.
_VERDICTS = ("right", "partly_checked", "unreadable", "wrong")

_MAGIC = b"\x28\xb5\x2f\xfd"  # of a frame of zstd (RFC 8878)
_MOST_LINE = 64 * 1024 * 1024
_PIECE = 65_536  # bytes read at once
_UNPACKED_PIECE = 256  # bytes unpacked at once

# How the line of a commit ends. To find its match there takes a tenth of the time that it takes to
# parse the line, and every line is parsed once more when it is checked.
_ENDING = re.compile(rb',"subject":"([\w-]+)","time":"[^"\\]*","type":"[^"\\]*"\}\n')
_MOST_ENDING = 200

_MOST_JOBS = 256
_AUTO = "auto"


class Jobs(click.IntRange):
    """A number of processes, or "auto": one for each processor that this process may use."""

    name = "jobs"

    def __init__(self) -> None:
        super().__init__(1, _MOST_JOBS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number that a word stands for."""
        return processors() if value == _AUTO else super().convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """Return what stands for the number in the help."""
        return "N|auto"


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return min(len(os.sched_getaffinity(0)), _MOST_JOBS)
    return min(os.cpu_count() or 1, _MOST_JOBS)


@dataclass(slots=True)
class FileCheck:
    """What was found in one file.

    is_dump: whether it holds many records.   right: how many of them are right and wholly checked.
    report: on the one record of a file that is no dump.
    others: on the records that are not right, or not wholly checked, in their order.
    missing: on those that the list beside a dump has, and the dump has not.
    unreadable: why it cannot be read, or not to its end; "" if it was.
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
        """The worst verdict on a record, or "unreadable" if none is wrong."""
        verdicts = [report.verdict for report in self.not_right]
        if self.unreadable:
            verdicts.append("unreadable")
        return worst(verdicts)

    @property
    def not_right(self) -> list[AuditReport]:
        """All reports on records that are not right, or not wholly checked."""
        return self.others + self.missing

    def add(self, report: AuditReport) -> None:
        """Note what was found of its next record."""
        if not self.is_dump:
            self.report = report
        if report.verdict == "right":
            self.right += 1
        else:
            self.others.append(report)

    def as_json(self) -> Json:
        """Return what was found as JSON values."""
        if self.is_dump:
            others = [report.as_json() for report in self.not_right]
            found: Json = {"verdict": self.verdict, "right": self.right, "others": others}
        else:
            found = {} if self.report is None else dict(self.report.as_json())
        if self.unreadable:
            found |= {"verdict": self.verdict, "error": self.unreadable}
        return found


@click.command()
@click.argument("what", metavar="FILE|URL|MATCH...", nargs=-1, required=True)
@with_witnesses
@click.option(
    "--jobs",
    type=Jobs(),
    default=1,
    show_default=True,
    help="How many processes check the records of files; auto: as many as there are processors.",
)
@click.option("--strict", is_flag=True, help="End with 1 unless all was checked.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
def verify(
    what: tuple[str, ...],
    witnesses: Witnesses,
    jobs: int,
    strict: bool,
    as_json: bool,
) -> None:
    """Check records, or a match of one's own journal, to the last shuffle.

    Several must be files: records (also packed by gzip) or dumps. Ends with 0 if all was checked
    and is right, 3 if all that could be checked is right, 1 if something is wrong, 2 if something
    cannot be read; of several files all that can be read are checked, and the worst counts, 1
    before 2 before 3. Ends with 130 if it was interrupted.
    """
    with failed_requests(), interruptible():
        if len(what) > 1:
            verdict = _verify_files(what, witnesses, jobs, as_json)
        elif names_dump(what[0]):
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
    """Check the record in a file or at a URL, or else the match of this id; raises Unreadable."""
    if Path(what).exists() or what == "-":
        return _verify_source(sources.of_file(what), what, witnesses)
    if sources.is_url(what):
        with sources.asked_for_match(what):
            source = sources.of_match(what, witnesses.token)
        return _verify_source(source, what, witnesses)
    return _audit_match(what)


def _verify_dump(name: str, witnesses: Witnesses, jobs: int, as_json: bool) -> str:
    """Check every record of a dump and print what is not right; return the verdict.

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
    """Check every record of files and print what was found in each; return the worst verdict."""
    found = _checked(names, witnesses, jobs)
    if as_json:
        click.echo(json.dumps(files_as_json(found), indent=2))
    else:
        for line in lines_of_files(found):
            click.echo(line)
    return worst([checked.verdict for checked in found])


def _checked(names: Sequence[str], witnesses: Witnesses, jobs: int) -> list[FileCheck]:
    """Check files of records, and show how far it is; raises Unreadable."""
    if witnesses.receipts or witnesses.keys or witnesses.bases or witnesses.proofs:
        many = f"{names[0]} holds many records" if len(names) == 1 else "there are many records"
        raise Unreadable(f"{many}: receipts, bases and proofs are checked against one record")

    with records_bar(size_of(names)) as progress:
        return check_files(names, jobs, progress)


def _verify_source(source: Source, name: str, witnesses: Witnesses) -> AuditReport:
    """Check a record, and hold it against what its server and the receipts say.

    Raises Unreadable.
    """
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
    """Return the lines of a record; raises Unreadable where nothing in it looks like one."""
    return files.lines_of(source.content, name)


def _audit_match(match: str) -> AuditReport:
    """Audit a match of the local journal; raises Unreadable if there is none of that id."""
    with context_instead_of(match) as ctx:
        no_file = f"there is no file {match}"
        try:
            head = ctx.journal.events.head(match)
        except JournalError as error:
            reason = f"the journal cannot be asked for a match: {error}"
            raise Unreadable(f"{no_file}, and {reason}") from None
        if head is None:
            raise Unreadable(f"{no_file}, and no such match in the journal")

        with verifying_bar(head.version) as progress:
            return match_records.audit(ctx, match, progress=progress)


def _print(report: AuditReport, as_json: bool) -> None:
    if as_json:
        # In ASCII, so that no text of a record moves a cursor.
        click.echo(json.dumps(report.as_json(), indent=2))
        return

    for line in report_lines(report):
        click.echo(line)


# ---- files of records: what was found in each ------------------------------------------------


def worst(verdicts: Sequence[str]) -> str:
    """Return the worst of some verdicts, "right" if there is none."""
    return max(verdicts, key=_VERDICTS.index, default="right")


def check_files(
    names: Sequence[str], processes: int, progress: Callable[[int], None]
) -> list[FileCheck]:
    """Check all records of files with so many processes; return what was found, file by file.

    progress: takes after each record how many bytes of a file it was. Raises ProcessDied.
    """
    checks = [FileCheck(name, names_dump(name)) for name in names]
    for finding in check_all(_tasks(checks), processes):
        _note(checks[finding.place], finding)
        progress(finding.size)
    return checks


def size_of(names: Sequence[str]) -> int:
    """Return how many bytes files have, as far as they are there."""
    return sum(map(_size, names))


def _note(checked: FileCheck, finding: Finding) -> None:
    if finding.report is None:
        checked.unreadable = finding.unreadable
    else:
        checked.add(finding.report)


def _tasks(checks: Sequence[FileCheck]) -> Iterator[Task]:
    """Yield every record of the files; what is wrong with a file as a whole is noted in it."""
    for place, checked in enumerate(checks):
        if checked.is_dump:
            yield from _tasks_of_dump(place, checked)
        elif checked.name == "-" or sources.is_url(checked.name):
            checked.unreadable = f"{checked.name} is no file: it is checked alone"
        else:
            yield Task(place, _size(checked.name), checked.name)


def _tasks_of_dump(place: int, checked: FileCheck) -> Iterator[Task]:
    path = Path(checked.name)
    try:
        listed = listed_digests(path)
        for dumped in records(path):
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
    """Return the report on a record that the list beside a dump has, and the dump has not."""
    detail = f"the record of match {match} is in the list only"
    return AuditReport(match=match, wrong=Wrong(0, "missing", detail))


def _size(name: str) -> int:
    try:
        return Path(name).stat().st_size
    except OSError:
        return 0


def lines_of_dump(checked: FileCheck) -> Iterator[str]:
    """Yield lines about the records of a dump that are not right, and how many are."""
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
        f"in {len(checks)} files {right} records are right, {_others(not_right)}; "
        f"{unreadable} files cannot be read"
    )
    for note in _notes(checks):
        yield printable(f"note: {note}")


def files_as_json(checks: Sequence[FileCheck]) -> Json:
    """Return what was found in every file as JSON values."""
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
    """Return what no check can tell of any of the records, each sentence once."""
    notes = [note for checked in checks if checked.report for note in checked.report.notes]
    return list(dict.fromkeys(notes))


# ---- a dump as it lies on a disk: its records one after the other, and the lists beside it ---


@dataclass(frozen=True, slots=True)
class DumpedRecord:
    """A record of a dump: its match, its lines, and how many bytes of the file it took."""

    match: str
    lines: list[bytes]
    size: int


def names_dump(name: str) -> bool:
    """Return whether a file is compressed as a dump is.

    A pipe, such as a shell makes of <(...), is none: what was read of it here would be gone.
    """
    path = Path(name)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def records(path: Path) -> Iterator[DumpedRecord]:
    """Yield the records of a dump, one in memory at a time; raises Unreadable."""
    try:
        yield from _records(path)
    except (OSError, ZstdError) as error:
        raise Unreadable(f"{path} cannot be read to its end: {error}") from None


def _records(path: Path) -> Iterator[DumpedRecord]:
    lines: list[bytes] = []
    match = ""
    length = start = 0
    for number, (line, position) in enumerate(_lines(path), 1):
        subject = _subject(line)
        if lines and subject != match:
            yield DumpedRecord(match, lines, position - start)
            lines = []
            length = 0
            start = position
        if not subject:
            raise Unreadable(f"{path} is no dump: line {number} names no match")

        match = subject
        lines.append(line)
        length += len(line)
        if length > MOST_BYTES or len(lines) > MOST_LINES:
            raise Unreadable(f"{path} has a record that is larger than any match")

    if lines:
        yield DumpedRecord(match, lines, path.stat().st_size - start)


def _lines(path: Path) -> Iterator[tuple[bytes, int]]:
    """Yield the lines, line feeds included, and how much of the file was read for each.

    Raises Unreadable.
    """
    # A line that has no end yet is kept in pieces: to join them each time would make a long one
    # cost its square.
    begun: list[bytes] = []
    length = 0
    position = 0
    for content, position in _contents(path):
        start = 0
        # Line by line: millions of line feeds must not become millions of lines at once.
        while end := content.find(b"\n", start) + 1:
            yield b"".join([*begun, content[start:end]]), position
            begun = []
            length = 0
            start = end

        begun.append(content[start:])
        length += len(content) - start
        if length > _MOST_LINE:
            raise Unreadable(f"{path} has a line that is too long")

    if length:
        yield b"".join(begun), position


def _contents(path: Path) -> Iterator[tuple[bytes, int]]:
    """Yield what a dump unpacks to, in pieces, and how much of the file was read for each.

    Raises Unreadable if it ends too early or too late. What is left of a file that was cut is no
    line: the record that it is of would seem wrong.
    """
    unpacker = ZstdDecompressor().decompressobj()
    position = 0
    with path.open("rb") as packed:
        # A piece is small, since a forged one may unpack to thirty thousand times as much.
        while piece := packed.read(_PIECE):
            for start in range(0, len(piece), _UNPACKED_PIECE):
                if unpacker.eof:
                    raise Unreadable(f"{path} holds more than its end")
                part = piece[start : start + _UNPACKED_PIECE]
                content = unpacker.decompress(part)
                if unpacker.unused_data:
                    raise Unreadable(f"{path} holds more than its end")
                position += len(part)
                yield content, position

    if not unpacker.eof:
        raise Unreadable(f"{path} cannot be read to its end: it was cut short")


def _subject(line: bytes) -> str:
    """Return which match a line names, "" for what is no line of a record."""
    ending = _ENDING.search(line, max(0, len(line) - _MOST_ENDING))
    if ending is not None and ending.end() == len(line):
        return ending[1].decode()

    try:
        subject = orjson.loads(line)["subject"]
    except (ValueError, TypeError, KeyError):
        return ""
    return subject if isinstance(subject, str) else ""


def listed_digests(path: Path) -> dict[str, str]:
    """Return the digests of the records by match that the lists beside a dump have.

    Raises Unreadable if the dump is not the one of its list.
    """
    digests: dict[str, str] = {}
    _, *lists = files_of(path)
    try:
        for beside in lists:
            if beside.exists():
                digests |= _listed_in(beside)
        listed = digests.pop(path.name, None)
        if listed is not None and listed != _digest_of(path):
            raise Unreadable(f"{path} is not the file whose SHA-256 is in {lists[0]}")
    except OSError as error:
        raise Unreadable(f"{error.filename}: {error.strerror}") from None

    return {name.removesuffix(RECORD_SUFFIX): digest for name, digest in digests.items()}


def _listed_in(file: Path) -> dict[str, str]:
    """Return the digests by name that a list in the form of sha256sum has."""
    digests = {}
    for line in file.read_text(errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        digests[name] = digest
    return digests


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
