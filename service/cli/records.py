"""`giornale verify`, `export`, `import` and `keys`: the commands for whoever wants to know, and keep, what happened."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import click
import orjson

from service.bootstrap import open_desk, open_signer
from service.cli import backup, sources
from service.cli.printing import printable, told
from service.cli.settings import load_settings
from service.cli.sources import Source, Unreadable
from service.config import Config, ConfigError, beside
from service.datadir import DataUnusable, explained
from service.errors import ServiceError
from service.journal.port import JournalError
from service.keys.signer import NoKeys, Signer
from service.keys.tokens import Caller
from service.ledger import record
from service.ledger.canonical import Json
from service.matches import audits, deleting, records
from service.matches.desk import Desk
from service.matches.loading import load
from service.process.valkey import JOURNAL, url_of
from service.verify import receipts as witness
from service.verify.audit import Audit, quiet, verify_record
from service.verify.redecide import Progress
from service.verify.report import Report, Wrong

WRONG, CANNOT_READ, PARTLY_CHECKED = 1, 2, 3
EXIT_CODES = {"right": 0, "partly_checked": PARTLY_CHECKED, "wrong": WRONG}


class _CannotRead(click.ClickException):
    exit_code = CANNOT_READ


@click.command()
@click.argument("what", metavar="FILE|URL|MATCH")
@click.option(
    "--receipt",
    "receipts",
    multiple=True,
    metavar="FILE",
    help="A receipt that the record must bear out.",
)
@click.option(
    "--keys", metavar="FILE|URL", help="The public keys that receipts are checked against."
)
@click.option(
    "--token", envvar="GIO_TOKEN", help="Whose record to ask the URL for. Also GIO_TOKEN."
)
@click.option("--strict", is_flag=True, help="End with 1 unless all was checked.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
def verify(
    what: str,
    receipts: tuple[str, ...],
    keys: str | None,
    token: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Check a record, or a match of one's own journal, to the last shuffle.

    Ends with 0 if all was checked and is right, 3 if all that could be checked is right, 1 if something is wrong, 2 if
    it cannot be read.
    """
    with _complaints():
        if Path(what).exists() or what == "-" or sources.is_url(what):
            source = (
                sources.of_match(what, token) if sources.is_url(what) else sources.of_file(what)
            )
            report = _verified(source, what, receipts, keys)
        else:
            report = _audited(what)
    _print(report, as_json)
    exit_code = EXIT_CODES[report.verdict]
    sys.exit(WRONG if strict and exit_code == PARTLY_CHECKED else exit_code)


@click.command("export")
@click.argument("match", required=False)
@click.option(
    "-o", "--output", type=click.File("wb"), default="-", help="A file instead of standard output."
)
@click.option(
    "--token", envvar="GIO_TOKEN", help="Whose eyes to see it with; the public's without one."
)
@click.option("--all", "directory", type=click.Path(file_okay=False, path_type=Path), metavar="DIRECTORY",
              help="Every match, to a file of its own there; what is there and whole is passed over.")  # fmt: skip
def export_(match: str | None, output: BinaryIO, token: str | None, directory: Path | None) -> None:
    """Write a match as a record: whole once its secrets are revealed, redacted before."""
    if (match is None) == (directory is None):
        raise click.UsageError("give a MATCH, or --all DIRECTORY")
    if directory is not None:
        backup.export_all(directory)
        return
    assert match is not None, "it was given"
    with _complaints():
        desk = _desk()
        lines = records.export(desk, match, token) if token else _seen_by_the_house(desk, match)
        output.writelines(lines)


@click.command("import")
@click.argument("file", type=click.File("rb"))
def import_(file: BinaryIO) -> None:
    """Take a whole record into the journal, if every line of it is right."""
    with _complaints(), _bar(0) as progress:
        audit, there = records.import_record(_desk(), file, progress)
    click.echo(
        f"{audit.report.match}: {'it was there already' if there else f'{audit.report.commits} commits'}"
    )


@click.group()
def keys() -> None:
    """The keys that receipts are signed with."""


@keys.command("list")
def list_() -> None:
    """Print the public keys; makes none."""
    listed: list[Json] = []
    with _complaints(), _signer() as signer:
        try:
            listed = signer.kept()
        except NoKeys as none:
            click.echo(str(none), err=True)
    click.echo(orjson.dumps({"keys": listed}, option=orjson.OPT_INDENT_2))


@keys.command()
def rotate() -> None:
    """Sign with a new key from now on; receipts signed before stay good."""
    with _complaints(), _signer() as signer:
        click.echo(signer.rotate()["id"])


@click.group("match")
def match_() -> None:
    """What the operator does with a match."""


