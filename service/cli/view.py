"""`giornale view`: a whole match as one HTML file."""

import sys
from collections.abc import Mapping
from typing import BinaryIO

import click

from domain.games import RULES
from service.cli import sources
from service.cli.complaints import failed_requests
from service.cli.printing import printable, report_lines
from service.cli.progress import verifying_bar
from service.cli.sources import Source, Unreadable
from service.cli.verify import EXIT_CODES, lines_of
from service.page.replaying import replay
from service.page.single_file import single_file
from service.verify import receipts
from service.verify.audit import Audit, verify_record
from service.verify.report import Wrong


@click.command()
@click.argument("what", metavar="FILE|URL")
@click.option(
    "-o",
    "--output",
    type=click.File("wb"),
    default="-",
    help="A file instead of standard output.",
)
@click.option(
    "--token",
    envvar="GIO_TOKEN",
    help="Whose record to ask the URL for. Also GIO_TOKEN.",
)
def view(what: str, output: BinaryIO, token: str | None) -> None:
    """Write a match as one HTML file: board, story, record, and a check of them in the browser.

    The file needs no network and no server. Ends as `giornale verify` does: with 0 if all was
    checked and is right, 3 if all that could be checked is right, 1 if something is wrong, 2 if it
    cannot be read. Nothing is written then.
    """
    with failed_requests():
        source = _source_of(what, token)
        audit = _audit_of(source, what)
        _tell(audit)

        if audit.report.wrong is None:
            shown = replay(audit, _names_in(source))
            output.write(single_file(shown, source.content, audit.report))

    sys.exit(EXIT_CODES[audit.report.verdict])


def _source_of(what: str, token: str | None) -> Source:
    """Return the record in a file or at a URL; raises Unreadable."""
    return sources.of_match(what, token) if sources.is_url(what) else sources.of_file(what)


def _audit_of(source: Source, name: str) -> Audit:
    """Check a record, and hold it against what its server shows; raises Unreadable."""
    lines = lines_of(source, name)
    with verifying_bar(len(lines)) as progress:
        audit = verify_record(lines, progress)

    report = audit.report
    if report.wrong is None and report.rules not in RULES:
        raise Unreadable(f"{name}: this program does not know the rules {report.rules}")
    if report.wrong is None and source.document is not None:
        try:
            receipts.check_document(audit, source.document, source.keys or [])
        except Wrong as wrong:
            report.wrong = wrong
    return audit


def _tell(audit: Audit) -> None:
    """Say on standard error what was found, unless all is right."""
    if audit.report.verdict == "right":
        return
    for line in report_lines(audit.report):
        click.echo(line, err=True)
    if audit.report.wrong is not None:
        click.echo(printable("nothing is written of a record that is wrong"), err=True)


def _names_in(source: Source) -> Mapping[int, str]:
    """Return what the seats are called, as far as a server has told; a record holds no names."""
    if source.document is None:
        return {}
    return {seat["seat"]: seat["name"] for seat in source.document["seats"] if seat.get("name")}
