"""`giornale verify`: check a record or a match to the last shuffle."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from service.cli import dump_file, sources
from service.cli.complaints import CANNOT_READ, failed_requests
from service.cli.interrupts import interruptible
from service.cli.jobs import Jobs
from service.cli.local_journal import desk_instead_of
from service.cli.many import Checked, check_files, size_of, worst
from service.cli.many_told import files_as_json, lines_of_dump, lines_of_files
from service.cli.printing import report_lines
from service.cli.progress import records_bar, verifying_bar
from service.cli.sources import Source, Unreadable
from service.cli.witnesses import Witnesses, check_witnesses, with_witnesses
from service.journal.errors import JournalError
from service.matches import audits
from service.verify import files
from service.verify.audit import verify_record
from service.verify.report import Report, Wrong

WRONG = 1
PARTLY_CHECKED = 3
EXIT_CODES = {
    "right": 0,
    "partly_checked": PARTLY_CHECKED,
    "unreadable": CANNOT_READ,
    "wrong": WRONG,
}


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


def _report_on(what: str, witnesses: Witnesses) -> Report:
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


def _checked(names: Sequence[str], witnesses: Witnesses, jobs: int) -> list[Checked]:
    """Check files of records, and show how far it is; raises Unreadable."""
    if witnesses.receipts or witnesses.keys:
        many = f"{names[0]} holds many records" if len(names) == 1 else "there are many records"
        raise Unreadable(f"{many}: receipts are checked against one record")

    with records_bar(size_of(names)) as progress:
        return check_files(names, jobs, progress)


def _verify_source(source: Source, name: str, witnesses: Witnesses) -> Report:
    """Check a record, and hold it against what its server and the receipts say.

    Raises Unreadable.
    """
    lines = lines_of(source, name)
    with verifying_bar(len(lines)) as progress:
        audit = verify_record(lines, progress)

    if audit.report.wrong is None:
        try:
            check_witnesses(audit, source, witnesses)
        except Wrong as wrong:
            audit.report.wrong = wrong

    return audit.report


def lines_of(source: Source, name: str) -> list[bytes]:
    """Return the lines of a record; raises Unreadable where nothing in it looks like one."""
    return files.lines_of(source.content, name)


def _audit_match(match: str) -> Report:
    """Audit a match of the local journal; raises Unreadable if there is none of that id."""
    with desk_instead_of(match) as desk:
        no_file = f"there is no file {match}"
        try:
            head = desk.journal.head(match)
        except JournalError as error:
            reason = f"the journal cannot be asked for a match: {error}"
            raise Unreadable(f"{no_file}, and {reason}") from None
        if head is None:
            raise Unreadable(f"{no_file}, and no such match in the journal")

        with verifying_bar(head.version) as progress:
            return audits.audit(desk, match, progress=progress)


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        # In ASCII, so that no text of a record moves a cursor.
        click.echo(json.dumps(report.as_json(), indent=2))
        return

    for line in report_lines(report):
        click.echo(line)
