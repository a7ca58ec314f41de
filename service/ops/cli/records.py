"""`giornale export`, `import`, `dump`, `backup` and `restore`: matches leave and come back."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

import click

from service.base.config import Config, ConfigError
from service.base.datadir import DataUnusable
from service.base.private_files import private_file
from service.base.release import with_extra
from service.bootstrap import open_context, open_whole_journal
from service.matches import journal_watch, records
from service.matches.access import enter_as_operator
from service.matches.context import Context
from service.matches.journal_watch import note_file, read_note
from service.ops.backup import (
    dump_file,
    dump_import,
    export as exports,
    file_format,
    restore as restores,
)
from service.ops.backup.export import Dumped, Span
from service.ops.backup.file_format import BadBackup, Incomplete, Manifest
from service.ops.cli import output, verify
from service.ops.cli.bars import counting_bar, verifying_bar
from service.ops.cli.local_journal import (
    NoJournal,
    failed_requests,
    local_context,
    made_context,
    running_journal,
)
from service.ops.cli.output import Output, with_output, with_token
from service.ops.cli.settings import load_settings
from service.ops.process.preflight import Unsafe
from service.ops.process.server_files import EmbeddedError
from service.record.commit import clock, timestamp
from service.record.verify.files import Unreadable
from service.store.journal.errors import JournalError, JournalFull
from service.store.journal.ports import Journal

MISSING = 3  # exit code if matches were left out, such as unreadable ones

_MOST_NAMED = 10  # names of matches in a message
_UNREADABLE = (
    "left out: it cannot be read. Find the reason with giornale archive verify and giornale verify"
)

_GZIP = b"\x1f\x8b"

_EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_LAST_MS = 1 << 60


# ---- records: export, import, dump -----------------------------------------------------------


@click.command()
@click.argument("match", required=False)
@with_output
@with_token("Export the match as the holder of this token. Default: public.")
@click.option(
    "--all",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIRECTORY",
    help="Write every match to a file of its own in this directory. Complete files are skipped.",
)
def export(match: str | None, target: Output, token: str | None, directory: Path | None) -> None:
    """Write a match as a record.

    The record is whole once its secrets are revealed, and redacted before.
    """
    if match is not None and directory is None:
        target.check()
        with failed_requests(), local_context() as ctx:
            lines = list(_record_lines(ctx, match, token))
        target.write(lines)
    elif match is None and directory is not None:
        _export_all(directory)
    else:
        raise click.UsageError("give a MATCH, or --all DIRECTORY")


@click.command("import")
@click.argument("file", type=click.File("rb"))
def import_(file: BinaryIO) -> None:
    """Import a record or a dump.

    The whole FILE is checked before anything is written. Every line must be right, and every
    command is decided again. A journal is made if there is none. Existing matches stay unchanged.
    Ends with 3 if forks are left out because their base is missing.
    """
    with failed_requests():
        name = getattr(file, "name", None)  # standard input may have a number or no name
        if isinstance(name, str) and dump_file.is_dump(name):
            _import_dump(Path(name))
        else:
            _import_record(file)


def _import_record(file: BinaryIO) -> None:
    """Import a record, and print its number of commits."""
    lines = records.linked(_unpacked(file))
    with made_context(load_settings()) as ctx, verifying_bar(len(lines)) as progress:
        audit, was_there = records.import_record(ctx, lines, progress)

    report = audit.report
    result = "it was there already" if was_there else f"{report.commits} commits"
    click.echo(f"{report.match}: {result}")


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a record. Raises Unreadable for a dump or a packed file."""
    for number, line in enumerate(file):
        if number == 0 and line.startswith(dump_file.MAGIC):
            raise Unreadable("a dump is read twice. Give its file, not a pipe")
        if number == 0 and line.startswith(_GZIP):
            advice = "If it is a backup, use giornale restore. If it is a record, unpack it first"
            raise Unreadable(f"the file is packed by gzip. {advice}")
        yield line


