"""`giornale verify`: check a record or a match to the last shuffle."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from service.cli import dump, sources
from service.cli.complaints import failed_requests
from service.cli.local_journal import desk_of, local_settings
from service.cli.printing import printable, report_lines
from service.cli.progress import counting_bar, verifying_bar
from service.cli.sources import Source, Unreadable
from service.journal.errors import JournalError
from service.ledger import record
from service.ledger.canonical import Json
from service.matches import audits
from service.verify import receipts as verify_receipts
from service.verify.audit import Audit, verify_record
from service.verify.report import Report, Wrong

WRONG = 1
PARTLY_CHECKED = 3
EXIT_CODES = {"right": 0, "partly_checked": PARTLY_CHECKED, "wrong": WRONG}


@dataclass(frozen=True, slots=True)
class _Witnesses:
    """What a record is held against: receipts, and where public keys are listed.

    receipts: names of files.   keys: a file or a URL, None for the keys of the record's own server.
    """

    receipts: tuple[str, ...]
    keys: str | None


def _with_witnesses(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options --receipt and --keys; it gets them as `witnesses`."""

    @click.option(
        "--receipt",
        "receipts",
        multiple=True,
        metavar="FILE",
        help="A receipt that the record must bear out.",
    )
    @click.option(
        "--keys",
        metavar="FILE|URL",
        help="The public keys that receipts are checked against.",
    )
    @wraps(command)
    def called(receipts: tuple[str, ...], keys: str | None, **arguments: Any) -> None:
        command(**arguments, witnesses=_Witnesses(receipts, keys))

    return called


@click.command()
@click.argument("what", metavar="FILE|URL|MATCH")
@_with_witnesses
@click.option(
    "--token",
    envvar="GIO_TOKEN",
    help="Whose record to ask the URL for. Also GIO_TOKEN.",
)
@click.option("--strict", is_flag=True, help="End with 1 unless all was checked.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
def verify(
    what: str,
    witnesses: _Witnesses,
    token: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Check a record, or a match of one's own journal, to the last shuffle.

    Ends with 0 if all was checked and is right, 3 if all that could be checked is right, 1 if
    something is wrong, 2 if it cannot be read.
    """
    with failed_requests():
        if dump.is_dump(what):
            verdict = _verify_dump(what, witnesses, as_json)
        else:
            report = _report_on(what, token, witnesses)
            _print(report, as_json)
            verdict = report.verdict

    exit_code = EXIT_CODES[verdict]
    if strict and exit_code == PARTLY_CHECKED:
        exit_code = WRONG
    sys.exit(exit_code)


def _report_on(what: str, token: str | None, witnesses: _Witnesses) -> Report:
    """Check the record in a file or at a URL, or else the match of this id; raises Unreadable."""
    if Path(what).exists() or what == "-":
        return _verify_source(sources.of_file(what), what, witnesses)
    if sources.is_url(what):
        return _verify_source(sources.of_match(what, token), what, witnesses)
    return _audit_match(what)


def _verify_dump(name: str, witnesses: _Witnesses, as_json: bool) -> str:
    """Check every record of a dump and print what is not right; return the verdict.

    Raises Unreadable.
    """
    if witnesses.receipts:
        raise Unreadable(f"{name} holds many records: receipts are checked against one record")

    with counting_bar("verifying", 0) as progress:
        verified = dump.verify(name, progress)

    others = [report.as_json() for report in verified.others]
    if as_json:
        summary = {"verdict": verified.verdict, "right": verified.right, "others": others}
        click.echo(json.dumps(summary, indent=2))
        return verified.verdict

    for report in verified.others:
        for line in report_lines(report):
            click.echo(f"{printable(report.match)}: {line}")
    click.echo(f"{verified.right} records are right, {len(others)} are not or not wholly checked")
    return verified.verdict


def _verify_source(source: Source, name: str, witnesses: _Witnesses) -> Report:
    """Check a record, and hold it against what its server and the receipts say.

    Raises Unreadable.
    """
    lines = lines_of(source, name)
    with verifying_bar(len(lines)) as progress:
        audit = verify_record(lines, progress)

    if audit.report.wrong is None:
        try:
            _check_witnesses(audit, source, witnesses)
        except Wrong as wrong:
            audit.report.wrong = wrong

    return audit.report


def lines_of(source: Source, name: str) -> list[bytes]:
    """Return the lines of a record; raises Unreadable where nothing in it looks like one."""
    lines = record.lines(source.content)
    if not record.recognised(lines):
        reason = "its first line is not a CloudEvents line with a commit of a match"
        raise Unreadable(f"{name} is no record: {reason}")
    return lines


def _check_witnesses(audit: Audit, source: Source, witnesses: _Witnesses) -> None:
    """Hold a record against what its server and the receipts say; raises Wrong and Unreadable."""
    if source.document is not None:
        verify_receipts.check_document(audit, source.document, source.keys or [])

    known_keys = sources.keys_of(witnesses.keys) if witnesses.keys else source.keys
    if witnesses.receipts and known_keys is None:
        raise Unreadable("receipts are checked against public keys: give --keys FILE or URL")

    receipts = [_read_receipt(name) for name in witnesses.receipts]
    verify_receipts.check_receipts(audit, receipts, known_keys or [])


def _read_receipt(name: str) -> Json:
    """Return the receipt in a file, which may hold the whole answer to a move.

    Raises Unreadable.
    """
    value = sources.parsed(sources.of_file(name).content, name)
    receipt: Json = value.get("receipt", value)
    return receipt


def _audit_match(match: str) -> Report:
    """Audit a match of the local journal; raises Unreadable if there is none of that id."""
    no_file = f"there is no file {match}"
    config = local_settings()
    if not config.journal_url:
        raise Unreadable(no_file)

    desk = desk_of(config)
    try:
        head = desk.journal.head(match)
    except JournalError as error:
        reason = f"the journal cannot be asked for a match: {error}"
        raise Unreadable(f"{no_file}, and {reason}") from None
    if head is None:
        raise Unreadable(f"{no_file}, and no match of that name in the journal")

    with verifying_bar(head.version) as progress:
        return audits.audit(desk, match, progress=progress)


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        # In ASCII, so that no text of a record moves a cursor.
        click.echo(json.dumps(report.as_json(), indent=2))
        return

    for line in report_lines(report):
        click.echo(line)
