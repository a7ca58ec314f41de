"""`giornale backup`, `restore` and `export --all`: what an operator does with the whole journal."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.backup import private, reading, records, restoring, writing
from service.backup.form import BadBackup, Manifest
from service.bootstrap import clock, open_desk
from service.cli.at_hand import NoJournal, journal_at_hand
from service.cli.printing import printable
from service.config import Config, ConfigError
from service.journal.port import JournalError, JournalFull
from service.journal.redis import open_journal
from service.process.preflight import Unsafe
from service.process.valkey import EmbeddedError

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

_TOLD = 10  # matches that are named

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=_FILE)
@click.option(
    "--without-secrets",
    is_flag=True,
    help="Leave out the server's secret and the keys of receipts.",
)
@click.option("--replace", is_flag=True, help="Replace the file if it is there.")
def backup(file: Path, without_secrets: bool, replace: bool) -> None:
    """Write the whole journal to one file while the service goes on.

    The file holds the server's secret and the keys of receipts, too, since a restored service needs both. Whoever has
    it can do what the server can: keep it as well as the server.
    """
    if file.exists() and not replace:
        raise click.ClickException(f"{file} is there already; --replace replaces it")
    with _complaints(), journal_at_hand(Config.load(os.environ), make=False) as config:
        kept = {} if without_secrets else private.collect(config)
        journal = open_journal(config.journal_url, config.partitions)
        with _bar("backup", journal.commit_count()) as progress:
            manifest = writing.write(journal, file, kept, clock, progress)
    click.echo(f"{file}: {_told(manifest)}, {'without' if without_secrets else 'with'} the secrets")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--merge", is_flag=True, help="Add the matches that are not there to a journal that holds some."
)
@click.option(
    "--without-secrets",
    is_flag=True,
    help="Leave the secret and the keys of receipts here as they are.",
)
@click.option("--check", is_flag=True, help="Only check the file; write nothing.")
def restore(file: Path, merge: bool, without_secrets: bool, check: bool) -> None:
    """Put a backup into an empty journal.

    The whole file is checked before anything is written: every digest, and every match's chain of commits.
    """
    with _complaints():
        with _bar("checking", 0) as progress:
            reader = reading.check(file, progress)
        click.echo(
            f"{file}: {_told(reader.manifest)}, made {reader.manifest.begun}; all of it is right"
        )
        if check:
            return

        settings = Config.load(os.environ)
        if not without_secrets and not merge:
            private.demand_fitting(settings, reader.private)
        with journal_at_hand(settings, make=True) as config:
            _restore(config, reader, merge=merge)
        said = [] if without_secrets else private.put_back(settings, reader.private, merge=merge)
    for sentence in said:
        click.echo(sentence)
    if said and not merge:
        click.echo("start the web processes again, so that they learn the secret")
    if not reader.private:
        click.echo("the backup holds no secrets: put the secret and keys.json back by other means")


def _restore(config: Config, reader: reading.Reader, *, merge: bool) -> None:
    """Put the matches back and say what was done."""
    journal = open_journal(config.journal_url, config.partitions)
    with _bar("restoring", reader.manifest.commits) as progress:
        done = restoring.restore(journal, reader, progress, merge=merge)

    click.echo(
        f"{done.restored} matches restored, {done.deleted} marks of deleted ones, {done.present} there already"
    )
    for match in done.differing[:_TOLD]:
        click.echo(
            f"{match}: left as it is; it is another than the backup's, or has fewer commits",
            err=True,
        )
    if len(done.differing) > _TOLD:
        click.echo(f"... and {len(done.differing) - _TOLD} others", err=True)


def export_all(directory: Path) -> None:
    """Write every match's record to a file of its own in a directory; what is there and whole is passed over."""
    with _complaints(), journal_at_hand(Config.load(os.environ), make=False) as config:
        desk, _ = open_desk(config)
        with _bar("matches", 0) as progress:
            done = records.export_all(desk, directory, progress)
    click.echo(f"{directory}: {done.written} records written, {done.present} there already")


@contextmanager
def _complaints() -> Iterator[None]:
    """End with a sentence instead of a traceback."""
    try:
        yield
    except restoring.NotEmpty:
        raise click.ClickException(
            "the journal holds matches; --merge adds those that are not there"
        ) from None
    except private.OtherSecret:
        raise click.ClickException(
            "GIORNALE_SECRET is another than the backup's, so repeated openings would get other tokens: "
            "set the backup's, or leave the secrets here as they are with --without-secrets"
        ) from None
    except private.Missing as error:
        raise click.ClickException(
            f"{error}. Run the command with the service's data directory and settings, or leave both out with "
            "--without-secrets"
        ) from None
    except BadBackup as error:
        raise click.ClickException(f"the backup is not right: {printable(str(error))}") from None
    except JournalFull as error:
        raise click.ClickException(
            f"the journal is full: {printable(str(error))}; go on later with --merge"
        ) from None
    except (ConfigError, NoJournal, Unsafe, EmbeddedError) as error:
        raise click.ClickException(str(error)) from None
    except (JournalError, OSError) as error:
        raise click.ClickException(printable(str(error))) from None


def _told(manifest: Manifest) -> str:
    return f"{manifest.matches} matches, {manifest.commits} commits, {manifest.deleted} marks of deleted matches"


@contextmanager
def _bar(label: str, length: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal, nothing elsewhere. length: of all that is to be done; 0 if that is not known."""
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    shown: ProgressBar[int] = click.progressbar(length=length or None, label=label, file=sys.stderr)
    with shown as bar:
        yield bar.update


COMMANDS = (backup, restore)
