"""`giornale backup`, `restore` and `export --all`: what an operator does with the whole journal."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from service.backup import private, reading, records, restoring, writing
from service.backup.form import BadBackup, Incomplete, Manifest
from service.bootstrap import clock, open_desk, open_whole_journal
from service.cli import output
from service.cli.local_journal import NoJournal, running_journal
from service.cli.printing import printable
from service.cli.progress import counting_bar
from service.config import Config, ConfigError
from service.journal.errors import JournalError, JournalFull
from service.journal.port import Journal
from service.keys.private_files import private_file
from service.ledger.times import timestamp
from service.matches import epochs
from service.matches.journal_note import note_file, read_note
from service.process.preflight import Unsafe
from service.process.server_program import EmbeddedError

MISSING = 3  # the exit code where all could be written but matches that cannot be read

_MOST_NAMED = 10  # matches that a message names
_UNREADABLE = (
    "left out, since it cannot be read; giornale archive verify and giornale verify say why"
)

_EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=output.FILE)
@click.option(
    "--without-secrets",
    is_flag=True,
    help="Leave out the server's secret and the keys of receipts.",
)
@output.with_replace
def backup(file: Path, without_secrets: bool, replace: bool) -> None:
    """Write the whole journal to one file while the service goes on.

    The file holds the server's secret and the keys of receipts, too, since a restored service
    needs both. Whoever has it can do what the server can: keep it as well as the server. Ends with
    3 if matches are missing in it because they cannot be read; such a file replaces none.
    """
    output.prepare(file, replace=replace)
    place = output.behind_links(file)

    with complaints(), running_journal(Config.load(os.environ), make=False) as config:
        secrets = {} if without_secrets else private.collect(config)
        journal = open_whole_journal(config)
        with (
            output.failed_writes(file),
            private_file(place, replace=replace) as content,
            counting_bar("backup", journal.commit_count()) as progress,
        ):
            manifest = writing.write(journal, content, secrets, clock, progress)
            if manifest.missing and place.exists():
                raise Incomplete(manifest.missing)

    ending = "without the secrets" if without_secrets else "with the secrets"
    click.echo(f"{file}: {_summary(manifest)}, {ending}")
    end_if_missing(manifest.missing)


@click.command()
@click.argument("file", type=_EXISTING_FILE)
@click.option(
    "--merge",
    is_flag=True,
    help="Add the matches that are not there to a journal that holds some.",
)
@click.option(
    "--without-secrets",
    is_flag=True,
    help="Leave the secret and the keys of receipts here as they are.",
)
@click.option("--check", is_flag=True, help="Only check the file; write nothing.")
def restore(file: Path, merge: bool, without_secrets: bool, check: bool) -> None:
    """Put a backup into an empty journal.

    The whole file is checked before anything is written: every digest, and every match's chain of
    commits.
    """
    with complaints():
        reader = _check_file(file)
        if check:
            return

        settings = Config.load(os.environ)
        if not without_secrets and not merge:
            private.demand_fitting(settings, reader.private)

        with running_journal(settings, make=True) as config:
            _restore_matches(config, reader, merge=merge)

        secrets_news: list[str] = []
        if not without_secrets:
            secrets_news = private.put_back(settings, reader.private, merge=merge)

    for sentence in secrets_news:
        click.echo(sentence)
    if secrets_news and not merge:
        click.echo("start the web processes again, so that they learn the secret")
    if not reader.private:
        click.echo("the backup holds no secrets: put the secret and keys.json back by other means")


def export_all(directory: Path) -> None:
    """Write every match's record to a file of its own in a directory.

    What is there and whole is passed over. Ends with 3 if matches cannot be read.
    """
    output.remove_left(directory / f"any{records.SUFFIX}")

    with complaints(), running_journal(Config.load(os.environ), make=False) as config:
        desk, _queues = open_desk(config)
        with output.failed_writes(directory), counting_bar("matches", 0) as progress:
            done = records.export_all(desk, directory, progress)

    click.echo(f"{directory}: {done.written} records written, {done.present} there already")
    end_if_missing(done.missing)


def _check_file(file: Path) -> reading.Reader:
    """Check a whole backup and say what it holds; raises BadBackup."""
    with counting_bar("checking", 0) as progress:
        reader = reading.check(file, progress)

    manifest = reader.manifest
    click.echo(f"{file}: {_summary(manifest)}, made {manifest.begun}; all of it is right")
    _name(manifest.missing, "could not be read when the backup was made")
    return reader


def _restore_matches(config: Config, reader: reading.Reader, *, merge: bool) -> None:
    """Put the matches back and say what was done."""
    journal = open_whole_journal(config)
    with counting_bar("restoring", reader.manifest.commits) as progress:
        done = restoring.restore(journal, reader, progress, merge=merge)
    _begin_epoch(journal, config)

    restored = f"{done.restored} matches restored"
    deleted = f"{done.deleted} marks of deleted ones"
    click.echo(f"{restored}, {deleted}, {done.present} there already")

    _name(done.differing, "left as it is; it is another than the backup's, or has fewer commits")


def end_if_missing(matches: Sequence[str]) -> None:
    """Name the matches that are missing in what was written, if any, and end with MISSING."""
    if not matches:
        return

    _name(matches, _UNREADABLE)
    sys.exit(MISSING)


def _name(matches: Sequence[str], what: str) -> None:
    """Say on standard error what is to be known of some matches."""
    for match in matches[:_MOST_NAMED]:
        click.echo(f"{printable(match)}: {what}", err=True)

    unnamed = len(matches) - _MOST_NAMED
    if unnamed > 0:
        click.echo(f"... and {unnamed} others", err=True)


def _begin_epoch(journal: Journal, config: Config) -> None:
    """Give the journal a new epoch, and say if it once held more than it does now."""
    noted = read_note(note_file(config.data))
    epochs.begin_anew(journal, noted, clock())

    commits = journal.commit_count()
    if noted is not None and noted.commits > commits:
        before = f"{noted.commits} commits at {timestamp(noted.time)}"
        click.echo(f"the journal held {before}, and now holds {commits}", err=True)


def _summary(manifest: Manifest) -> str:
    """Return what a backup holds, in words."""
    deleted = f"{manifest.deleted} marks of deleted matches"
    return f"{manifest.matches} matches, {manifest.commits} commits, {deleted}"


@contextmanager
def complaints() -> Iterator[None]:
    """End with one sentence, and exit code 1, instead of a traceback."""
    try:
        yield
    except restoring.NotEmpty:
        advice = "--merge adds those that are not there"
        raise click.ClickException(f"the journal holds matches; {advice}") from None
    except private.OtherSecret:
        raise click.ClickException(
            "GIORNALE_SECRET is another than the backup's, "
            "so repeated openings would get other tokens: set the backup's, "
            "or leave the secrets here as they are with --without-secrets"
        ) from None
    except private.Missing as error:
        raise click.ClickException(
            f"{error}. Run the command with the service's data directory and settings, "
            "or leave both out with --without-secrets"
        ) from None
    except Incomplete as error:
        _name(error.missing, _UNREADABLE)
        reason = "what lacks matches replaces no file"
        raise click.ClickException(f"{reason}: write it to another one") from None
    except BadBackup as error:
        raise click.ClickException(f"the backup is not right: {printable(str(error))}") from None
    except JournalFull as error:
        reason = f"the journal is full: {printable(str(error))}"
        raise click.ClickException(f"{reason}; go on later with --merge") from None
    except (ConfigError, NoJournal, Unsafe, EmbeddedError) as error:
        raise click.ClickException(str(error)) from None
    except (JournalError, OSError) as error:
        raise click.ClickException(printable(str(error))) from None