@match_.command()
@click.argument("match")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(match: str, yes: bool) -> None:
    """Delete a match for ever, with all that is kept of it; its id is not used again."""
    if not yes:
        click.confirm(f"Delete match {match} for ever?", abort=True)
    with _complaints():
        deleting.delete(_desk(), match, deleting.COMMAND_LINE)
    click.echo(f"{match}: deleted")


COMMANDS: Sequence[click.Command] = (verify, export_, import_, keys, match_)


def _verified(source: Source, name: str, receipts: Sequence[str], keys: str | None) -> Report:
    lines = _lines_of(source, name)
    with _bar(len(lines)) as progress:
        audit = verify_record(lines, progress)
    if audit.report.wrong is None:
        try:
            _hear(audit, source, receipts, keys)
        except Wrong as wrong:
            audit.report.wrong = wrong
    return audit.report


def _lines_of(source: Source, name: str) -> list[bytes]:
    """Return the lines of a record; raises Unreadable where nothing in it looks like one."""
    lines = record.lines(source.content)
    if not record.recognised(lines):
        raise Unreadable(
            f"{name} is no record: its first line is not a CloudEvents line with a commit of a match"
        )
    return lines


def _hear(audit: Audit, source: Source, receipts: Sequence[str], keys: str | None) -> None:
    """Hold against the record what the server and the receipts say of it."""
    if source.document is not None:
        witness.check_document(audit, source.document, source.keys or [])
    known = sources.keys_of(keys) if keys else source.keys
    if receipts and known is None:
        raise Unreadable("receipts are checked against public keys: give --keys FILE or URL")
    witness.check_receipts(audit, [_receipt(name) for name in receipts], known or [])


def _receipt(name: str) -> Json:
    """Return the receipt in a file, which may hold the whole answer to a move."""
    value = sources.parsed(sources.of_file(name).content, name)
    receipt: Json = value.get("receipt", value)
    return receipt


def _audited(match: str) -> Report:
    """Audit a match of the journal that is at hand; raises Unreadable if there is none of that name."""
    config = _local_config()
    if not config.journal_url:
        raise Unreadable(f"there is no file {match}")
    desk = _opened(config)
    try:
        head = desk.journal.head(match)
    except JournalError as error:
        raise Unreadable(
            f"there is no file {match}, and the journal cannot be asked for a match: {error}"
        ) from None
    if head is None:
        raise Unreadable(f"there is no file {match}, and no match of that name in the journal")
    with _bar(head.version) as progress:
        return audits.audit(desk, match, progress=progress)


def _seen_by_the_house(desk: Desk, match: str) -> Iterator[bytes]:
    return records.lines_of(desk, load(desk, match), Caller())


def _desk() -> Desk:
    """Open the journal that is set, or else the one of the `giornale serve` on the same data directory."""
    config = _local_config()
    if not config.journal_url:
        config = load_settings(connected=True)
    return _opened(config)


def _opened(config: Config) -> Desk:
    with explained(config.data):
        return open_desk(config)[0]


def _local_config() -> Config:
    """Return the settings with the journal that is at hand: `journal_url` is "" where there is none."""
    config = load_settings()
    with explained(config.data):
        url = config.journal_url or url_of(config.data / JOURNAL)
    return replace(config, journal_url=url, queue_url=config.queue_url or beside(url))


@contextmanager
def _signer() -> Iterator[Signer]:
    """Open the keys of the data directory."""
    config = load_settings()
    with explained(config.data):
        yield open_signer(config)


@contextmanager
def _complaints() -> Iterator[None]:
    """End with one sentence instead of a traceback."""
    try:
        yield
    except (DataUnusable, NoKeys) as error:
        raise click.ClickException(str(error)) from None
    except (Unreadable, JournalError, ConfigError) as error:
        raise _CannotRead(_lines_printable(error)) from None
    except ServiceError as error:
        raise click.ClickException(_lines_printable(error)) from None


@contextmanager
def _bar(length: int) -> Iterator[Progress]:
    """Show a bar on a terminal, nothing elsewhere."""
    if not _on_terminal():
        yield quiet
        return
    with click.progressbar(length=length, label="verifying", file=sys.stderr) as bar:

        def show(done: int, of: int) -> None:
            bar.length = of
            bar.update(done - bar.pos)

        yield show


def _on_terminal() -> bool:
    return sys.stderr.isatty()


def _lines_printable(error: Exception) -> str:
    """Return what an error says; a ConfigError has a line for each problem."""
    if isinstance(error, ConfigError):
        return str(error)
    return printable(str(error))


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        click.echo(
            json.dumps(report.as_json(), indent=2)
        )  # in ASCII, so no text of a record moves a cursor
        return
    for line in told(report):
        click.echo(line)
