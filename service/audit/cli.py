"""`giornale verify`, `export`, `import` and `keys`: the commands for whoever wants to know, and keep, what happened."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import click
import orjson

from service import record
from service.audit import sources, witness
from service.audit.refold import Progress
from service.audit.report import Report, Wrong
from service.audit.sources import Source, Unreadable
from service.audit.verify import Audit, quiet, verify_record
from service.compose import open_desk, open_signer
from service.config import Config, ConfigError, beside
from service.embedded import JOURNAL, url_of
from service.errors import ServiceError
from service.journal.codec import Json
from service.journal.port import JournalError
from service.matches import audits, records
from service.matches.desk import Desk, load
from service.signing import Signer
from service.tokens import Caller

WRONG, CANNOT_READ = 1, 2


class _CannotRead(click.ClickException):
    exit_code = CANNOT_READ


@click.command()
@click.argument("what", metavar="FILE|URL|MATCH")
@click.option("--receipt", "receipts", multiple=True, metavar="FILE", help="A receipt that the record must bear out.")
@click.option("--keys", metavar="FILE|URL", help="The public keys that receipts are checked against.")
@click.option("--token", envvar="GIO_TOKEN", help="Whose record to ask the URL for. Also GIO_TOKEN.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
def verify(what: str, receipts: tuple[str, ...], keys: str | None, token: str | None, as_json: bool) -> None:
    """Check a record, or a match of one's own journal, to the last shuffle.

    Ends with 0 if nothing is wrong, 1 if something is, 2 if it cannot be read.
    """
    with _complaints():
        if Path(what).exists() or what == "-" or sources.is_url(what):
            source = sources.of_match(what, token) if sources.is_url(what) else sources.of_file(what)
            report = _verified(source, receipts, keys)
        else:
            report = _audited(what)
    _print(report, as_json)
    sys.exit(WRONG if report.wrong else 0)


@click.command("export")
@click.argument("match")
@click.option("-o", "--output", type=click.File("wb"), default="-", help="A file instead of standard output.")
@click.option("--token", envvar="GIO_TOKEN", help="Whose eyes to see it with; the public's without one.")
def export_(match: str, output: BinaryIO, token: str | None) -> None:
    """Write a match as a record: whole once its secrets are revealed, redacted before."""
    with _complaints():
        desk = _desk()
        lines = records.export(desk, match, token) if token else _seen_by_the_house(desk, match)
        output.writelines(lines)


@click.command("import")
@click.argument("file")
def import_(file: str) -> None:
    """Take a whole record into the journal, if every line of it is right."""
    with _complaints():
        lines = record.lines(sources.of_file(file).content)
        with _bar(len(lines)) as progress:
            audit, there = records.import_record(_desk(), lines, progress)
    click.echo(f"{audit.report.match}: {'it was there already' if there else f'{audit.report.commits} commits'}")


@click.group()
def keys() -> None:
    """The keys that receipts are signed with."""


@keys.command("list")
def list_() -> None:
    """Print the public keys."""
    with _complaints():
        click.echo(orjson.dumps({"keys": _signer().keys()}, option=orjson.OPT_INDENT_2))


@keys.command()
def rotate() -> None:
    """Sign with a new key from now on; receipts signed before stay good."""
    with _complaints():
        click.echo(_signer().rotate()["id"])


COMMANDS: Sequence[click.Command] = (verify, export_, import_, keys)


def _verified(source: Source, receipts: Sequence[str], keys: str | None) -> Report:
    lines = record.lines(source.content)
    with _bar(len(lines)) as progress:
        audit = verify_record(lines, progress)
    if audit.report.wrong is None:
        try:
            _hear(audit, source, receipts, keys)
        except Wrong as wrong:
            audit.report.wrong = wrong
    return audit.report


def _hear(audit: Audit, source: Source, receipts: Sequence[str], keys: str | None) -> None:
    """Hold against the record what the server and the receipts say of it."""
    if source.document is not None:
        witness.check_head(audit, source.document)
    if receipts:
        known = sources.keys_of(keys) if keys else source.keys
        if known is None:
            raise Unreadable("receipts are checked against public keys: give --keys FILE or URL")
        witness.check_receipts(audit, [_receipt(name) for name in receipts], known)
    else:
        audit.report.unchecked.append("signatures: no receipt was given")


def _receipt(name: str) -> Json:
    """Return the receipt in a file, which may hold the whole answer to a move."""
    value = sources.parsed(sources.of_file(name).content, name)
    receipt: Json = value.get("receipt", value)
    return receipt


def _audited(match: str) -> Report:
    desk = _desk()
    head = desk.journal.head(match)
    if head is None:
        raise Unreadable(f"there is no file and no match {match}")
    with _bar(head.version) as progress:
        return audits.audit(desk, match, progress=progress)


def _seen_by_the_house(desk: Desk, match: str) -> Iterator[bytes]:
    return records.lines_of(desk, load(desk, match)[0], Caller())


def _desk() -> Desk:
    """Open the journal that is set, or else the one of the `giornale serve` on the same data directory."""
    config = Config.load(os.environ)
    url = config.journal_url or url_of(config.data / JOURNAL)
    config = replace(config, journal_url=url, queue_url=config.queue_url or beside(url))
    return open_desk(config if url else Config.load(os.environ, connected=True))[0]


def _signer() -> Signer:
    return open_signer(Config.load(os.environ))


@contextmanager
def _complaints() -> Iterator[None]:
    """End with one sentence instead of a traceback."""
    try:
        yield
    except (Unreadable, JournalError, ConfigError) as error:
        raise _CannotRead(str(error)) from None
    except ServiceError as error:
        raise click.ClickException(str(error)) from None


@contextmanager
def _bar(length: int) -> Iterator[Progress]:
    """Show a bar on a terminal, nothing elsewhere."""
    if not _on_terminal():
        yield quiet
        return
    with click.progressbar(length=length, label="verifying", file=sys.stderr) as bar:
        yield lambda done, _of: bar.update(done - bar.pos)


def _on_terminal() -> bool:
    return sys.stderr.isatty()


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        click.echo(orjson.dumps(report.as_json(), option=orjson.OPT_INDENT_2))
        return
    if report.wrong:
        click.echo(f"wrong: {report.wrong}")
        return
    decided = "each folded and decided again" if report.decided == report.commits else f"{report.folded} folded"
    click.echo(f"right: match {report.match} of {report.rules}, {report.commits} commits, {decided}")
    for points, rank in zip(*((report.outcome or {}).get(name, ()) for name in ("points", "ranks")), strict=True):
        click.echo(f"  rank {rank}: {points} points")
    for what in report.unchecked:
        click.echo(f"not checked: {what}")
