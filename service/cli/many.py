"""Files of records checked together, each with its own result."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from service.cli import dump_file, sources
from service.cli.sources import Unreadable
from service.ledger.canonical import Json
from service.verify.bulk import Finding, Task, check_all
from service.verify.report import Report, Wrong

# From the best to the worst. A record that is wrong is a finding; a file that cannot be read only
# leaves open whether there is one.
_VERDICTS = ("right", "partly_checked", "unreadable", "wrong")


@dataclass(slots=True)
class Checked:
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
    report: Report | None = None
    others: list[Report] = field(default_factory=list)
    missing: list[Report] = field(default_factory=list)
    unreadable: str = ""

    @property
    def verdict(self) -> str:
        """The worst verdict on a record, or "unreadable" if none is wrong."""
        verdicts = [report.verdict for report in self.not_right]
        if self.unreadable:
            verdicts.append("unreadable")
        return worst(verdicts)

    @property
    def not_right(self) -> list[Report]:
        """All reports on records that are not right, or not wholly checked."""
        return self.others + self.missing

    def add(self, report: Report) -> None:
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
            found = {} if self.report is None else self.report.as_json()
        if self.unreadable:
            found |= {"verdict": self.verdict, "error": self.unreadable}
        return found


def worst(verdicts: Sequence[str]) -> str:
    """Return the worst of some verdicts, "right" if there is none."""
    return max(verdicts, key=_VERDICTS.index, default="right")


def check_files(
    names: Sequence[str], processes: int, progress: Callable[[int], None]
) -> list[Checked]:
    """Check all records of files with so many processes; return what was found, file by file.

    progress: told after each record how many bytes of a file it took. Raises ProcessDied.
    """
    files = [Checked(name, dump_file.is_dump(name)) for name in names]
    for finding in check_all(_tasks(files), processes):
        _note(files[finding.place], finding)
        progress(finding.size)
    return files


def size_of(names: Sequence[str]) -> int:
    """Return how many bytes files have, as far as they are there."""
    return sum(map(_size, names))


def _note(checked: Checked, finding: Finding) -> None:
    if finding.report is None:
        checked.unreadable = finding.unreadable
    else:
        checked.add(finding.report)


def _tasks(files: Sequence[Checked]) -> Iterator[Task]:
    """Yield every record of the files; what is wrong with a file as a whole is noted in it."""
    for place, checked in enumerate(files):
        if checked.is_dump:
            yield from _tasks_of_dump(place, checked)
        elif checked.name == "-" or sources.is_url(checked.name):
            checked.unreadable = f"{checked.name} is no file: it is checked alone"
        else:
            yield Task(place, _size(checked.name), checked.name)


def _tasks_of_dump(place: int, checked: Checked) -> Iterator[Task]:
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


def _missing(match: str) -> Report:
    """Return the report on a record that the list beside a dump has, and the dump has not."""
    detail = f"the record of match {match} is in the list only"
    return Report(match=match, wrong=Wrong(0, "missing", detail))


def _size(name: str) -> int:
    try:
        return Path(name).stat().st_size
    except OSError:
        return 0