def _import_dump(path: Path) -> None:
    """Import the records of a dump, and print the counts. Ends with 3 if forks are left out."""
    with counting_bar("checking", verify.size_of([str(path)])) as progress:
        checked = dump_import.check(path, clock(), progress)

    config = load_settings()
    with made_context(config) as ctx:
        dump_import.check_forks(ctx, checked)
        holds = f"{len(checked.digests)} matches, {checked.commits} commits"
        click.echo(f"{path}: {holds}, all of it right")

        was_empty = restores.is_empty(ctx.journal)
        with counting_bar("importing", checked.commits) as progress:
            totals = dump_import.store(ctx, checked, progress)
        if was_empty:
            _begin_epoch(ctx.journal, config)

    click.echo(f"{totals.restored} matches imported, {totals.present} existed already")
    _name(totals.differing, "unchanged: it differs from the one in the dump, or has fewer commits")
    if checked.left_out:
        _name(checked.left_out, "left out: the base of this fork is missing")
        sys.exit(MISSING)


def _record_lines(ctx: Context, match: str, token: str | None) -> Iterator[bytes]:
    """Return the lines of a match's record, as the holder of a token or the public may see it."""
    if token:
        return records.export(ctx, match, token)

    return records.lines_of(ctx, enter_as_operator(ctx, match))


def _export_all(directory: Path) -> None:
    """Write every match's record to a file of its own in a directory.

    Complete files are skipped. Ends with 3 if matches cannot be read.
    """
    output.remove_left(directory / f"any{exports.SUFFIX}")

    with _reported(), running_journal(Config.load(os.environ), make=False) as config:
        ctx, _queues = open_context(config)
        with output.failed_writes(directory), counting_bar("matches", 0) as progress:
            totals = exports.export_all(ctx, directory, progress)

    click.echo(f"{directory}: {totals.written} records written, {totals.present} existed already")
    _end_if_missing(totals.missing)


@click.command()
@click.option("--from", "start", metavar="TIME", help="Matches that ended at this time or later.")
@click.option("--to", "end", metavar="TIME", help="Matches that ended before this time.")
@click.option(
    "-o",
    "--output",
    "file",
    type=output.FILE,
    help="File, such as 2026-01.ndjson.zst. Its SHA-256 goes into a file with the further ending "
    ".sha256, those of its records into one with .records.sha256.",
)
@click.option(
    "--parquet",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIRECTORY",
    help="Write tables instead, a Parquet file each: matches, seats, commits and events. Needs "
    'the extra "tables".',
)
@output.with_replace
def dump(
    start: str | None, end: str | None, file: Path | None, directory: Path | None, replace: bool
) -> None:
    """Dump ended public matches of a time span.

    Writes their records to one file, or tables. TIME is a date or a time in RFC 3339, in UTC
    unless it says otherwise. `giornale verify` reads the file. Ends with 3 if unreadable matches
    are missing.
    """
    span = _span(start, end)
    if file is not None and directory is None:
        place = output.behind_links(file)
        _write_dump(
            file,
            dump_file.files_of(file),
            lambda ctx, progress: exports.dump(ctx, span, place, progress, replace=replace),
            replace=replace,
        )
    elif directory is not None and file is None:
        writer = _tables()
        with output.failed_writes(directory):
            directory.mkdir(parents=True, exist_ok=True)
        _write_dump(
            directory,
            writer.files_of(directory),
            lambda ctx, progress: writer.dump(ctx, span, directory, progress, replace=replace),
            replace=replace,
        )
    else:
        raise click.UsageError("give --output FILE, or --parquet DIRECTORY")


def _write_dump(
    place: Path,
    files: Sequence[Path],
    write: Callable[[Context, Callable[[int], None]], Dumped],
    *,
    replace: bool,
) -> None:
    """Write a dump of several files to a place, and print its counts.

    write: called with a context and a function to call with the number of written matches.
    """
    for path in files:
        output.prepare(path, replace=replace)

    with _reported(), running_journal(Config.load(os.environ), make=False) as config:
        ctx, _queues = open_context(config)
        with output.failed_writes(place), counting_bar("matches", 0) as progress:
            dumped = write(ctx, progress)

    click.echo(f"{place}: {dumped.matches} matches, {dumped.commits} commits")
    _end_if_missing(dumped.missing)


