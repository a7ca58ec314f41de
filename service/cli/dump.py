"""`giornale dump`: whole records of public matches for everybody."""

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from service.backup import dump as dumping
from service.backup.dump import Span
from service.bootstrap import open_desk
from service.cli import output
from service.cli.backup import complaints, end_if_missing
from service.cli.local_journal import running_journal
from service.cli.progress import counting_bar
from service.config import Config

_LAST_MS = 1 << 60


@click.command()
@click.option("--from", "start", metavar="TIME", help="Matches that ended at this time or later.")
@click.option("--to", "end", metavar="TIME", help="Matches that ended before this time.")
@click.option(
    "-o",
    "--output",
    "file",
    required=True,
    type=output.FILE,
    help="The file, such as 2026-01.ndjson.zst. Its SHA-256 goes into a file with the further "
    "ending .sha256, those of its records into one with .records.sha256.",
)
@output.with_replace
def dump(start: str | None, end: str | None, file: Path, replace: bool) -> None:
    """Write the records of all public matches that ended within a time to one file.

    TIME is a date or a time in RFC 3339, in UTC if it does not say otherwise. `giornale verify`
    reads the file. Ends with 3 if matches are missing in it because they cannot be read.
    """
    span = _span(start, end)
    for path in dumping.files_of(file):
        output.prepare(path, replace=replace)
    place = output.behind_links(file)

    with complaints(), running_journal(Config.load(os.environ), make=False) as config:
        desk, _queues = open_desk(config)
        with output.failed_writes(file), counting_bar("matches", 0) as progress:
            dumped = dumping.dump(desk, span, place, progress, replace=replace)

    click.echo(f"{file}: {dumped.matches} matches, {dumped.commits} commits")
    end_if_missing(dumped.missing)


def _span(start: str | None, end: str | None) -> Span:
    """Return the time that was asked for; raises BadParameter if nothing can lie in it."""
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
