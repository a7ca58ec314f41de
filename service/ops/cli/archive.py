"""`giornale archive`: ended matches leave the journal, are checked, and come back."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import click

from service.base.config import Config, ConfigError, hours
from service.bootstrap import open_archive, open_context, open_whole_journal
from service.matches import lifecycle
from service.ops.cli.bars import counting_bar
from service.ops.cli.errors import CannotRead
from service.ops.cli.local_journal import NoJournal, running_journal
from service.ops.cli.output import printable
from service.ops.process.preflight import Unsafe
from service.ops.process.server_files import EmbeddedError
from service.record.commit import clock
from service.store.archive import archive as archives
from service.store.archive.archive import Archive, ArchiveTotals, due, unarchive_match
from service.store.archive.places import PlaceError
from service.store.journal.errors import ArchiveDamaged, HeadDamaged, JournalError
from service.store.journal.ports import Journal

WRONG = 1
_HOUR_MS = 3_600_000


class _OpenArchive(NamedTuple):
    config: Config
    journal: Journal
    archive: Archive


@click.group()
def archive() -> None:
    """Move ended matches into an archive.

    They leave the journal's memory, and are read as before.
    """


@archive.command()
@click.option(
    "--older-than",
    metavar="AGE",
    default="",
    help="Only matches that ended at least this long ago, such as 36h or 30d. Default: "
    "GIORNALE_ARCHIVE_AFTER, or every ended match without it.",
)
@click.option("--dry-run", is_flag=True, help="Only print the number of due matches.")
def run(older_than: str, dry_run: bool) -> None:
    """Archive all due matches.

    Each packed match is checked before it leaves the journal.
    """
    age_hours = _age(older_than)
    with _opened() as (config, journal, place):
        age = config.archive_after if age_hours is None else age_hours
        matches = due(journal, clock() - age * _HOUR_MS)
        if dry_run:
            heads = [head for _, head in matches]
            commits = sum(head.version for head in heads)
            click.echo(f"{len(heads)} matches with {commits} commits are due")
            return

        totals = ArchiveTotals()
        damaged: list[JournalError] = []
        ctx, _queues = open_context(config)
        with counting_bar("archiving", 0) as progress:
            for match, _head in matches:
                try:
                    marker = lifecycle.archive(ctx, place, match)
                except (ArchiveDamaged, HeadDamaged) as error:
                    damaged.append(error)
                    continue
                if marker is not None:
                    totals.add(marker)
                progress(1)
    click.echo(f"{totals.matches} matches archived{_sizes(totals)}")
    _end_with(damaged)


@archive.command()
def status() -> None:
    """Show number and size of archived matches."""
    with _opened() as (_config, journal, place):
        totals = ArchiveTotals()
        damaged: list[JournalError] = []
        for _match, marker in journal.lifecycle.all_archived():
            if isinstance(marker, ArchiveDamaged):
                damaged.append(marker)
            else:
                totals.add(marker)
    click.echo(f"{place.place}: {totals.matches} matches archived{_sizes(totals)}")
    _end_with(damaged)


@archive.command()
@click.option(
    "--clean",
    is_flag=True,
    help="Remove files of deleted matches, and incomplete files.",
)
def verify(clean: bool) -> None:
    """Check every archived match.

    Reads and unpacks each one, and checks its sums and its chain of commits. Ends with 0 if all
    are right, 1 if one is not or a file is left over, 2 if journal or archive cannot be read.
    """
    with _opened() as (_config, journal, place):
        with counting_bar("verifying", 0) as progress:
            checked = archives.check(journal, place, progress)
        if clean:
            for name in archives.clean(place, checked.leftovers):
                click.echo(f"removed: {name}")
            checked.leftovers.clear()

    for sentence in checked.wrong:
        click.echo(f"wrong: {printable(sentence)}")
    for name in checked.leftovers:
        click.echo(f"left over: {printable(name)}. Remove it with --clean")
    if checked.spare:
        click.echo(f"note: {checked.spare} files belong to matches that are not archived now")

    click.echo(f"{checked.right} archived matches are right, {len(checked.wrong)} are not")
    sys.exit(WRONG if checked.wrong or checked.leftovers else 0)


@archive.command()
@click.argument("match", required=False)
@click.option("--all", "everything", is_flag=True, help="Restore every archived match.")
def restore(match: str | None, everything: bool) -> None:
    """Put archived matches back into the journal.

    Their files stay in the archive.
    """
    if (match is None) == (not everything):
        raise click.UsageError("give a MATCH, or --all")

    with _opened() as (_config, journal, place):
        names = [match] if match else [name for name, _ in list(journal.lifecycle.all_archived())]
        back = ArchiveTotals()
        damaged: list[JournalError] = []
        with counting_bar("restoring", len(names)) as progress:
            for name in names:
                try:
                    marker = unarchive_match(journal, place, name)
                except ArchiveDamaged as error:
                    if match:
                        raise
                    damaged.append(error)
                    continue
                if marker is not None:
                    back.add(marker)
                progress(1)

    if match and not back.matches:
        raise click.ClickException(f"there is no archived match {printable(match)}")
    click.echo(f"{back.matches} matches restored, {back.commits} commits")
    _end_with(damaged)


def _end_with(damaged: list[JournalError]) -> None:
    """Print each skipped damaged match, and end with 1 if there are any."""
    for error in damaged:
        click.echo(f"wrong: {printable(str(error))}", err=True)
    if damaged:
        sys.exit(WRONG)


def _age(text: str) -> int | None:
    """Return an age in hours, None for ""."""
    try:
        return hours(text) if text else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--older-than") from None


def _sizes(totals: ArchiveTotals) -> str:
    """Return the sizes of archived matches, in words. "" for none."""
    if not totals.matches:
        return ""
    ratio = totals.stored / totals.packed
    each = totals.packed / totals.commits
    return (
        f": {totals.commits} commits, {totals.packed} bytes instead of {totals.stored} "
        f"({ratio:.0f} times less, {each:.1f} bytes a commit)"
    )


@contextmanager
def _opened() -> Iterator[_OpenArchive]:
    """Open journal and archive. End with a message instead of a traceback."""
    try:
        with running_journal(Config.load(os.environ), make=False) as config:
            yield _OpenArchive(config, open_whole_journal(config), open_archive(config))
    except (ConfigError, NoJournal, Unsafe, EmbeddedError) as error:
        raise CannotRead(str(error)) from None
    except (JournalError, PlaceError, OSError) as error:
        raise CannotRead(printable(str(error))) from None