def _tables() -> ModuleType:
    """Return the module for tables. Raises ClickException without pyarrow."""
    if find_spec("pyarrow") is None:
        raise click.ClickException(
            f'tables need pyarrow: install the wheel with "tables", {with_extra("tables")}'
        )
    from service.ops.backup import tables

    return tables


def _span(start: str | None, end: str | None) -> Span:
    """Return the requested time span. Raises BadParameter, also for an empty span."""
    span = Span(
        start=_milliseconds(start, "--from") if start else 0,
        end=_milliseconds(end, "--to") if end else _LAST_MS,
    )
    if span.start >= span.end:
        raise click.BadParameter("must be a later time than --from", param_hint="--to")
    return span


def _milliseconds(text: str, option: str) -> int:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            "must be a date or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z",
            param_hint=option,
        ) from None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return round(time.timestamp() * 1000)


# ---- the whole journal: backup and restore ---------------------------------------------------


@click.command()
@click.argument("file", type=output.FILE)
@click.option(
    "--without-secrets",
    is_flag=True,
    help="Leave out the server's secret and the keys of receipts.",
)
@output.with_replace
def backup(file: Path, without_secrets: bool, replace: bool) -> None:
    """Back up the whole journal to one file.

    The service goes on meanwhile. The file also has the server's secret and the keys of receipts,
    since a restored service needs both. Its holder can do everything that the server can: protect
    it like the server. Ends with 3 if unreadable matches are missing. Such a file replaces no
    other.
    """
    output.prepare(file, replace=replace)
    place = output.behind_links(file)

    with _reported(), running_journal(Config.load(os.environ), make=False) as config:
        secrets = {} if without_secrets else file_format.collect(config)
        journal = open_whole_journal(config)
        with (
            output.failed_writes(file),
            private_file(place, replace=replace) as content,
            counting_bar("backup", journal.events.commit_count()) as progress,
        ):
            manifest = exports.write(journal, content, secrets, clock, progress)
            if manifest.missing and place.exists():
                sentence = "an incomplete backup replaces no file: write it to another one"
                raise Incomplete(sentence, manifest.missing)

    ending = "without the secrets" if without_secrets else "with the secrets"
    click.echo(f"{file}: {_summary(manifest)}, {ending}")
    _end_if_missing(manifest.missing)


@click.command()
@click.argument("file", type=_EXISTING_FILE)
@click.option(
    "--merge",
    is_flag=True,
    help="Add the missing matches to a journal with matches.",
)
@click.option(
    "--without-secrets",
    is_flag=True,
    help="Keep the secret and the receipts' keys of this server.",
)
@click.option("--check", is_flag=True, help="Only check the file. Write nothing.")
def restore(file: Path, merge: bool, without_secrets: bool, check: bool) -> None:
    """Put a backup into an empty journal.

    The whole file is checked before anything is written: every digest, and the chain of commits of
    every match.
    """
    with _reported():
        reader = _check_file(file)
        if check:
            return

        settings = Config.load(os.environ)
        if not without_secrets and not merge:
            file_format.demand_fitting(settings, reader.private)

        with running_journal(settings, make=True) as config:
            journal = open_whole_journal(config)
            if not merge:
                restores.demand_empty(journal)

            # Put the secrets back first. An interrupted restore is continued with --merge, which
            # would keep an existing secret.
            secrets_news: list[str] = []
            if not without_secrets:
                secrets_news = file_format.put_back(settings, reader.private, merge=merge)
            for sentence in secrets_news:
                click.echo(sentence)
            _restore_matches(config, journal, reader, merge=merge)

    if file_format.SECRET_BACK in secrets_news:
        click.echo("restart the web processes: they need the new secret")
    if not reader.private:
        click.echo("the backup has no secrets. Restore the secret and keys.json from elsewhere")


