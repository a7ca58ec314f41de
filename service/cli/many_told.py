"""What was found in files of records, for people and as JSON; see `many`."""

from collections.abc import Iterator, Sequence

from service.cli.many import Checked, worst
from service.cli.printing import brief_lines, printable, report_lines
from service.ledger.canonical import Json


def lines_of_dump(checked: Checked) -> Iterator[str]:
    """Yield lines about the records of a dump that are not right, and how many are."""
    for report in checked.not_right:
        for line in report_lines(report):
            yield f"{printable(report.match)}: {line}"
    yield f"{checked.right} records are right, {_others(checked.not_right)}"


def lines_of_files(files: Sequence[Checked]) -> Iterator[str]:
    """Yield lines about every file, and at the end about all of them."""
    for checked in files:
        for line in _lines_of_file(checked):
            yield f"{printable(checked.name)}: {line}"

    right = sum(checked.right for checked in files)
    not_right = [report for checked in files for report in checked.not_right]
    unreadable = sum(bool(checked.unreadable) for checked in files)
    yield (
        f"in {len(files)} files {right} records are right, {_others(not_right)}; "
        f"{unreadable} files cannot be read"
    )
    for note in _notes(files):
        yield printable(f"note: {note}")


def files_as_json(files: Sequence[Checked]) -> Json:
    """Return what was found in every file as JSON values."""
    return {
        "verdict": worst([checked.verdict for checked in files]),
        "right": sum(checked.right for checked in files),
        "files": [{"file": checked.name, **checked.as_json()} for checked in files],
    }


def _lines_of_file(checked: Checked) -> Iterator[str]:
    if checked.is_dump:
        yield from lines_of_dump(checked)
    elif checked.report is not None:
        yield from brief_lines(checked.report)
    if checked.unreadable:
        yield printable(f"cannot be read: {checked.unreadable}")


def _others(not_right: Sequence[object]) -> str:
    return f"{len(not_right)} are not or not wholly checked"


def _notes(files: Sequence[Checked]) -> list[str]:
    """Return what no check can tell of any of the records, each sentence once."""
    notes = [note for checked in files if checked.report for note in checked.report.notes]
    return list(dict.fromkeys(notes))