def _check_file(file: Path) -> restores.BackupReader:
    """Check a whole backup and print its contents. Raises BadBackup."""
    if dump_file.is_dump(str(file)):
        raise BadBackup("it is a dump. Import it with giornale import")
    with counting_bar("checking", 0) as progress:
        reader = restores.check(file, progress)

    manifest = reader.manifest
    click.echo(f"{file}: {_summary(manifest)}, made {manifest.begun}, all of it right")
    _name(manifest.missing, "could not be read during the backup")
    return reader


def _restore_matches(
    config: Config, journal: Journal, reader: restores.BackupReader, *, merge: bool
) -> None:
    """Put the matches back and print the counts."""
    try:
        with counting_bar("restoring", reader.manifest.commits) as progress:
            totals = restores.restore(journal, reader, progress, merge=merge)
        _begin_epoch(journal, config)
    except JournalFull as error:
        reason = f"the journal is full: {output.printable(str(error))}"
        raise click.ClickException(f"{reason}. Continue later with --merge") from None

    restored = f"{totals.restored} matches restored"
    deleted = f"{totals.deleted} marks of deleted ones"
    click.echo(f"{restored}, {deleted}, {totals.present} existed already")

    _name(
        totals.differing, "unchanged: it differs from the one in the backup, or has fewer commits"
    )


def _begin_epoch(journal: Journal, config: Config) -> None:
    """Give the journal a new generation, and print a note if it once had more commits."""
    noted = read_note(note_file(config.data))
    journal_watch.begin_anew(journal, noted, clock())

    commits = journal.events.commit_count()
    if noted is not None and noted.commits > commits:
        before = f"{noted.commits} commits at {timestamp(noted.time)}"
        click.echo(f"the journal had {before}, and now has {commits}", err=True)


def _summary(manifest: Manifest) -> str:
    """Return the contents of a backup, in words."""
    deleted = f"{manifest.deleted} marks of deleted matches"
    return f"{manifest.matches} matches, {manifest.commits} commits, {deleted}"


# ---- common reports --------------------------------------------------------------------------


def _end_if_missing(matches: Sequence[str]) -> None:
    """Print the matches missing from the output and end with MISSING, if there are any."""
    if not matches:
        return

    _name(matches, _UNREADABLE)
    sys.exit(MISSING)


def _name(matches: Sequence[str], what: str) -> None:
    """Print a fact about some matches on standard error."""
    for match in matches[:_MOST_NAMED]:
        click.echo(f"{output.printable(match)}: {what}", err=True)

    unnamed = len(matches) - _MOST_NAMED
    if unnamed > 0:
        click.echo(f"... and {unnamed} others", err=True)


@contextmanager
def _reported() -> Iterator[None]:
    """End with a message, and exit code 1, instead of a traceback."""
    try:
        yield
    except restores.NotEmpty:
        advice = "add the missing ones with --merge"
        raise click.ClickException(f"the journal has matches: {advice}") from None
    except file_format.OtherSecret:
        raise click.ClickException(
            "GIORNALE_SECRET differs from the backup's, so repeated openings would get other "
            "tokens. Set the backup's secret, or keep this server's with --without-secrets"
        ) from None
    except file_format.Missing as error:
        raise click.ClickException(
            f"{error}. Run the command with the service's data directory and settings, "
            "or leave both out with --without-secrets"
        ) from None
    except Incomplete as error:
        _name(error.missing, _UNREADABLE)
        raise click.ClickException(str(error)) from None
    except BadBackup as error:
        raise click.ClickException(
            f"the backup is not valid: {output.printable(str(error))}"
        ) from None
    except (ConfigError, DataUnusable, NoJournal, Unsafe, EmbeddedError) as error:
        raise click.ClickException(str(error)) from None
    except (JournalError, OSError) as error:
        raise click.ClickException(output.printable(str(error))) from None
